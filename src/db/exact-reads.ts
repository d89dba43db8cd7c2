// Chooses the server of a read: the standby when it has replayed everything that was committed about the streamer, else the primary. So an
// answer of the standby is as exact as one of the primary, whichever process recorded a donation.

import type { Logger } from "pino";
import { asDatabaseError } from "../telemetry/describe-failure.ts";
import { type IntervalTask, startIntervalTask } from "../telemetry/interval-task.ts";
import { watchOutage } from "../telemetry/log.ts";
import type { BatchedReads } from "./batched-reads.ts";
import { type Counters, hasReplayed, readCounters, readStandbyCounters } from "./counters.ts";
import { isUnavailable } from "./failures.ts";

/**
 * Runs `read` with the reader of the chosen server, and a second time, with that of the primary, when the standby fails. Rejects with the
 * error of `read`.
 */
export type ExactReads<Reader> = <Result>(streamerId: string, read: (reader: Reader) => Promise<Result>) => Promise<Result>;

/** Where a read went: to the standby; or to the primary, because the standby was behind, failed, or had failed before. */
export type StandbyOutcome = "standby" | "behind" | "failed" | "away";

/** `reads` reads the streamer's counters on this server, `reader` is everything else that is read there. */
type ReadServer<Reader> = { reader: Reader; reads: BatchedReads };

type StandbyOptions<Reader> = {
  primary: ReadServer<Reader>;
  /** `check` rejects while the standby can't be used. */
  standby: ReadServer<Reader> & { check: () => Promise<void> };
  log: Logger;
  onRead: (outcome: StandbyOutcome) => void;
  /** Pause between two checks of a standby that is away. */
  checkPauseMs?: number;
};

/** Reads on the primary alone. */
export const onPrimary =
  <Reader>(reader: Reader): ExactReads<Reader> =>
  (_streamerId, read) =>
    read(reader);

/**
 * Reads on a standby or the primary. The standby counts as away until its first check. When it fails it is left out until a check finds it
 * again, so that no other reader waits for it in vain. `stop` ends the checks.
 */
export function readsWithStandby<Reader>(options: StandbyOptions<Reader>): { read: ExactReads<Reader> } & IntervalTask {
  const { primary, standby, log, onRead, checkPauseMs = 1_000 } = options;
  const outage = watchOutage(log, "the standby");
  let isAway = true;
  const leave = (error: unknown) => {
    isAway = true;
    outage.begins(error);
  };
  const comeBack = () => {
    isAway = false;
    outage.ends();
  };

  /** The order of both readings does not matter: the primary's is later than the question, and the standby only goes forward. */
  const outcomeOf = async (streamerId: string): Promise<StandbyOutcome> => {
    if (isAway) return "away";
    const onStandby = readStandbyCounters(standby.reads, streamerId).then(toResult, toFailure);
    const committed = await readCounters(primary.reads, streamerId);
    const replayed = await onStandby;
    if ("error" in replayed) {
      leave(replayed.error);
      return "failed";
    }
    return hasReplayed(replayed.counters, committed) ? "standby" : "behind";
  };

  const read: ExactReads<Reader> = async (streamerId, readFrom) => {
    const outcome = await outcomeOf(streamerId);
    if (outcome !== "standby") {
      onRead(outcome);
      return readFrom(primary.reader);
    }
    try {
      const result = await readFrom(standby.reader);
      onRead("standby");
      return result;
    } catch (error) {
      if (isUnavailable(error)) leave(error);
      else if (!isConflict(error)) throw error;
      onRead("failed");
      return readFrom(primary.reader);
    }
  };

  const checks = startIntervalTask({ pauseMs: checkPauseMs, log, failureMessage: "the check of the standby failed" }, async () => {
    if (isAway) await standby.check().then(comeBack, leave);
  });
  return { read, stop: checks.stop };
}

const toResult = (counters: Counters | undefined) => ({ counters });
const toFailure = (error: unknown) => ({ error });

/** Whether the standby ended a query because replaying had to go on (manual, 27.4.2). */
function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(asDatabaseError(error).code ?? "");
}
