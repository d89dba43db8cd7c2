import { expect, test } from "vitest";
import { isLockConflict } from "../db/failures.ts";
import { newId } from "../db/ids.ts";
import { readHistory, uniqueDonatorsOf } from "../reports/queries/short-history.ts";
import { foldAll } from "../reports/roll-ups/rollup.ts";
import { findRollUpFaults } from "../reports/roll-ups/verify-roll-ups.ts";
import { makeEraser } from "./eraser.ts";
import { beforeStatements, holdsFolds, useErasureFixture } from "./testing-erasure.ts";

const fixture = useErasureFixture();

const mali = { identifier: "line:mali" };
const key = "i:line:mali";

/** An eraser in whose transactions `act` runs before each statement. */
const eraserActing = (act: (sql: string) => Promise<void>) => makeEraser({ ...fixture, knex: beforeStatements(fixture.knex, act) });

async function uniqueDonators(streamerId: string): Promise<number[]> {
  const { donations } = await readHistory(fixture.knex, streamerId);
  const kept = await fixture.knex("report_donator_counts").where({ streamer_id: streamerId, grain: 7 }).pluck("donators");
  return [...uniqueDonatorsOf(donations, [{ from: null, to: null }]), ...kept];
}

test("an erasure whose donator is erased and numbered again meanwhile leaves the roll-ups as the donations are", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  let [holds, isOvertaken] = [0, false];
  const eraser = eraserActing(async (sql) => {
    if (holdsFolds(sql)) holds += 1;
    if (holdsFolds(sql) && holds === 1) await fixture.donate(streamerId, mali);
    if (!sql.includes("select rolled_sequence, donators") || holds === 0 || isOvertaken) return;
    isOvertaken = true; // before the second fold
    await fixture.eraser.erase(streamerId, [key]); // takes the second donation and forgets the key
    await fixture.donate(streamerId, mali);
  });
  expect(await eraser.erase(streamerId, [key])).toMatchObject({ donations: 2 });
  expect(await fixture.eraser.count(streamerId, [key])).toMatchObject({ donations: 0 });
  expect(await findRollUpFaults(fixture.knex, streamerId)).toEqual({});
  expect(await uniqueDonators(streamerId)).toEqual([2, 2]);
});

test("an erasure that ends while its donator donates on keeps the key of the donations that stay", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  let holds = 0;
  const eraser = eraserActing(async (sql) => {
    if (!holdsFolds(sql)) return;
    holds += 1;
    if (holds % 2 !== 0) return; // the transaction that erases the round's one donation
    await fixture.donate(streamerId, mali);
    await foldAll(fixture.knex, streamerId);
  });
  await eraser.erase(streamerId, [key]);
  expect(await fixture.eraser.count(streamerId, [key])).toMatchObject({ donations: 1 });
  expect(await findRollUpFaults(fixture.knex, streamerId)).toEqual({});
  await fixture.eraser.erase(streamerId, [key]);
  expect(await findRollUpFaults(fixture.knex, streamerId)).toEqual({});
  expect(await uniqueDonators(streamerId)).toEqual([1, 1]);
});

test("several erasures of a donator who donates meanwhile leave the roll-ups as the donations are", async () => {
  for (let run = 0; run < 3; run += 1) {
    const streamerId = await fixture.newStreamer();
    await fixture.donate(streamerId, mali);
    const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    const repeat = async (times: number, act: () => Promise<unknown>) => {
      for (let i = 0; i < times; i += 1) await Promise.allSettled([act(), pause()]); // a busy machine may answer unavailable
    };
    await Promise.all([
      ...Array.from({ length: 3 }, () => repeat(20, () => fixture.donate(streamerId, mali))),
      ...Array.from({ length: 4 }, () => repeat(3, () => fixture.eraser.erase(streamerId, [key]))),
      repeat(30, () => foldAll(fixture.knex, streamerId)),
    ]);
    await foldAll(fixture.knex, streamerId);
    expect(await findRollUpFaults(fixture.knex, streamerId)).toEqual({});
  }
});

test("an erasure that is submitted eight times at once is one erasure in the journal", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  const id = newId();
  const all = await Promise.all(Array.from({ length: 8 }, () => fixture.eraser.eraseOnce(id, streamerId, key)));
  expect(all.filter((erased) => erased?.donations)).toMatchObject([{ donations: 1 }]);
  const entries = (await fixture.journal.read()).filter((entry) => "id" in entry && entry.id === id);
  expect(entries.map(({ type }) => type)).toEqual(["began", "finished"]);
});

test("an erasure whose last step finds the streamer locked is refused as unavailable while its caller still waits", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  const blocker = await fixture.knex.transaction();
  let holds = 0;
  const eraser = eraserActing(async (sql) => {
    if (!holdsFolds(sql)) return;
    holds += 1;
    if (holds === 2) await blocker("streamers").where({ id: streamerId }).forUpdate().select("id"); // after what erases the donation
  });
  const patient = setTimeout(() => void blocker.rollback(), 10_000);
  await expect(eraser.erase(streamerId, [key])).rejects.toSatisfy(isLockConflict);
  clearTimeout(patient);
  await blocker.rollback();
  expect(await fixture.knex("erasures").where({ streamer_id: streamerId })).toMatchObject([{ donations: 1, finished_at: null }]);
});
