// The operation eraseDonator, and erasures that go on when whoever started them no longer waits.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { resultWithin } from "../base/async.ts";
import { donatorKey } from "../donations/donation.ts";
import type { Handler, Schemas } from "../http/operations.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { nothing } from "./erase-rows.ts";
import type { Eraser } from "./eraser.ts";

export const eraseDonator =
  ({ eraser }: { eraser: Eraser }): Handler<"eraseDonator"> =>
  async ({ body }, { streamerId }) => {
    const keys = donatorKeysOf(body);
    const { dryRun = false } = body;
    const erased = dryRun
      ? { ...nothing, donations: (await eraser.count(streamerId, keys)).donations }
      : await eraser.erase(streamerId, keys);
    return { status: 200, body: { data: { dryRun, ...erased } } };
  };

/** The keys of the donators that are named; none when nobody is: then nothing is erased. */
export function donatorKeysOf({ identifier, donatorName }: Schemas["DonatorErasure"]): string[] {
  return [
    ...(identifier === undefined ? [] : [donatorKey("", identifier)]),
    ...(donatorName === undefined ? [] : [donatorKey(donatorName, null)]),
  ];
}

/** An erasure of one donator. Times in milliseconds since 1970; `finishedAt` is null while it goes on. `donations`: erased so far. */
export type StartedErasure = Readonly<{ id: string; beganAt: number; finishedAt: number | null; donations: number }>;

type StartedErasures = Readonly<{
  /**
   * Erases a donator, once for an id. Resolves when that is finished, or after some seconds while it goes on. Throws unavailable when the
   * streamer's donations stay locked: what is left is then erased from the journal.
   */
  start: (streamerId: string, donatorKey: string, id: string) => Promise<void>;
  find: (streamerId: string, id: string) => Promise<StartedErasure | null>;
  /** The latest, newest first. */
  list: (streamerId: string, limit: number) => Promise<StartedErasure[]>;
  /** Resolves when the erasures under way have ended, or after some seconds: the journal continues them. */
  stop: () => Promise<void>;
}>;

/** Longer than an erasure waits for a lock, so that whoever started it is told. */
const usualPatienceMs = 6_000;
/** A shutdown does not wait for the minutes that a long erasure takes. */
const usualStopMs = 5_000;

const columns = `id, donations, to_millis(began_at) as "beganAt", to_millis(finished_at) as "finishedAt"`;

/** `patienceMs`: how long a caller waits for an erasure. `stopMs`: how long `stop` waits for all. */
type ErasurePatience = { patienceMs?: number; stopMs?: number };

export function openStartedErasures(
  { knex, eraseOnce }: { knex: Knex; eraseOnce: Eraser["eraseOnce"] },
  log: Logger,
  { patienceMs = usualPatienceMs, stopMs = usualStopMs }: ErasurePatience = {},
): StartedErasures {
  const jobs = new Set<Promise<void>>();
  return {
    start: async (streamerId, donatorKey, id) => {
      const erasing = eraseOnce(id, streamerId, donatorKey);
      const job = erasing
        .then(
          () => {},
          (error) =>
            log.warn({ error: describeFailure(error), id }, "can't finish an erasure; one that has begun is continued from the journal"),
        )
        .finally(() => jobs.delete(job));
      jobs.add(job);
      await resultWithin(patienceMs, erasing);
    },
    find: async (streamerId, id) => {
      const { rows } = await knex.raw<{ rows: StartedErasure[] }>(`select ${columns} from erasures where streamer_id = ? and id = ?`, [
        streamerId,
        id,
      ]);
      return rows[0] ?? null;
    },
    list: async (streamerId, limit) => {
      const { rows } = await knex.raw<{ rows: StartedErasure[] }>(
        `select ${columns} from erasures where streamer_id = ? order by began_at desc limit ?`,
        [streamerId, limit],
      );
      return rows;
    },
    stop: async () => void (await resultWithin(stopMs, Promise.all(jobs))),
  };
}
