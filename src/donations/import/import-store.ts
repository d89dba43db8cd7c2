// The imports of a streamer: which donations each recorded.

import type { Knex } from "knex";
import type { Counts } from "./files/import-file.ts";

/** `donations`: how many it recorded. Times in milliseconds since 1970. */
export type ImportSummary = Readonly<{ id: string; name: string | null; startedAt: number; undoneAt: number | null; donations: number }>;

/** How far the import of a file is. `failure`: why it stopped; what was recorded before stays. */
export type ImportProgress = Readonly<{
  state: "running" | "done" | "stopped";
  counts: Counts;
  /** The first rows at fault. */
  faults: readonly RowFault[];
  failure: string | null;
}>;

/** `place`: of the row in its file, such as `row 7`. */
export type RowFault = Readonly<{ place: string; fault: string }>;

/** A range of a streamer's sequences, both ends included. */
export type SequenceRange = Readonly<{ first: number; last: number }>;

export type ImportStore = {
  /** Notes that the import has begun. An import that goes on keeps its name. False: it was undone, and nothing is added to it. */
  start: (streamerId: string, importId: string, name?: string) => Promise<boolean>;
  /** The latest imports that recorded anything, newest first. */
  list: (streamerId: string, limit: number) => Promise<ImportSummary[]>;
  /** Null when the streamer has no such import. */
  find: (streamerId: string, importId: string) => Promise<ImportSummary | null>;
  noteProgress: (streamerId: string, importId: string, progress: ImportProgress) => Promise<void>;
  /** Null when there is no such import of a file. One that stood still for a minute is `stopped`: its process has ended. */
  findProgress: (streamerId: string, importId: string) => Promise<ImportProgress | null>;
  /** The sequences of its donations above `after`, in their order. */
  ranges: (streamerId: string, importId: string, after: number) => Promise<SequenceRange[]>;
  /** Those of these ids that the streamer has donations with. */
  findKnown: (streamerId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Those of these idempotency keys that the application has used for the streamer, also for donations that were erased since. */
  findUsedKeys: (streamerId: string, applicationId: string, keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Waits for the chunk that is being recorded. No later one is. */
  markUndone: (streamerId: string, importId: string) => Promise<void>;
};

const summary = `select i.id, i.name, to_millis(i.started_at) as "startedAt", to_millis(i.undone_at) as "undoneAt",
    coalesce((select sum(b.donations) from import_batches b where b.streamer_id = i.streamer_id and b.import_id = i.id), 0)::int as donations
  from imports i`;

export function importStore(knex: Knex): ImportStore {
  return {
    start: async (streamerId, importId, name) => {
      const { rows } = await knex.raw<{ rows: unknown[] }>(
        `with begun as (insert into imports (streamer_id, id, name) values (:streamerId, :importId, :name) on conflict do nothing)
         select from imports where streamer_id = :streamerId and id = :importId and undone_at is not null`,
        { streamerId, importId, name: name ?? null } as never,
      );
      return rows.length === 0;
    },
    list: async (streamerId, limit) => {
      const { rows } = await knex.raw<{ rows: ImportSummary[] }>(
        `${summary} where i.streamer_id = ? and exists (select from import_batches b where b.streamer_id = i.streamer_id and b.import_id = i.id)
         order by i.started_at desc limit ?`,
        [streamerId, limit],
      );
      return rows;
    },
    find: async (streamerId, importId) => {
      const { rows } = await knex.raw<{ rows: ImportSummary[] }>(`${summary} where i.streamer_id = ? and i.id = ?`, [streamerId, importId]);
      return rows[0] ?? null;
    },
    noteProgress: async (streamerId, importId, progress) => {
      await knex.raw("update imports set progress = ?::jsonb, progressed_at = now() where streamer_id = ? and id = ?", [
        JSON.stringify(progress),
        streamerId,
        importId,
      ]);
    },
    findProgress: async (streamerId, importId) => {
      const { rows } = await knex.raw<{ rows: { progress: ImportProgress | null; isOld: boolean }[] }>(
        `select progress, progressed_at < now() - interval '1 minute' as "isOld" from imports where streamer_id = ? and id = ?`,
        [streamerId, importId],
      );
      const { progress = null, isOld = false } = rows[0] ?? {};
      return progress?.state === "running" && isOld ? { ...progress, state: "stopped" } : progress;
    },
    ranges: async (streamerId, importId, after) => {
      const { rows } = await knex.raw<{ rows: SequenceRange[] }>(
        `select first_sequence as first, last_sequence as last from import_batches
         where streamer_id = ? and import_id = ? and first_sequence > ? order by first_sequence`,
        [streamerId, importId, after],
      );
      return rows;
    },
    findKnown: async (streamerId, ids) => {
      if (ids.length === 0) return new Set();
      const { rows } = await knex.raw<{ rows: { id: string }[] }>(
        "select id from donations where streamer_id = ? and id = any(?::uuid[])",
        [streamerId, ids] as never,
      );
      return new Set(rows.map(({ id }) => id));
    },
    findUsedKeys: async (streamerId, applicationId, keys) => {
      const { rows } = await knex.raw<{ rows: { key: string }[] }>(
        `select key from unnest(?::text[]) as key where exists (
           select from donations where streamer_id = ? and application_id = ? and idempotency_key = key
         ) or exists (
           select from donations where streamer_id = ? and application_id = ? and erased_key = hash_of_key(?, key)
         )`,
        [keys, streamerId, applicationId, streamerId, applicationId, applicationId] as never,
      );
      return new Set(rows.map(({ key }) => key));
    },
    markUndone: async (streamerId, importId) => {
      await knex.raw("update imports set undone_at = now() where streamer_id = ? and id = ?", [streamerId, importId]);
    },
  };
}
