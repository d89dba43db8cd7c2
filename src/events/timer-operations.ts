// The operations of the timer.

import type { Knex } from "knex";
import { commands, endsAt, type Timer } from "../alerts/timer/timer.ts";
import { readTimer, timerTimes } from "../alerts/timer/timer-log.ts";
import { formatInstant } from "../base/instant.ts";
import type { Handlers, Schemas } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import { type Command, changeTimer, openTimer, settleTimer } from "./timers.ts";

/** Within the time that a caller waits. */
const lockTimeoutMs = 4_000;

type Change = Parameters<typeof changeTimer>[2];

/** `announce`: called with the streamer after a commit. Must not throw. */
export function timerOperations(knex: Knex, announce: (streamerId: string) => void) {
  const transact = async <Result>(streamerId: string, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> => {
    const result = await knex.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      await openTimer(trx, streamerId);
      return work(trx);
    });
    announce(streamerId);
    return result;
  };
  const change = async (streamerId: string, request: Change, conflict: string) => {
    const timer = await transact(streamerId, (trx) => changeTimer(trx, streamerId, request));
    return timer ? answer(timer) : refusal("timer_state_conflict", conflict);
  };
  return {
    getTimer: async (_request, { streamerId }) => answerReading(await readSettled(knex, streamerId)),
    startTimer: ({ body: { seconds, rules } }, { streamerId }) => {
      const command: Command = (timer) => commands.start(timer, seconds, rules);
      return change(streamerId, { cause: "start", command, details: { seconds } }, "The timer runs already. End it first.");
    },
    pauseTimer: (_request, { streamerId }) => change(streamerId, { cause: "pause", command: commands.pause }, notOpen),
    resumeTimer: (_request, { streamerId }) => change(streamerId, { cause: "resume", command: commands.resume }, notOpen),
    endTimer: (_request, { streamerId }) => change(streamerId, { cause: "end", command: commands.end }, "The timer was never started."),
    updateTimerRules: async ({ body }, { streamerId }) => {
      const request: Change = { cause: "rules", command: (timer) => commands.rules(timer, body) };
      return answer((await transact(streamerId, (trx) => changeTimer(trx, streamerId, request))) as Timer);
    },
    adjustTimer: async ({ body: { seconds, idempotencyKey } }, { streamerId, applicationId }) => {
      const request: Change = { cause: "adjustment", command: (timer) => commands.adjust(timer, seconds), details: { seconds } };
      return transact(streamerId, async (trx) => {
        const key = idempotencyKey === undefined ? null : { streamerId, applicationId, idempotencyKey };
        const known = key && (await findAdjustment(trx, key));
        if (known !== null && known !== seconds)
          return refusal("idempotency_key_reused", "This idempotencyKey belongs to an adjustment by other seconds.");
        if (known !== null)
          return { ...answerReading(await readTimer(trx, streamerId)), headers: { "Idempotent-Replayed": "true" as const } };
        const timer = await changeTimer(trx, streamerId, request);
        if (!timer) return refusal("timer_state_conflict", notOpen);
        if (key) await noteAdjustment(trx, key, seconds);
        return { ...answer(timer), headers: {} };
      });
    },
  } satisfies Partial<Handlers>;
}

const notOpen = "The timer does not run.";

/** The timer with everything of the log. What ran out is recorded as ended first, so that no later answer takes it back. */
async function readSettled(knex: Knex, streamerId: string) {
  const reading = await readTimer(knex, streamerId);
  const isDue = (endsAt(reading.timer) ?? Number.POSITIVE_INFINITY) <= reading.now;
  if (!isDue && !reading.hasMore) return reading;
  await settleTimer(knex, streamerId);
  return readTimer(knex, streamerId);
}

function answer(timer: Timer) {
  return answerReading({ timer, now: timer.at });
}

function answerReading({ timer, now }: { timer: Timer; now: number }) {
  const data: Schemas["Timer"] = { ...timerTimes(timer, now), rules: timer.rules, asOf: formatInstant(now) };
  return { status: 200, body: { data } } as const;
}

type AdjustmentKey = Readonly<{ streamerId: string; applicationId: string; idempotencyKey: string }>;

/** The seconds of the adjustment that was made with this key; null: none was. */
async function findAdjustment(trx: Knex, key: AdjustmentKey): Promise<number | null> {
  const row = await trx("timer_adjustments").where(columnsOf(key)).first("seconds");
  return row?.seconds ?? null;
}

async function noteAdjustment(trx: Knex, key: AdjustmentKey, seconds: number): Promise<void> {
  await trx("timer_adjustments").insert({ ...columnsOf(key), seconds });
}

function columnsOf({ streamerId, applicationId, idempotencyKey }: AdjustmentKey) {
  return { streamer_id: streamerId, application_id: applicationId, idempotency_key: idempotencyKey };
}
