// A streamer with donations, and the eraser as the program makes it, for tests.

import { join } from "node:path";
import type { Knex } from "knex";
import { newId } from "../db/ids.ts";
import { makeSealer } from "../db/secrets.ts";
import { silent, temporaryDirectory, useDatabase } from "../db/testing.ts";
import type { NewDonation } from "../donations/donation.ts";
import { makeWriter, type Writer } from "../donations/record/writer.ts";
import { newStreamer, someDonation } from "../donations/testing.ts";
import { openErasures } from "./open-erasures.ts";

/** For one test file: a database of its own, with the fixture in it. `pool`: the writer's. */
export function useErasureFixture(setUp: (opened: { knex: Knex; pool: Knex; fixture: ErasureFixture }) => void): void {
  useDatabase(async ({ knex, pool: poolOf }) => {
    const pool = poolOf({ max: 4, lockTimeoutMs: 250 });
    setUp({ knex, pool, fixture: await openErasureFixture(knex, { pool }) });
  });
}

export type ErasureFixture = Awaited<ReturnType<typeof openErasureFixture>>;

/** `pool` is the writer's. The journal lies in a directory of its own unless one is given. */
export async function openErasureFixture(knex: Knex, { pool = knex, journal }: { pool?: Knex; journal?: string } = {}) {
  const erasureJournal = journal ?? join(await temporaryDirectory(), "erasures.ndjson");
  const writer: Writer = makeWriter({ pool, log: silent });
  const erasures = await openErasures({ knex, erasureJournal, sealer: makeSealer(null) });
  const donate = async (streamerId: string, members: Partial<NewDonation> = {}) =>
    (await writer.record(someDonation(streamerId, { id: newId(), ...members }))).donation;
  return { ...erasures, writer, newStreamer: () => newStreamer(knex), donate, erasureJournal };
}

/** The same database, on which `act` runs before every raw statement. What it throws, the statement throws. */
export function beforeStatements(knex: Knex, act: (sql: string, values: unknown) => Promise<void>): Knex {
  const acting = <On extends Knex>(on: On): On => {
    const raw = async (sql: string, values: never) => {
      await act(sql, values);
      return on.raw(sql, values);
    };
    const transaction = (work: (transaction: Knex.Transaction) => Promise<unknown>) => on.transaction((trx) => work(acting(trx)));
    const replaced = new Map<unknown, unknown>(Object.entries({ raw, transaction }));
    return new Proxy(on, { get: (target, name) => replaced.get(name) ?? Reflect.get(target, name) });
  };
  return acting(knex);
}

/** Whether a statement is the one that holds the roll-ups of a streamer. */
export function holdsFolds(sql: string): boolean {
  return sql.includes("rolled_sequence as rolled from report_progress");
}
