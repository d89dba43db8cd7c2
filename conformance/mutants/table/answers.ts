import { inContract, inSchema } from "../contract-edit.ts";
import { answering, creates, json, without } from "../meddlers.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inHttp = (file: string, from: string, to: string): Edit => ({ file: `src/http/${file}.ts`, from, to });
const inDonation = (from: string, to: string): Edit => ({ file: "src/donations/donation.ts", from, to });

export const answers: Mutants = {
  "500-for-400": {
    broken: "a broken rule is answered with 500",
    edit: inContract('"validation_failed": {\n      "status": 400', '"validation_failed": {\n      "status": 500'),
    killedBy: [
      ["interface/amount", /0 is refused, the next double/],
      ["donations/unknown-members", /any one broken rule/],
    ],
  },
  "200-for-404": {
    broken: "what is not there is answered with 200",
    meddler: answering((answer) => (answer.status === 404 ? { ...answer, status: 200 } : answer)),
    killedBy: [["donations/get-donation", /an id that names nothing/]],
  },
  "errors-unnamed": {
    broken: "a problem does not name what is wrong",
    edit: inHttp("problem", "...(errors && { errors: errors.slice(0, maxFaults) }),", ""),
    killedBy: [["donations/unknown-members", /any one broken rule/]],
  },
  "first-error-only": {
    broken: "only the first of several faults is named",
    edit: inHttp("problem", "errors.slice(0, maxFaults)", "errors.slice(0, 1)"),
    killedBy: [["donations/unknown-members", /several broken rules are all named/]],
  },
  "errors-101": {
    broken: "101 faults are named",
    edit: inSchema("InvalidRequestProblem", '"maxItems": 100', '"maxItems": 101'),
    killedBy: [["donations/unknown-members", /of more than 100 faults 100 are named/]],
  },
  "wrong-pointer": {
    broken: "pointers don't begin with a slash",
    edit: inHttp("faults", 'slice("/requestBody".length)', 'slice("/requestBody/".length)'),
    killedBy: [["donations/unknown-members", /any one broken rule/]],
  },
  "wrong-code": {
    broken: "a text that is too long is said to be too short",
    edit: inHttp("faults", 'maxLength: { code: "too_long"', 'maxLength: { code: "too_short"'),
    killedBy: [["donations/create-donation", /is too long/]],
  },
  cacheable: {
    broken: "nothing keeps caches from storing answers",
    meddler: without("cache-control"),
    killedBy: [["transport/protocol", /not to be stored by caches/]],
  },
  "no-cors": {
    broken: "browsers can't read the answers",
    meddler: without("access-control-allow-origin"),
    killedBy: [["transport/protocol", /let browsers read them/]],
  },
  "request-id-lost": {
    broken: "the caller's X-Request-Id does not come back",
    edit: inHttp("request-id", "wellFormedId.test(sent) ? sent : newId()", "newId()"),
    killedBy: [["transport/protocol", /well-formed one is echoed/]],
  },
  "no-allow": {
    broken: "405 does not say what is allowed",
    edit: inHttp("router", "{ headers: { Allow: allow } }", "{}"),
    killedBy: [["derived/methods", /Allow lists the right ones/]],
  },
  "slash-ignored": {
    broken: "a slash at the end of a path is ignored",
    edit: inHttp("match-operation", "exact.get(keyOf(asked, path))", 'exact.get(keyOf(asked, path.replace(/\\/$/, "")))'),
    killedBy: [["derived/methods", /trailing slash/]],
  },
  "extra-member": {
    broken: "a donation has a member that the contract does not know",
    edit: inDonation("return {\n    id,\n    donatorName,", "return {\n    id,\n    ...{ sequence: donation.sequence },\n    donatorName,"),
    killedBy: [["donations/round-trip", /what was posted is what is answered/]],
  },
  "missing-member": {
    broken: "members without a value are left out of answers",
    meddler: answering((answer, asked) => (creates(asked) ? json(answer, withoutNulls) : answer)),
    killedBy: [["donations/round-trip", /null, never absent/]],
  },
  "time-of-the-caller": {
    broken: "createdAt is answered without milliseconds",
    meddler: answering((answer, asked) =>
      creates(asked) ? { ...answer, body: Buffer.from(answer.body.toString().replaceAll(".000Z", "Z")) } : answer,
    ),
    killedBy: [["donations/round-trip", /what was posted is what is answered/]],
  },
  "random-ids": {
    broken: "ids are random, and no UUIDv7",
    edit: inDonation("id: newId(),", "id: crypto.randomUUID(),"),
    killedBy: [["donations/round-trip", /ids are UUIDv7/]],
  },
  "no-location": {
    broken: "201 does not say where",
    meddler: without("location"),
    killedBy: [["donations/create-donation", /201 carries the Location/]],
  },
};

function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, member) => member ?? undefined);
}
