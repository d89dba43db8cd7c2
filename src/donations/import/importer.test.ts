import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { auditLines } from "../../audit/testing.ts";
import { settledWithin } from "../../base/testing-time.ts";
import { useErasureFixture } from "../../corrections/testing-erasure.ts";
import { undoImport } from "../../corrections/undo-import.ts";
import { makeVoider } from "../../corrections/void-donations.ts";
import { silent } from "../../db/testing.ts";
import type { NewDonation } from "../donation.ts";
import { someDonation } from "../testing.ts";
import { importStore } from "./import-store.ts";
import { type Importer, makeImporter, type Outcome } from "./importer.ts";

const fixture = useErasureFixture();

const newImporter = (): Importer => makeImporter({ pool: fixture.pool, log: silent });

/** A streamer with an import that has begun, and so many donations for it. */
async function begun(count: number): Promise<{ streamerId: string; importId: string; donations: NewDonation[] }> {
  const streamerId = await fixture.newStreamer();
  const importId = uuidv7();
  await importStore(fixture.knex).start(streamerId, importId);
  const donations = Array.from({ length: count }, (_, index) => someDonation(streamerId, { idempotencyKey: `import-${index}` }));
  return { streamerId, importId, donations };
}

const describeOutcome = (outcome: Outcome): string =>
  outcome.status === "fulfilled" ? (outcome.value.created ? "created" : "replayed") : outcome.reason.code;

const countOf = async (streamerId: string): Promise<number> =>
  Number((await fixture.knex("donations").where("streamer_id", streamerId).count({ n: "*" }))[0]?.n);

test("drain waits until every chunk of an import that was passed to record is recorded", async () => {
  const { streamerId, importId, donations } = await begun(900);
  const importer = newImporter();
  const recording = importer.record(importId, donations);
  await importer.drain();
  expect(await countOf(streamerId)).toBe(900);
  expect(new Set((await recording).map(describeOutcome))).toEqual(new Set(["created"]));
});

test("what waits for imported donations is told how many a chunk recorded, replays not counted", async () => {
  const { streamerId, importId, donations } = await begun(450);
  const told: [string, number][] = [];
  const importer = makeImporter({ pool: fixture.pool, log: silent, announce: (...chunk) => told.push(chunk) });
  await importer.record(importId, donations.slice(0, 250));
  await importer.record(
    importId,
    donations.map((donation) => ({ ...donation, id: uuidv7() })),
  );
  const chunk = (count: number) => [streamerId, count];
  expect(told).toEqual([200, 50, 150, 50].map(chunk));
});

test("a donation that was erased is not recorded again by an import: it is a replay", async () => {
  const { streamerId, importId } = await begun(0);
  const mali = { donatorName: "มาลี", identifier: "line:mali", idempotencyKey: "once" };
  const erased = await fixture.donate(streamerId, mali);
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  const again = someDonation(streamerId, { ...mali, applicationId: erased.applicationId, id: uuidv7() });
  const [outcome] = await newImporter().record(importId, [again]);
  expect(outcome).toMatchObject({ status: "fulfilled", value: { created: false, donation: { id: erased.id, donatorName: "(erased)" } } });
  expect(await countOf(streamerId)).toBe(1);
});

test("an import of a locked streamer ends with idempotency_in_progress within seconds and records nothing, and other imports go on", async () => {
  const locked = await begun(200);
  const other = await begun(1);
  const importer = newImporter();
  const tried = fixture.knex.transaction(async (holder) => {
    await holder("streamers").where("id", locked.streamerId).forUpdate();
    const [outcomes, others] = await Promise.all([
      importer.record(locked.importId, locked.donations),
      importer.record(other.importId, other.donations),
    ]);
    expect(new Set(outcomes.map(describeOutcome))).toEqual(new Set(["idempotency_in_progress"]));
    expect(others.map(describeOutcome)).toEqual(["created"]);
  });
  await settledWithin(10_000, tried);
  expect(await countOf(locked.streamerId)).toBe(0);
});

test("after an outage a chunk of an import is not sent before the database has answered", async () => {
  const asked: string[] = [];
  const refuse = (what: string) => async () => {
    asked.push(what);
    throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  };
  const away = { raw: refuse("ping"), client: { acquireConnection: refuse("chunk") } } as unknown as Knex;
  const importer = makeImporter({ pool: away, log: silent });
  const outcomes = await importer.record(
    uuidv7(),
    Array.from({ length: 401 }, () => someDonation(uuidv7())),
  );
  expect(new Set(outcomes.map(describeOutcome))).toEqual(new Set(["unavailable"]));
  expect(asked).toEqual(["chunk", "ping", "ping"]);
});

test("an import notes which of a streamer's sequences it recorded, and none for a chunk of replays", async () => {
  const { streamerId, importId, donations } = await begun(250);
  const importer = newImporter();
  await importer.record(importId, donations);
  const sentAgain = donations.map((donation) => ({ ...donation, id: uuidv7() }));
  expect(new Set((await importer.record(importId, sentAgain)).map(describeOutcome))).toEqual(new Set(["replayed"]));
  expect(await importStore(fixture.knex).find(streamerId, importId)).toMatchObject({ donations: 250 });
});

test("an undo voids what its import recorded, also meanwhile, and from then on nothing is added to the import, in any process", async () => {
  const { streamerId, importId, donations } = await begun(500);
  const importing = newImporter().record(importId, donations); // chunk by chunk
  await expect.poll(() => countOf(streamerId)).toBeGreaterThan(0);
  const voided = await undoImport(fixture.knex, makeVoider(fixture.pool), [streamerId, importId]);
  const outcomes = (await importing).map(describeOutcome);
  expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(voided as number);
  expect(await fixture.knex("donations").where("streamer_id", streamerId).whereNull("voided_at")).toEqual([]);
  const later = donations.map((donation) => ({ ...donation, id: uuidv7() }));
  expect(new Set((await newImporter().record(importId, later)).map(describeOutcome))).toEqual(new Set(["import_undone"]));
  expect(await importStore(fixture.knex).start(streamerId, importId)).toBe(false);
});

test("an undo that is repeated voids what is left, and neither moves its time nor adds a line to the audit log", async () => {
  const { streamerId, importId, donations } = await begun(3);
  await newImporter().record(importId, donations);
  const imports = importStore(fixture.knex);
  await imports.markUndone(streamerId, importId); // an undo that is interrupted there has voided nothing yet
  const first = await imports.find(streamerId, importId);
  const voider = makeVoider(fixture.pool);
  expect(await undoImport(fixture.knex, voider, [streamerId, importId])).toBe(3);
  expect(await undoImport(fixture.knex, voider, [streamerId, importId])).toBe(0);
  expect((await imports.find(streamerId, importId))?.undoneAt).toBe(first?.undoneAt);
  expect((await auditLines(fixture.knex, streamerId)).filter(({ action }) => action === "import.undone")).toHaveLength(1);
});

test("an import is recorded in short chunks once another process has recorded a donation of the streamer", async () => {
  const { streamerId, importId, donations } = await begun(600);
  const importer = newImporter();
  const chunks = async () => (await importStore(fixture.knex).ranges(streamerId, importId, 0)).length;
  await importer.record(importId, donations.slice(0, 200));
  await importer.record(importId, donations.slice(200, 400));
  expect(await chunks()).toBe(2);
  await fixture.donate(streamerId);
  await importer.record(importId, donations.slice(400, 500));
  expect(await chunks()).toBe(3); // by this chunk's numbers it is noticed
  await importer.record(importId, donations.slice(500));
  expect(await chunks()).toBeGreaterThanOrEqual(6);
});
