// A streamer with donations, and the eraser as the program makes it, for tests.

import { join } from "node:path";
import type { Knex } from "knex";
import { newId } from "../../db/ids.ts";
import { makeSealer } from "../../db/secrets.ts";
import { silent, temporaryDirectory, useDatabase } from "../../db/testing.ts";
import type { NewDonation } from "../../donations/donation.ts";
import { makeWriter, type Writer } from "../../donations/record/writer.ts";
import { streamerStore } from "../../donations/streamers.ts";
import { someDonation } from "../../donations/testing.ts";
import { openEraser } from "./open-eraser.ts";

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
  const parts = await openEraser({ knex, config: { erasureJournal }, sealer: makeSealer(null) });
  const newStreamer = async () => (await streamerStore(knex).create(`s${newId().replaceAll("-", "")}`.slice(0, 39))).id;
  const donate = async (streamerId: string, members: Partial<NewDonation> = {}) =>
    (await writer.record(someDonation(streamerId, { id: newId(), ...members }))).donation;
  return { ...parts, writer, newStreamer, donate, erasureJournal };
}
