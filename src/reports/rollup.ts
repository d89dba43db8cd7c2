// Folds donations into the roll-ups, a batch per transaction.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";

/** `done`: nothing is left to fold, or another process is folding this streamer. */
export type Folded = Readonly<{ donations: number; done: boolean }>;

const foldSql = readFileSync(new URL("fold.sql", import.meta.url), "utf8");
const maxBatch = 10_000;

// Whatever the statistics say of a streamer, a batch is joined by hashing and the roll-ups are walked by index (where the
// statement asks for a loop it still gets one); and compiling the statement would take longer than it runs.
const settings = `set local enable_nestloop = off; set local enable_seqscan = off; set local jit = off; set local work_mem = '32MB'`;

const rollUps = ["report_sums", "report_donator_sums", "report_donator_counts", "report_classes", "report_amounts", "report_donators"];

/** Folds the streamer's next donations, in the order of their sequence. Safe in any number of processes at once. */
export function foldNext(knex: Knex, streamerId: string, limit = maxBatch): Promise<Folded> {
  return knex.transaction(async (transaction) => {
    await transaction.raw(settings);
    const progress = await lockProgress(transaction, streamerId);
    if (!progress) return { donations: 0, done: true };
    // A statement of its own: its snapshot is taken with the lock held.
    const { rows } = await native<{ donations: number }>(transaction, foldSql, [
      streamerId,
      progress.rolled_sequence,
      limit,
      progress.donators,
    ]);
    const donations = rows[0]?.donations ?? 0;
    return { donations, done: donations < limit };
  });
}

/** Empties the streamer's roll-ups and fills them again. Reports stay exact meanwhile, only slower. */
export async function rebuildReports(knex: Knex, streamerId: string): Promise<{ donations: number }> {
  await knex.transaction(async (transaction) => {
    await transaction.raw("set local statement_timeout = 0");
    await transaction.raw("insert into report_progress (streamer_id) values (?) on conflict do nothing", [streamerId]);
    await transaction.raw("select from report_progress where streamer_id = ? for update", [streamerId]);
    for (const table of rollUps) await transaction(table).where("streamer_id", streamerId).delete();
    await transaction("report_progress").where("streamer_id", streamerId).update({ rolled_sequence: 0, donators: 0 });
  });
  return foldAll(knex, streamerId);
}

/** Folds until nothing is left. */
export async function foldAll(knex: Knex, streamerId: string): Promise<{ donations: number }> {
  let donations = 0;
  for (let done = false; !done; ) {
    const folded = await foldNext(knex, streamerId);
    donations += folded.donations;
    done = folded.done;
  }
  return { donations };
}

/** Streamers with donations that are not folded yet. */
export async function findBehind(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select s.id from streamers s left join report_progress p on p.streamer_id = s.id
     where s.last_sequence > coalesce(p.rolled_sequence, 0) limit 1000`,
  );
  return rows.map(({ id }) => id);
}

type Progress = { rolled_sequence: number; donators: number };

/** Null: another process has it. */
async function lockProgress(transaction: Knex.Transaction, streamerId: string): Promise<Progress | null> {
  const select = "select rolled_sequence, donators from report_progress where streamer_id = ? for update skip locked";
  const locked = await transaction.raw<{ rows: Progress[] }>(select, [streamerId]);
  if (locked.rows[0]) return locked.rows[0];
  await transaction.raw("insert into report_progress (streamer_id) values (?) on conflict do nothing", [streamerId]);
  return (await transaction.raw<{ rows: Progress[] }>(select, [streamerId])).rows[0] ?? null;
}

/** Past Knex: its placeholders are question marks. */
export function native<Row>(transaction: Knex.Transaction, text: string, values: readonly unknown[]): Promise<{ rows: Row[] }> {
  return transaction.client
    .acquireConnection()
    .then((connection: { query: (text: string, values: readonly unknown[]) => unknown }) => connection.query(text, values));
}
