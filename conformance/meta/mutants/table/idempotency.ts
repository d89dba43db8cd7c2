// Mutants of idempotency keys.

import { cacheAnswers, changeAnswer, idempotencyKeyOf, isCreation, removeHeader } from "../interceptors.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inDonation = (from: string, to: string): Edit => ({ file: "src/donations/donation.ts", from, to });
const inAttempt = (from: string, to: string): Edit => ({ file: "src/donations/record/attempt.ts", from, to });

/** Edits the server so that it forgets keys before it records. */
const forgetting = (which: string): Edit =>
  inAttempt(
    "rows = await state.insert(leadersOf(groups), skipLocked);",
    `await state.pool.raw("update donations set idempotency_key = null where idempotency_key is not null and ${which}");
    rows = await state.insert(leadersOf(groups), skipLocked);`,
  );

export const idempotency: Mutants = {
  "key-ignored": {
    broken: "a repeated idempotency key records another donation",
    edit: inDonation("idempotencyKey: input.idempotencyKey ?? null", "idempotencyKey: null"),
    killedBy: [["donations/idempotency", /same idempotency key and donation again/]],
  },
  "key-folded": {
    broken: "idempotency keys that differ in case alone are one key",
    edit: inDonation("idempotencyKey: input.idempotencyKey ?? null", "idempotencyKey: input.idempotencyKey?.toLowerCase() ?? null"),
    killedBy: [["donations/idempotency", /compared exactly/]],
  },
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
  "key-of-any-application-at-once": {
    broken: "donations of two applications with one idempotency key are one while they are recorded together",
    edit: inAttempt("`${streamerId}/${applicationId}/${idempotencyKey}`", "`${streamerId}/${idempotencyKey}`"),
    killedBy: [["donations/idempotency", /two applications in the same moment is two keys/]],
  },
  "key-shown": {
    broken: "applications can read each other's idempotency keys",
    edit: inDonation("donation.applicationId === readerApplicationId ? donation.idempotencyKey : null", "donation.idempotencyKey"),
    killedBy: [["reports/get-donation-stats", /show another application no idempotency key/]],
  },
  "keys-forgotten-after-a-month": {
    broken: "idempotency keys are forgotten after 30 days",
    edit: forgetting("received_at < now() - interval '30 days'"),
    killedBy: [["donations/idempotency", /kept for ever/]],
  },
  "last-500-keys": {
    broken: "of each streamer the last 500 idempotency keys are kept",
    edit: forgetting("sequence < (select last_sequence - 500 from streamers where id = streamer_id)"),
    killedBy: [["donations/import-donations", /of 1000 donations is recorded/]],
  },
  "replays-counted": {
    broken: "a replay counts again in reports and widgets, and plays nothing",
    edit: {
      file: "src/donations/handlers.ts",
      from: "if (created) return { status: 201, headers: { Location: location }, body: answer };",
      to: "if (created) return { status: 201, headers: { Location: location }, body: answer };\n    await writer.record({ ...requested, id: crypto.randomUUID(), idempotencyKey: null, skipAlert: true });",
    },
    killedBy: [["overlay/stream-widgets", /repeated under its idempotencyKey counts once/]],
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
  "followers-created": {
    broken: "a repeated idempotency key is answered 201 while the first donation is being recorded",
    edit: inAttempt("if (stored.id === donation.id) resolve(", "if (stored.id === group[0].donation.id) resolve("),
    killedBy: [["donations/idempotency", /two equal concurrent donations/]],
  },
  "followers-unchecked": {
    broken: "a donation is not compared with the first one of its idempotency key while that is being recorded",
    edit: inAttempt("else if (isSameDonation(donation, stored))", "else if (group.length > 1 || isSameDonation(donation, stored))"),
    killedBy: [["donations/idempotency", /two different concurrent donations/]],
  },
  "in-flight-twice": {
    broken: "two donations sent at once under one idempotency key are both recorded",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "`${streamerId}/${applicationId}/${idempotencyKey}`;",
      to: "`${streamerId}/${applicationId}/${idempotencyKey}`;\n    if (groups.has(name)) (entry.donation as { idempotencyKey: string | null }).idempotencyKey = null;\n    if (groups.has(name)) groups.set(id, [entry]);\n    if (groups.has(id)) continue;",
    },
    killedBy: [["donations/idempotency", /100 concurrent donations/]],
  },
  "comparison-without-skip-alert": {
    broken: "skipAlert is not compared when an idempotency key is repeated",
    edit: {
      file: "src/donations/columns.ts",
      from: 'type: "boolean", compared: true',
      to: 'type: "boolean", compared: "no"',
    },
    killedBy: [["donations/idempotency-comparison", /another skipAlert is refused with 422/]],
  },
  "comparison-without-time": {
    broken: "createdAt is not compared when an idempotency key is repeated",
    edit: inDonation("return sameTime && left.every(", "return left.every("),
    killedBy: [["donations/idempotency-comparison", /another createdAt is refused with 422/]],
  },
  "comparison-of-offsets": {
    broken: "a repeated idempotency key whose createdAt is the same instant with another offset is refused",
    edit: inDonation(
      ": asked.createdAt === stored.createdAt;",
      ": asked.createdAt === stored.createdAt && asked.createdOffset === stored.createdOffset;",
    ),
    killedBy: [["donations/idempotency-comparison", /are the same/]],
  },
};
