import { answering, creates, keeping, keyOf, without } from "../meddlers.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inDonation = (from: string, to: string): Edit => ({ file: "src/donations/donation.ts", from, to });
const inAttempt = (from: string, to: string): Edit => ({ file: "src/donations/attempt.ts", from, to });

export const idempotency: Mutants = {
  "key-ignored": {
    broken: "the same key records again",
    edit: inDonation("idempotencyKey: input.idempotencyKey ?? null", "idempotencyKey: null"),
    killedBy: [["donations/idempotency", /same key and donation again/]],
  },
  "key-folded": {
    broken: "keys that differ in case are one",
    edit: inDonation("idempotencyKey: input.idempotencyKey ?? null", "idempotencyKey: input.idempotencyKey?.toLowerCase() ?? null"),
    killedBy: [["donations/idempotency", /compared exactly/]],
  },
  "key-of-everybody": {
    broken: "a gateway replays by the key alone, whoever sends it",
    meddler: keeping(keyOf),
    killedBy: [
      ["donations/idempotency", /belongs to its application: another one/],
      ["donations/idempotency", /belongs to its streamer/],
    ],
  },
  "key-burnt": {
    broken: "a gateway remembers refusals, too",
    meddler: keeping((asked) => keyOf(asked) && `${asked.headers.authorization} ${keyOf(asked)}`),
    killedBy: [["donations/idempotency", /a refused request burns no key/]],
  },
  "key-shown": {
    broken: "applications see each other's keys",
    edit: inDonation("donation.applicationId === readerApplicationId ? donation.idempotencyKey : null", "donation.idempotencyKey"),
    killedBy: [["reports/get-donation-stats", /null for an idempotency key that is not its own/]],
  },
  "replay-unmarked": {
    broken: "a replay does not say that it is one",
    meddler: without("idempotent-replayed"),
    killedBy: [["donations/idempotency", /same key and donation again/]],
  },
  "replay-created": {
    broken: "a replay is answered as if it were new",
    meddler: answering((answer, asked) => (creates(asked) && answer.status === 200 ? { ...answer, status: 201 } : answer)),
    killedBy: [["donations/idempotency", /same key and donation again/]],
  },
  "followers-created": {
    broken: "who comes in while the first is being recorded is told that it was recorded anew",
    edit: inAttempt("if (stored.id === donation.id) resolve(", "if (stored.id === group[0].donation.id) resolve("),
    killedBy: [["donations/idempotency", /of two equal donations at once/]],
  },
  "followers-unchecked": {
    broken: "who comes in while the first is being recorded is not compared with it",
    edit: inAttempt("else if (isSameDonation(donation, stored))", "else if (group.length > 1 || isSameDonation(donation, stored))"),
    killedBy: [["donations/idempotency", /of two donations at once/]],
  },
  "in-flight-twice": {
    broken: "two that are recorded at once under one key are both recorded",
    edit: {
      file: "src/donations/attempt.ts",
      from: "`${streamerId}/${applicationId}/${idempotencyKey}`;",
      to: "`${streamerId}/${applicationId}/${idempotencyKey}`;\n    if (groups.has(name)) (entry.donation as { idempotencyKey: string | null }).idempotencyKey = null;\n    if (groups.has(name)) groups.set(id, [entry]);\n    if (groups.has(id)) continue;",
    },
    killedBy: [["donations/idempotency", /of 100 at once/]],
  },
  "comparison-without-skip-alert": {
    broken: "skipAlert is not compared",
    edit: {
      file: "src/donations/columns.ts",
      from: 'type: "boolean", written: "bare", compared: true',
      to: 'type: "boolean", written: "bare", compared: "no"',
    },
    killedBy: [["donations/idempotency-comparison", /another skipAlert is 422/]],
  },
  "comparison-without-time": {
    broken: "createdAt is not compared",
    edit: inDonation("return sameTime && compared.every(", "return compared.every("),
    killedBy: [["donations/idempotency-comparison", /another createdAt is 422/]],
  },
  "comparison-of-offsets": {
    broken: "one instant written with two offsets is two",
    edit: inDonation(
      ": asked.createdAt === stored.createdAt;",
      ": asked.createdAt === stored.createdAt && asked.createdOffset === stored.createdOffset;",
    ),
    killedBy: [["donations/idempotency-comparison", /are the same/]],
  },
};
