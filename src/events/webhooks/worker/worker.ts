// Sends the events of the endpoints that this process has. Each endpoint has two loops: one follows the log in order, the other repeats
// what failed, beside it.

import pLimit, { type LimitFunction } from "p-limit";
import type { Logger } from "pino";
import { resultWithin } from "../../../base/async.ts";
import { describeFailure } from "../../../telemetry/describe-failure.ts";
import { startIntervalTask } from "../../../telemetry/interval-task.ts";
import { type EventLog, type LogPage, nameOf } from "../../log.ts";
import type { Connect, Connection } from "../request/send.ts";
import { type BatchDeps, type BatchRequest, type BatchResult, type LogReader, sendDue, sendNext } from "./batches.ts";
import type { Work } from "./worker-store.ts";

export type Worker = {
  /** Something happened to this streamer. */
  hint: (streamerId: string) => void;
  /** Takes free endpoints, and begins what is to be done. It runs each second by itself. */
  tick: () => Promise<void>;
  /** Resolves when nothing is under way. */
  idle: () => Promise<void>;
  /** Begins no further request, waits a moment for those under way, ends the others, and gives the endpoints to other processes. */
  stop: () => Promise<void>;
};

type Step = (deps: BatchDeps, request: BatchRequest) => Promise<BatchResult>;

/** A loop of an endpoint. `isAsked`: something came while it was running. */
type Loop = { readonly step: Step; running: Promise<void> | null; isAsked: boolean; isSlow: boolean };

/** An endpoint of this process that had something to do. `isDropped`: its loops end, and another one may have taken its place. */
type Runner = {
  readonly id: string;
  readonly streamerId: string;
  connection: (Connection & { url: string }) | null;
  next: Loop;
  due: Loop;
  isDropped: boolean;
};

type Lane = Readonly<{ streamerId: string; isSlow: boolean }>;

type BatchLimits = Readonly<{ run: <Result>(lane: Lane, task: () => Promise<Result>) => Promise<Result> }>;

type SharedLog = Readonly<{
  read: EventLog["read"];
  /** Something happened to this streamer: a reading under way may lack it, so whoever asks from now on reads anew. */
  forget: (streamerId: string) => void;
}>;

type State = BatchDeps & {
  readonly events: SharedLog;
  readonly connect: Connect;
  readonly log: Logger;
  readonly runners: Map<string, Runner>;
  readonly byStreamer: Map<string, Set<Runner>>;
  /** Dropped runners of which a loop still waits for a receiver. */
  readonly ending: Set<Runner>;
  readonly batchLimits: ReturnType<typeof openBatchLimits>;
  isStopping: boolean;
};

const tickMs = 1_000;
const stopMs = 3_000;

const limits = { quick: { inAll: 256, perStreamer: 64 }, slow: { inAll: 64, perStreamer: 16 } } as const;

export function startWorker(deps: BatchDeps, connect: Connect, log: Logger): Worker {
  const events = shareReadings(deps.events);
  const maps = { runners: new Map(), byStreamer: new Map(), ending: new Set<Runner>() };
  const state: State = { ...deps, connect, log, ...maps, events, batchLimits: openBatchLimits(), isStopping: false };
  const task = startIntervalTask({ pauseMs: tickMs, log, failureMessage: "can't look for webhooks to send" }, () => tick(state));
  return {
    hint: (streamerId) => {
      events.forget(streamerId);
      for (const runner of state.byStreamer.get(streamerId) ?? []) run(state, runner, runner.next);
    },
    tick: () => tick(state),
    idle: async () => {
      for (;;) {
        const running = loopsOf(state).flatMap(({ running }) => running ?? []);
        if (running.length === 0) return;
        await Promise.all(running);
      }
    },
    stop: async () => {
      state.isStopping = true;
      await task.stop();
      await resultWithin(stopMs, Promise.all(loopsOf(state).map(({ running }) => running)));
      for (const { connection } of runnersOf(state)) connection?.close();
      await Promise.all(loopsOf(state).map(({ running }) => running));
      await deps.store.leave().catch((error) => log.warn({ error: describeFailure(error) }, "webhooks could not be given back"));
    },
  };
}

const runnersOf = ({ runners, ending }: State): Runner[] => [...runners.values(), ...ending];
const loopsOf = (state: State): Loop[] => runnersOf(state).flatMap(({ next, due }) => [next, due]);
const isRunning = ({ next, due }: Runner): boolean => next.running !== null || due.running !== null;

async function tick(state: State): Promise<void> {
  if (state.isStopping) return;
  const surplus = await state.store.claim();
  for (const work of await state.store.work()) begin(state, work);
  if (surplus > 0) await giveBack(state, surplus);
}

function begin(state: State, { id, streamerId, isBehind, isDue }: Work): void {
  const runner = state.runners.get(id) ?? addRunner(state, id, streamerId);
  if (isBehind) run(state, runner, runner.next);
  if (isDue) run(state, runner, runner.due);
}

