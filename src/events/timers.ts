// Keeps the timers that donations prolong: counts what the streamers' logs have for them, changes them as streamers ask, and records timer.started,
// timer.changed and timer.ended. The statement that records a donation does nothing for timers, and a streamer without one costs nothing.

import type { Knex } from "knex";
import { advance, commands, endsAt, isOpen, type Timer } from "../alerts/timer/timer.ts";
import { lockTimer, readTimer, storeTimer, type TimerReading, timerTimes } from "../alerts/timer/timer-log.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { forEachInTurn } from "../base/async.ts";
import { formatInstant } from "../base/instant.ts";
import type { Handlers, Schemas } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import type { EventType } from "./event.ts";
import { lockStreamer, recordEvents } from "./log.ts";

type Cause = Schemas["TimerCause"];

/** Timers that one run counts. */
const batchSize = 100;

/** Counts the timers for which a log has news, and those that ran out. Resolves to the streamers whose timers changed, and whether there may be more. */
export async function settleTimers(knex: Knex): Promise<{ changed: string[]; hasMore: boolean }> {
  const { rows } = await knex.raw<{ rows: { streamer_id: string }[] }>(
    `select t.streamer_id from timers t join streamers s on s.id = t.streamer_id
     where t.status in ('running', 'paused') and (s.last_sequence > t.counted_sequence or t.ends_at <= clock_timestamp()) limit ${batchSize}`,
  );
  const changed: string[] = [];
  await forEachInTurn(rows, async ({ streamer_id: streamerId }) => {
    if (await settleTimer(knex, streamerId, true)) changed.push(streamerId);
  });
  return { changed, hasMore: rows.length === batchSize };
}

/** Counts a timer up to the end of the log. `skipLocked`: leaves it to the process that does so already. Resolves to true when it has changed. */
export function settleTimer(knex: Knex, streamerId: string, skipLocked = false): Promise<boolean> {
  return knex.transaction(async (trx) => {
    if (!(await lockTimer(trx, streamerId, skipLocked))) return false;
    const { before, timer, now } = await countAll(trx, streamerId);
    const isDue = (endsAt(timer) ?? Number.POSITIVE_INFINITY) <= now;
    if (!isDue && timer.status === before.status && timer.totalMs === before.totalMs) return false;
    const settled = await countUnderLock(trx, streamerId, before);
    await store(trx, streamerId, settled);
    return settled.events.length > 0;
  });
}

/** What a streamer asks for: the timer after it, the same one when it has no effect, or null when the state does not allow it. */
export type Command = (timer: Timer) => Timer | null;

/** `cause`: of the command. `entry`: what the audit log is told. */
type Change = Readonly<{ cause: Exclude<Cause, "donations" | "time">; command: Command; details?: Readonly<Record<string, number>> }>;

const actions = {
  start: "timer.started",
  pause: "timer.paused",
  resume: "timer.resumed",
  adjustment: "timer.adjusted",
  rules: "timer_rules.changed",
  end: "timer.ended",
} as const;

/** Changes a timer at its place in the streamer's log, in a transaction that holds its lock. Resolves to the timer, or null when its state does not allow it. */
export async function changeTimer(trx: Knex.Transaction, streamerId: string, { cause, command, details }: Change): Promise<Timer | null> {
  const { before, timer: counted } = await countAll(trx, streamerId);
  if (!isOpen(counted)) await forgetDonations(trx, streamerId); // before the lock that donations wait for
  const settled = await countUnderLock(trx, streamerId, before);
  const timer = command(settled.timer);
  const isChanged = timer !== null && timer !== settled.timer;
  if (isChanged) settled.events.push(eventOf(settled.timer, timer, cause));
  if (isChanged && cause === "start") await forgetDonations(trx, streamerId);
  await store(trx, streamerId, { ...settled, timer: timer ?? settled.timer });
  if (isChanged) await recordAudit(trx, { streamerId, action: actions[cause], details: details ?? {} });
  return timer;
}

/** Makes the streamer's row of `timers` where it is missing, and locks it. */
export async function openTimer(trx: Knex, streamerId: string): Promise<void> {
  if (await lockTimer(trx, streamerId)) return;
  await trx.raw(
    `insert into timers (streamer_id, status, counted_at, left_ms, total_ms, rules, counted_sequence)
     values (?, 'off', timestamptz 'epoch', 0, 0, '{}', 0) on conflict do nothing`,
    [streamerId],
  );
  await lockTimer(trx, streamerId);
}

/** Counts and stores page by page. `before`: the timer before the first. */
async function countAll(trx: Knex, streamerId: string): Promise<TimerReading> {
  const first = await readTimer(trx, streamerId);
  await storeTimer(trx, streamerId, first);
  let last = first;
  while (last.hasMore) {
    last = await readTimer(trx, streamerId);
    await storeTimer(trx, streamerId, last);
  }
  return { ...last, before: first.before };
}

type TimerEvent = Readonly<{ type: EventType; at: number; details: object }>;
type Settled = { timer: Timer; sequence: number; events: TimerEvent[] };

/**
 * Counts what was recorded meanwhile, and lets the time pass, under the lock of the streamer's counter: no donation that was received before the
 * end can still be on its way. `before`: the timer of which subscribers know.
 */
async function countUnderLock(trx: Knex.Transaction, streamerId: string, before: Timer): Promise<Settled> {
  const now = await lockStreamer(trx, streamerId);
  const { timer: counted, sequence } = await countAll(trx, streamerId);
  const timer = advance(counted, now);
  const isChanged = timer.status !== before.status || timer.totalMs !== before.totalMs;
  return { timer, sequence, events: isChanged ? [eventOf(before, timer, timer.ranOut ? "time" : "donations")] : [] };
}

/** Stores the timer and records its events, which count already: the lock keeps their numbers together. */
async function store(trx: Knex.Transaction, streamerId: string, { timer, sequence, events }: Settled): Promise<void> {
  for (const { type, at, details } of events) await recordEvents(trx, { streamerId, type }, [{ donationId: null, at, details }]);
  await storeTimer(trx, streamerId, { timer, sequence: sequence + events.length, added: new Map() });
}

function eventOf(before: Timer, timer: Timer, cause: Cause): TimerEvent {
  const changedMs = cause === "start" ? timer.totalMs : timer.totalMs - before.totalMs;
  const hasEnded = timer.status === "ended" && before.status !== "ended";
  const type = hasEnded ? "timer.ended" : cause === "start" ? "timer.started" : "timer.changed";
  return { type, at: (hasEnded ? timer.endedAt : null) ?? timer.at, details: { ...timerTimes(timer, timer.at), cause, changedMs } };
}

async function forgetDonations(trx: Knex, streamerId: string): Promise<void> {
  await trx("timer_donations").where("streamer_id", streamerId).delete();
}

// The operations of the timer.

/** Within the time that a caller waits. */
const lockTimeoutMs = 4_000;

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
