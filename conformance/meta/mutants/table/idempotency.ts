// Mutants of idempotency keys.

import { cacheAnswers, changeAnswer, idempotencyKeyOf, isCreation, removeHeader } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";

export const idempotency: Mutants = {
  "key-of-everybody": {
    broken: "a gateway replays answers by the idempotency key alone, for every sender",
    interceptor: cacheAnswers(idempotencyKeyOf),
    killedBy: [
      ["donations/idempotency", /belongs to its application: another one/],
      ["donations/idempotency", /belongs to its streamer/],
    ],
  },
  "key-burnt": {
    broken: "a gateway also replays refusals under an idempotency key",
    interceptor: cacheAnswers((request) => idempotencyKeyOf(request) && `${request.headers.authorization} ${idempotencyKeyOf(request)}`),
    killedBy: [["donations/idempotency", /a refused request uses up no idempotency key/]],
  },
  "replay-unmarked": {
    broken: "a replay has no Idempotent-Replayed header",
    interceptor: removeHeader("idempotent-replayed"),
    killedBy: [["donations/idempotency", /same idempotency key and donation again/]],
  },
  "replay-created": {
    broken: "a replay is answered 201 instead of 200",
    interceptor: changeAnswer((answer, request) => (isCreation(request) && answer.status === 200 ? { ...answer, status: 201 } : answer)),
    killedBy: [["donations/idempotency", /same idempotency key and donation again/]],
  },
};
