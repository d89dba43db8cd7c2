// Mutants of answers: status, headers, problems.

import { inContract, inSchema } from "../contract-edit.ts";
import { changeAnswer, changeJson, isCreation, removeHeader } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";
import type { Answer } from "../proxy.ts";

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
  "errors-101": {
    broken: "a problem names 101 faults",
    edit: inSchema("InvalidRequestProblem", '"maxItems": 100', '"maxItems": 101'),
    killedBy: [["donations/unknown-members", /more than 100 faults: 100 are named/]],
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
