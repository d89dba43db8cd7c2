// The imports of a streamer: which donations each recorded.

import type { Knex } from "knex";
import { audited, recordAudit } from "../../audit/audit-log.ts";
import { storable } from "../../http/body/json.ts";
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

export type ImportStore = ReturnType<typeof importStore>;

// The streamer is a value for each table: Citus would ask every shard for a sub-select that compares columns.
const batches = "from import_batches b where b.streamer_id = :streamerId and b.import_id = i.id";
const summary = `select i.id, i.name, to_millis(i.started_at) as "startedAt", to_millis(i.undone_at) as "undoneAt",
    coalesce((select sum(b.donations) ${batches}), 0)::int as donations
  from imports i where i.streamer_id = :streamerId`;

/** Of `donations d`: an undo voided it and freed its key. Every imported donation has a key, or the hash of one if it was erased. */
const isTakenBack = `(d.voided_at is not null and d.idempotency_key is null and d.erased_key is null and exists (
  select from import_batches b where b.streamer_id = :streamerId and d.sequence between b.first_sequence and b.last_sequence))`;

export function importStore(knex: Knex) {
  return {
    /** Notes that the import has begun. An import that goes on keeps its name. False: it was undone, and nothing is added to it. */
    start: async (streamerId: string, importId: string, name?: string): Promise<boolean> => {
      const { rows } = await knex.raw<{ rows: { isUndone: boolean }[] }>(
        `select undone_at is not null as "isUndone" from imports where streamer_id = ? and id = ?`,
        [streamerId, importId],
      );
      if (rows[0]) return !rows[0].isUndone;
      return knex.transaction((trx) => begin(trx, { streamerId, importId, name }));
    },

    /** The latest imports that recorded anything, newest first. */
    list: async (streamerId: string, limit: number): Promise<ImportSummary[]> => {
      const { rows } = await knex.raw<{ rows: ImportSummary[] }>(
        `${summary} and exists (select ${batches}) order by i.started_at desc limit :limit`,
        { streamerId, limit },
      );
      return rows;
    },

    /** Null when the streamer has no such import. */
    find: async (streamerId: string, importId: string): Promise<ImportSummary | null> => {
      const { rows } = await knex.raw<{ rows: ImportSummary[] }>(`${summary} and i.id = :importId`, { streamerId, importId });
      return rows[0] ?? null;
    },

    noteProgress: async (streamerId: string, importId: string, progress: ImportProgress): Promise<void> => {
      await knex.raw("update imports set progress = ?::jsonb, progressed_at = now() where streamer_id = ? and id = ?", [
        JSON.stringify(progress, storableText),
        streamerId,
        importId,
      ]);
    },

    /** Null when there is no such import of a file. One that stood still for a minute is `stopped`: its process has ended. */
    findProgress: async (streamerId: string, importId: string): Promise<ImportProgress | null> => {
      const { rows } = await knex.raw<{ rows: { progress: ImportProgress | null; isOld: boolean }[] }>(
        `select progress, progressed_at < now() - interval '1 minute' as "isOld" from imports where streamer_id = ? and id = ?`,
        [streamerId, importId],
      );
      const { progress = null, isOld = false } = rows[0] ?? {};
      return progress?.state === "running" && isOld ? { ...progress, state: "stopped" } : progress;
    },

    /** The sequences of its donations above `after`, in their order. */
    ranges: async (streamerId: string, importId: string, after: number): Promise<SequenceRange[]> => {
      const { rows } = await knex.raw<{ rows: SequenceRange[] }>(
        `select first_sequence as first, last_sequence as last from import_batches
         where streamer_id = ? and import_id = ? and first_sequence > ? order by first_sequence`,
        [streamerId, importId, after],
      );
      return rows;
    },

    /** Those of these ids that the streamer has donations with, unless the undo of an import took them back. */
    findKnown: async (streamerId: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
      if (ids.length === 0) return new Set();
      const { rows } = await knex.raw<{ rows: { id: string }[] }>(
        `select d.id from donations d where d.streamer_id = :streamerId and d.id = any(:ids::uuid[]) and not ${isTakenBack}`,
        { streamerId, ids },
      );
      return new Set(rows.map(({ id }) => id));
    },

    /** Waits for the chunk that is being recorded. No later one is. An import that was undone stays as it is. */
    markUndone: (streamerId: string, importId: string): Promise<unknown> =>
      audited(
        knex,
        (trx) =>
          trx.raw<{ rowCount: number }>("update imports set undone_at = now() where streamer_id = ? and id = ? and undone_at is null", [
            streamerId,
            importId,
          ]),
        ({ rowCount }) => (rowCount > 0 ? { streamerId, action: "import.undone", target: importId } : null),
      ),
  };
}

type Beginning = { streamerId: string; importId: string; name: string | undefined };

/** False when another call with this id has begun, and undone, the import meanwhile. */
async function begin(trx: Knex, { streamerId, importId, name }: Beginning): Promise<boolean> {
  const begun = await trx("imports")
    .insert({ streamer_id: streamerId, id: importId, name: name ?? null })
    .onConflict()
    .ignore()
    .returning("id");
  if (begun.length > 0) await recordAudit(trx, { streamerId, action: "import.started", target: importId });
  const row = await trx("imports").where({ streamer_id: streamerId, id: importId }).first("undone_at");
  return row.undone_at === null;
}

/** A fault quotes the beginning of a cell, which may end within a character. */
function storableText(_: string, value: unknown): unknown {
  return typeof value === "string" ? storable(value) : value;
}

/** SQL: whether an import recorded the donation of this number. The streamer is a value, so that Citus asks one shard. */
export function isImported(streamer: string, sequence: string): string {
  return `coalesce((select b.last_sequence >= ${sequence} from import_batches b where b.streamer_id = ${streamer}
    and b.first_sequence <= ${sequence} order by b.first_sequence desc limit 1), false)`;
}
