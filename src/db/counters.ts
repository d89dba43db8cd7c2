// The counters of a streamer: what was committed about the streamer raises at least one of them.

import type { BatchedReads } from "./batched-reads.ts";

export type Counters = Readonly<{
  /** The last sequence: of donations, events and other changes. */
  recorded: number;
  /** When the last donation was recorded, in milliseconds since 1970. */
  receivedAt: number;
  /** The version of the alert queue; null before the first alert. */
  alerts: number | null;
}>;

const columns = `s.last_sequence as recorded, to_millis(s.last_received_at) as "receivedAt", o.version as alerts`;
const tables = "streamers s left join overlays o on o.streamer_id = s.id";

/** Reads the counters; undefined when there is no such streamer. Rejects with the error of the database. */
export async function readCounters(reads: BatchedReads, streamerId: string): Promise<Counters | undefined> {
  const [counters] = await reads<Counters>((bind) => `select ${columns} from ${tables} where s.id = ${bind(streamerId, "uuid")}`);
  return counters;
}

/**
 * The same on a standby. Rejects when the server is none any longer: one that was promoted, or a primary that was replaced, counts by
 * itself, so that its counters say nothing about what the primary has committed.
 */
export async function readStandbyCounters(reads: BatchedReads, streamerId: string): Promise<Counters | undefined> {
  const [found] = await reads<Counters & { inRecovery: boolean }>(
    (bind) => `select ${columns}, pg_is_in_recovery() as "inRecovery" from ${tables} where s.id = ${bind(streamerId, "uuid")}`,
  );
  if (found?.inRecovery === false) throw new Error(notInRecovery);
  return found;
}

export const notInRecovery = "READ_DATABASE_URL is not a standby: it is not in recovery, and accepts writes of its own";

/** Whether a server with the counters `replayed` has everything that was committed when the primary had the counters `committed`. */
export function hasReplayed(replayed: Counters | undefined, committed: Counters | undefined): boolean {
  if (!replayed || !committed) return false;
  return replayed.recorded >= committed.recorded && (replayed.alerts ?? 0) >= (committed.alerts ?? 0);
}
