import { expect, test } from "vitest";
import { newId } from "../db/ids.ts";
import { silent, useDatabase } from "../db/testing.ts";
import { streamerStore } from "../donations/streamers.ts";
import { openStartedErasures } from "./erase-donator.ts";

const database = useDatabase();

test("the list of a streamer's erasures is read by its index, newest first, however many others there are", async () => {
  const { knex } = database;
  const [streamer, other] = [await streamerStore(knex).create("one"), await streamerStore(knex).create("other")];
  await addErasures(other.id, 3_000);
  const ids = await addErasures(streamer.id, 30);
  await knex.raw("analyze erasures");
  const asked = new Promise<{ sql: string; bindings: never }>((resolve) => knex.once("query", resolve));
  const listed = await openStartedErasures({ knex, eraseOnce: async () => null }, silent).list(streamer.id, 20);
  expect(listed.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20));
  const { sql, bindings } = await asked;
  const { rows } = await knex.raw<{ rows: { "QUERY PLAN": string }[] }>(`explain ${sql.replaceAll(/\$\d+/g, "?")}`, bindings);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toContain("Index Scan Backward using erasures_streamer");
  expect(plan).not.toContain("Sort");
});

/** One a minute, and the ids in that order. */
async function addErasures(streamerId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  await database.knex.raw(
    `insert into erasures (id, streamer_id, began_at, finished_at)
     select id, ?::uuid, now() + place * interval '1 minute', now() + place * interval '1 minute' from unnest(?::uuid[]) with ordinality as e(id, place)`,
    [streamerId, ids] as never,
  );
  return ids;
}
