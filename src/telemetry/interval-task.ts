// A task that runs again and again with a pause in between, and does not end when one run fails.

import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { describeFailure } from "./describe-failure.ts";

export type IntervalTask = {
  /** Ends the pause and starts no further run. Resolves when the run under way has ended. */
  stop: () => Promise<void>;
};

type IntervalTaskOptions = {
  pauseMs: number;
  log: Logger;
  /** The log message when a run fails. */
  failureMessage: string;
};

/** Runs the task after each pause. A run that answers true (there is more to do) is followed by the next one without a pause. */
export function startIntervalTask({ pauseMs, log, failureMessage }: IntervalTaskOptions, task: () => Promise<unknown>): IntervalTask {
  const stopping = new AbortController();
  const pause = () => sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
  const runForever = async () => {
    let hasMore = false;
    while (!stopping.signal.aborted) {
      if (!hasMore) await pause();
      if (stopping.signal.aborted) return;
      hasMore = await task().then(
        (answer) => answer === true,
        (error) => {
          log.warn({ error: describeFailure(error) }, failureMessage);
          return false;
        },
      );
    }
  };
  const running = runForever();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

// How often a process looks for work that others have left. Such a scan reads all streamers, and each process does so.

export const minScanPauseMs = 2_000;
const maxScanPauseMs = 60_000;
/** A scan begins after so many times as long as the one before it took. */
const scanFactor = 50;

/** From the beginning of a scan to the next one. `isFull`: it found as many as it may, so it is repeated when these are done. */
export const scanPauseMs = (tookMs: number, isFull = false): number =>
  isFull ? minScanPauseMs : Math.min(maxScanPauseMs, Math.max(minScanPauseMs, scanFactor * tookMs));