function addRunner(state: State, id: string, streamerId: string): Runner {
  const loop = (step: Step): Loop => ({ step, running: null, isAsked: false, isSlow: false });
  const runner: Runner = { id, streamerId, connection: null, next: loop(sendNext), due: loop(sendDue), isDropped: false };
  state.runners.set(id, runner);
  const others = state.byStreamer.get(streamerId) ?? new Set();
  state.byStreamer.set(streamerId, others.add(runner));
  return runner;
}

function dropRunner(state: State, runner: Runner): void {
  if (runner.isDropped) return;
  runner.isDropped = true;
  runner.connection?.close();
  if (isRunning(runner)) state.ending.add(runner);
  state.runners.delete(runner.id);
  const others = state.byStreamer.get(runner.streamerId);
  others?.delete(runner);
  if (others?.size === 0) state.byStreamer.delete(runner.streamerId);
}

/** Endpoints beyond the share of this process go to those that have fewer. Giving a busy one back would send its batch twice. */
async function giveBack(state: State, count: number): Promise<void> {
  const busy = runnersOf(state)
    .filter(isRunning)
    .map(({ id }) => id);
  for (const id of await state.store.release(count, busy)) {
    const runner = state.runners.get(id);
    if (runner) dropRunner(state, runner);
  }
}

/** Starts the loop; if it runs, it looks once more before it ends. */
function run(state: State, runner: Runner, loop: Loop): void {
  loop.isAsked = true;
  if (loop.running || state.isStopping) return;
  loop.running = follow(state, runner, loop)
    .catch((error) => state.log.warn({ endpointId: runner.id, error: describeFailure(error) }, "webhooks could not be sent"))
    .finally(() => {
      loop.running = null;
      if (!isRunning(runner)) state.ending.delete(runner);
    });
}

async function follow(state: State, runner: Runner, loop: Loop): Promise<void> {
  while (loop.isAsked && !state.isStopping && !runner.isDropped) {
    loop.isAsked = false;
    const result = await state.batchLimits.run({ streamerId: runner.streamerId, isSlow: loop.isSlow }, () =>
      sendBatch(state, runner, loop),
    );
    if (result === null || result.end === "lost") return dropRunner(state, runner);
    loop.isSlow = result.isSlow;
    if (result.hasMore) loop.isAsked = true;
  }
}

/** Null when the endpoint is not this process's any more, or gets nothing. */
async function sendBatch(state: State, runner: Runner, loop: Loop): Promise<BatchResult | null> {
  const held = await state.store.load(runner.id);
  if (!held) return null;
  if (!held.isConnected) {
    await state.store.disconnect(held.id);
    return null;
  }
  if (held.pausedUntil !== null && held.pausedUntil > state.now()) return { end: "empty", isSlow: loop.isSlow, hasMore: false };
  const connection = connectionOf(state, runner, held.url);
  return loop.step(state, { held, connection, isSlow: loop.isSlow, isStopping: () => state.isStopping });
}

function connectionOf(state: State, runner: Runner, url: string): Connection {
  if (runner.connection?.url !== url) {
    runner.connection?.close();
    runner.connection = { ...state.connect(url, runner.streamerId), url };
  }
  return runner.connection as Connection;
}

/**
 * Limits how many batches this process sends at the same time. Endpoints that fail or answer slowly have a limit of their own, and so have all
 * endpoints of one streamer, so that they delay no other.
 */
export function openBatchLimits(): BatchLimits {
  const [quick, slow] = [openLane(limits.quick), openLane(limits.slow)];
  return { run: ({ streamerId, isSlow }, task) => (isSlow ? slow : quick)(streamerId, task) };
}

function openLane({ inAll, perStreamer }: Readonly<{ inAll: number; perStreamer: number }>) {
  const all = pLimit(inAll);
  const streamers = new Map<string, LimitFunction>();
  return async <Result>(streamerId: string, task: () => Promise<Result>): Promise<Result> => {
    const own = streamers.get(streamerId) ?? pLimit(perStreamer);
    streamers.set(streamerId, own);
    try {
      return await own(() => all(task));
    } finally {
      if (own.activeCount + own.pendingCount === 0) streamers.delete(streamerId);
    }
  };
}

/** Reads a page of the log once for all endpoints of a streamer that ask for it at the same time, as they do after each hint. */
export function shareReadings(log: LogReader): SharedLog {
  const underWay = new Map<string, Map<string, Promise<LogPage>>>();
  return {
    read: (question) => {
      const { streamerId } = question;
      const key = nameOf(question);
      const readings = underWay.get(streamerId) ?? new Map<string, Promise<LogPage>>();
      const known = readings.get(key);
      if (known) return known;
      underWay.set(streamerId, readings);
      const end = () => {
        readings.delete(key);
        if (readings.size === 0 && underWay.get(streamerId) === readings) underWay.delete(streamerId);
      };
      const reading = log.read(question).finally(end);
      readings.set(key, reading);
      return reading;
    },
    forget: (streamerId) => void underWay.delete(streamerId),
  };
}
