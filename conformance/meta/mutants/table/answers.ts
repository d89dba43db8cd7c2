// Mutants of answers: status, headers, problems.

import { inContract, inSchema } from "../contract-edit.ts";
import { changeAnswer, changeJson, isCreation, removeHeader } from "../interceptors.ts";
import type { Edit, Mutants } from "../mutant.ts";
import type { Answer } from "../proxy.ts";

const inHttp = (file: string, from: string, to: string): Edit => ({ file: `src/http/${file}.ts`, from, to });
const inProblems = (from: string, to: string): Edit => inHttp("middleware/problem-renderer", from, to);
const inDonation = (from: string, to: string): Edit => ({ file: "src/donations/donation.ts", from, to });

const receivedAt = (to: string): Edit => ({
  file: "src/donations/record/record-one-streamer.sql",
  from: "date_trunc('milliseconds', clock_timestamp())",
  to,
});

export const answers: Mutants = {
  "500-for-400": {
    broken: "a request that breaks a rule of the contract is answered 500",
    edit: inContract('"validation_failed": {\n      "status": 400', '"validation_failed": {\n      "status": 500'),
    killedBy: [
      ["interface/amount", /0 is refused, the next double/],
      ["donations/unknown-members", /any single broken rule/],
    ],
  },
  "200-for-404": {
    broken: "an object that does not exist is answered 200",
    interceptor: changeAnswer((answer) => (answer.status === 404 ? { ...answer, status: 200 } : answer)),
    killedBy: [["donations/get-donation", /an id that names nothing/]],
  },
  "errors-unnamed": {
    broken: "a problem does not name the members that are wrong",
    edit: inHttp("problem", "...(errors && { errors: errors.slice(0, maxFaults) }),", ""),
    killedBy: [["donations/unknown-members", /any single broken rule/]],
  },
  "first-error-only": {
    broken: "a problem names only the first of several faults",
    edit: inHttp("problem", "errors.slice(0, maxFaults)", "errors.slice(0, 1)"),
    killedBy: [["donations/unknown-members", /several broken rules are all named/]],
  },
  "errors-101": {
    broken: "a problem names 101 faults",
    edit: inSchema("InvalidRequestProblem", '"maxItems": 100', '"maxItems": 101'),
    killedBy: [["donations/unknown-members", /more than 100 faults: 100 are named/]],
  },
  "wrong-pointer": {
    broken: "the JSON pointers of a problem do not begin with a slash",
    edit: inHttp("contract/faults", 'slice("/requestBody".length)', 'slice("/requestBody/".length)'),
    killedBy: [["donations/unknown-members", /any single broken rule/]],
  },
  "wrong-code": {
    broken: "a text that is too long is refused with the code of one that is too short",
    edit: inHttp("contract/faults", 'maxLength: { code: "too_long"', 'maxLength: { code: "too_short"'),
    killedBy: [["donations/create-donation", /is too long/]],
  },
  cacheable: {
    broken: "answers of /api carry no Cache-Control that keeps caches from storing them",
    interceptor: removeHeader("cache-control", ({ path }) => path.startsWith("/api/")),
    killedBy: [["transport/protocol", /not to be stored by caches/]],
  },
  "created-cacheable": {
    broken: "caches may store the answer to a recorded donation for a minute",
    interceptor: changeAnswer((answer, request) =>
      isCreation(request) && answer.status < 300 ? withHeader(answer, "cache-control", "private, max-age=60") : answer,
    ),
    killedBy: [["donations/create-donation", /a 201 of createDonation carries the Location/]],
  },
  "refusal-cacheable": {
    broken: "caches may store the refusal of a reused idempotency key for a minute",
    interceptor: changeAnswer((answer) => (answer.status === 422 ? withHeader(answer, "cache-control", "max-age=60") : answer)),
    killedBy: [["transport/problems", /problem 422: its members/]],
  },
  "problem-as-json": {
    broken: "a problem with status 400 has the type application/json whatever Accept says",
    edit: inProblems("namesOnlyJson(ctx.get(", "ctx.status === 400 || namesOnlyJson(ctx.get("),
    killedBy: [
      ["transport/problems", /problem 400 of a broken rule: its members/],
      ["transport/problems", /problem 400 of a broken rule has the type/],
    ],
  },
  "problem-type-fixed": {
    broken: "a problem with status 422 has the type application/problem+json whatever Accept says",
    edit: inProblems("namesOnlyJson(ctx.get(", "ctx.status !== 422 && namesOnlyJson(ctx.get("),
    killedBy: [["transport/problems", /problem 422 has the type/]],
  },
  "request-id-of-problems": {
    broken: "a problem has a request id of its own, although the caller has sent one",
    edit: inProblems(
      "ctx.status = problems[problem.code].status;",
      'ctx.set("X-Request-Id", (ctx.state.requestId = crypto.randomUUID()));\n  ctx.status = problems[problem.code].status;',
    ),
    killedBy: [["transport/problems", /: its members say what the status line and the request say/]],
  },
  "request-id-of-donations": {
    broken: "the answer to a recorded donation has a request id of its own, although the caller has sent one",
    interceptor: changeAnswer((answer, request) =>
      isCreation(request) && answer.status < 300 ? withHeader(answer, "x-request-id", crypto.randomUUID()) : answer,
    ),
    killedBy: [["transport/protocol", /echoed when a donation is recorded/]],
  },
  "no-cors": {
    broken: "answers lack the headers that let browsers of other origins read them",
    interceptor: removeHeader("access-control-allow-origin"),
    killedBy: [["transport/protocol", /let browsers read them/]],
  },
  "request-id-lost": {
    broken: "the caller's X-Request-Id is not echoed",
    edit: inHttp("middleware/request-id", "wellFormedId.test(sent) ? sent : newId()", "newId()"),
    killedBy: [["transport/protocol", /well-formed X-Request-Id is echoed/]],
  },
  "no-allow": {
    broken: "an answer 405 has no Allow header",
    edit: inHttp("router", "{ headers: { Allow: allow } }", "{}"),
    killedBy: [["derived/methods", /Allow lists the right ones/]],
  },
  "slash-ignored": {
    broken: "a path with an additional slash at its end is served",
    edit: inHttp(
      "contract/match-operation",
      "return (method, path) => {",
      'return (method, sent) => {\n    const path = sent.replace(/\\/$/, "");',
    ),
    killedBy: [["derived/methods", /trailing slash/]],
  },
  "extra-member": {
    broken: "an answered donation has a member that the contract does not define",
    edit: inDonation("return {\n    id,\n    donatorName,", "return {\n    id,\n    ...{ sequence: donation.sequence },\n    donatorName,"),
    killedBy: [["donations/round-trip", /answered and read back as it was posted/]],
  },
  "missing-member": {
    broken: "members without a value are left out of answers",
    interceptor: changeAnswer((answer, request) => (isCreation(request) ? changeJson(answer, withoutNulls) : answer)),
    killedBy: [["donations/round-trip", /null, never absent/]],
  },
  "time-of-the-caller": {
    broken: "createdAt is answered without milliseconds",
    interceptor: changeAnswer((answer, request) =>
      isCreation(request) ? { ...answer, body: Buffer.from(answer.body.toString().replaceAll(".000Z", "Z")) } : answer,
    ),
    killedBy: [["donations/round-trip", /answered and read back as it was posted/]],
  },
  "ids-of-another-time": {
    broken: "the time in ids counts seconds",
    edit: {
      file: "src/db/ids.ts",
      from: "generator.generate()",
      to: "generator.generateOrResetCore(Math.floor(Date.now() / 1000), 10_000)",
    },
    killedBy: [["donations/round-trip", /ids of donations are UUIDv7 and unique/]],
  },
  "received-seven-hours-later": {
    broken: "receivedAt is the time of Bangkok, called UTC",
    edit: receivedAt("date_trunc('milliseconds', clock_timestamp() + interval '7 hours')"),
    killedBy: [["donations/created-at", /receivedAt is the present time/]],
  },
  "received-whole-seconds": {
    broken: "receivedAt has whole seconds",
    edit: receivedAt("date_trunc('seconds', clock_timestamp())"),
    killedBy: [["donations/created-at", /receivedAt is the present time/]],
  },
  "voided-with-offset": {
    broken: "voided.at is answered with an offset instead of Z",
    edit: {
      file: "src/donations/donation.ts",
      from: "at: formatInstant(voided.at)",
      to: 'at: formatInstant(voided.at).replace("Z", "+00:00")',
    },
    killedBy: [["donations/void-donation", /that is voided stays as it was, with the time/]],
  },
  "shown-with-offset": {
    broken: "alert.shownAt is answered with an offset instead of Z",
    edit: {
      file: "src/donations/donation.ts",
      from: "formatInstant(alert.shownAt) }",
      to: 'formatInstant(alert.shownAt).replace("Z", "+00:00") }',
    },
    killedBy: [["alerts/alert-states", /show an alert as it stands now/]],
  },
  "random-ids": {
    broken: "ids are random UUIDs instead of UUIDv7",
    edit: inDonation("id: newId(),", "id: crypto.randomUUID(),"),
    killedBy: [["donations/round-trip", /ids of donations are UUIDv7/]],
  },
  "no-location": {
    broken: "the answer to a recorded donation has no Location header",
    interceptor: removeHeader("location", isCreation),
    killedBy: [["donations/create-donation", /a 201 of createDonation carries the Location/]],
  },
};

function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, member) => member ?? undefined);
}

const withHeader = (answer: Answer, name: string, value: string): Answer => ({ ...answer, headers: { ...answer.headers, [name]: value } });
