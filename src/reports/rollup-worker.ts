// Keeps the roll-ups close behind the donations. A report is exact however far behind they are; it only costs more.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { findBehind, foldNext } from "./rollup.ts";

export type RollupWorker = {
  /** A donation of this streamer has just been recorded. */
  wake: (streamerId: string) => void;
  /** Resolves when the batch under way is done. */
  stop: () => Promise<void>;
};

const restMs = 500; // between two folds of a streamer, so that a busy one is folded in batches
const manyWaiting = 5_000; // donations for which nobody rests
const scanMs = 2_000;

/** Runs in every process; they share the streamers by locks. The scan finds what other programs recorded, and what was left behind. */
export function rollupWorker({ knex, log }: { knex: Knex; log: Logger }): RollupWorker {
  const waiting = new Map<string, number>();
  const urgent = new Set<string>();
  let stopped = false;
  let alarm = () => {};

  const wake = (streamerId: string) => {
    const count = (waiting.get(streamerId) ?? 0) + 1;
    waiting.set(streamerId, count);
    if (count < manyWaiting || urgent.has(streamerId)) return;
    urgent.add(streamerId);
    alarm();
  };

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      alarm = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const complain = (error: unknown) => log.error({ error: describeFailure(error) }, "donations could not be folded into the roll-ups");

  const fold = async (streamerId: string) => {
    waiting.delete(streamerId);
    urgent.delete(streamerId);
    try {
      if (!(await foldNext(knex, streamerId)).done) urgent.add(streamerId);
    } catch (error) {
      complain(error); // the scan finds the streamer again
    }
  };

  const scan = async () => {
    for (const streamerId of await findBehind(knex)) if (!waiting.has(streamerId)) waiting.set(streamerId, 0);
  };

  const run = async () => {
    let scanned = Number.NEGATIVE_INFINITY;
    let rested = Number.NEGATIVE_INFINITY;
    while (!stopped) {
      try {
        if (performance.now() - scanned >= scanMs) {
          scanned = performance.now();
          await scan();
        }
        const everyone = performance.now() - rested >= restMs;
        if (everyone) rested = performance.now();
        for (const streamerId of everyone ? new Set([...waiting.keys(), ...urgent]) : [...urgent]) if (!stopped) await fold(streamerId);
      } catch (error) {
        complain(error);
      }
      if (urgent.size === 0 && !stopped) await rest(restMs);
    }
  };

  const running = run();
  const stop = async () => {
    stopped = true;
    alarm();
    await running;
  };
  return { wake, stop };
}
