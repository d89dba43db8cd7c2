import { createWriteStream } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { parseInstant } from "../../../base/instant.ts";
import { undoImport } from "../../../corrections/undo-import.ts";
import { makeVoider } from "../../../corrections/void-donations.ts";
import type { Database } from "../../../db/database.ts";
import { onPrimary } from "../../../db/exact-reads.ts";
import { silent, temporaryDirectory, useDatabase } from "../../../db/testing.ts";
import { loadContract } from "../../../http/contract/contract.ts";
import { readContract } from "../../../http/contract/published.ts";
import { type Columns, columns, compared, selectList } from "../../columns.ts";
import type { NewDonation } from "../../donation.ts";
import { exportDonations } from "../../export/export-donations.ts";
import { historyReader } from "../../export/history.ts";
import { makeWriter } from "../../record/writer.ts";
import { newStreamer, someDonation } from "../../testing.ts";
import { importStore } from "../import-store.ts";
import { makeImporter } from "../importer.ts";
import { checkImported } from "../outcomes.ts";
import { withoutColumn } from "./columns.ts";
import { type Counts, importFile } from "./import-file.ts";
import { openFile } from "./open-file.ts";
import { noChoices } from "./table.ts";

const { checkerOf } = await loadContract();
let database: Database;
let pool: Knex;

useDatabase(async (opened) => {
  database = opened;
  pool = database.pool({ max: 3 });
});

const at = (text: string): Partial<NewDonation> => {
  const { ms, offset } = parseInstant(text);
  return { createdAt: ms, createdOffset: offset };
};

/** The members that must come in as they were; a new one of the contract is among them by itself. */
const kept = compared.filter((member) => !(member in withoutColumn));

const values = { text: "some text", uuid: uuidv7(), numeric: 1, bigint: 1, integer: 1, smallint: 1, boolean: true };

/** A donation in which no optional member is left out. */
function complete(): Partial<NewDonation> {
  const { schemas } = readContract().components;
  const choice = (member: string) => schemas[schemas.ExternalDonation?.properties[member]?.$ref?.split("/").at(-1) ?? ""]?.enum?.[0];
  const omitted = kept.filter((member) => someDonation(uuidv7())[member] === null);
  return Object.fromEntries(omitted.map((member) => [member, choice(member) ?? values[(columns as Columns)[member].type]]));
}

const unusual: Partial<NewDonation>[] = [
  { message: 'tab\tline\nreturn\r"quoted" <b>&amp; _x0041_ =1+1', donatorName: " ก็๊🇹🇭 ", identifier: "=SUM(A1)" },
  { amount: 5e-324, ...at("2026-11-20T19:30:00.123+07:00") },
  { amount: 0.1 + 0.2, ...at("1900-02-28T23:59:59.999Z") },
  { amount: 1_000_000, ...at("1899-12-31T00:00Z"), idempotencyKey: "order-1" },
  { amount: 123.45, ...at("0000-02-29T00:00Z"), source: "native", channel: "promptpay" },
  { amount: 2, ...at("9999-12-31T20:00Z") },
  { amount: 3, ...at("0000-01-01T00:00+23:59") },
  { amount: 4, ...at("2026-10-25T00:30Z") }, // Berlin's clocks show 02:30
  { amount: 5, ...at("2026-10-25T01:30Z") }, // and again
  { ...at("9999-12-31T16:59:59.999Z"), source: "native", channel: "card", idempotencyKey: "_x000D_" },
  complete(),
  {}, // two equal ones without a key are two donations
  {},
];

const zones = ["Asia/Bangkok", "Europe/Berlin", "UTC"];

test.each(zones)(
  "what the export wrote in %s comes in again without a difference, and importing any export of the result changes nothing",
  async (timezone) => {
    const [one, other] = [await newStreamer(database.knex), await newStreamer(database.knex)];
    await record(one, unusual);
    const first = await exported(one, { timezone });
    expect(await imported(other, first)).toMatchObject({ recorded: unusual.length, recordedBefore: 0, faulty: 0 });
    expect(await contentOf(other)).toEqual(await contentOf(one));
    const second = await exported(other, { timezone });
    const byStranger = await exported(other, { timezone, applicationId: uuidv7() }); // without idempotency keys
    for (const [streamerId, file] of [
      [one, first],
      [other, first],
      [other, second],
      [other, byStranger],
      [one, second],
    ] as const)
      expect(await imported(streamerId, file)).toMatchObject({ recorded: 0, recordedBefore: unusual.length, faulty: 0 });
  },
);

test("an export in Thai comes in again without a difference, and is the same as the one in English", async () => {
  const [one, other] = [await newStreamer(database.knex), await newStreamer(database.knex)];
  await record(one, [...unusual, { amount: 7 }]);
  await database.knex("donations").where({ streamer_id: one, amount: 7 }).update({ voided_at: new Date(), void_reason: "mistake" });
  const thai = await exported(one, { language: "th" });
  expect(await imported(other, thai)).toMatchObject({ recorded: unusual.length, recordedBefore: 0, faulty: 0, voided: 1 });
  await database.knex("donations").where({ streamer_id: one, amount: 7 }).delete();
  expect(await contentOf(other), "a member that is missing has no Thai title in column-names.ts").toEqual(await contentOf(one));
  for (const file of [await exported(one), await exported(other, { language: "th" })])
    expect(await imported(other, file)).toMatchObject({ recorded: 0, recordedBefore: unusual.length, faulty: 0 });
});

test("a row that is void in the export is left out", async () => {
  const [one, other] = [await newStreamer(database.knex), await newStreamer(database.knex)];
  await record(one, [{ amount: 1 }, { amount: 2 }]);
  await database.knex("donations").where({ streamer_id: one, amount: 1 }).update({ voided_at: new Date(), void_reason: "mistake" });
  expect(await imported(other, await exported(one))).toMatchObject({ rows: 2, recorded: 1, voided: 1 });
});

test("an export that was imported and taken back can be imported again, and so can the export of what was taken back", async () => {
  const [one, other] = [await newStreamer(database.knex), await newStreamer(database.knex)];
  await record(one, unusual);
  const first = await exported(one);
  const { importId } = await importedAs(other, first);
  const second = await exported(other);
  const voider = makeVoider(pool);
  expect(await undoImport(database.knex, voider, [other, importId])).toBe(unusual.length);
  expect(await imported(other, second)).toMatchObject({ recorded: unusual.length, recordedBefore: 0 });
  for (const file of [first, second]) expect(await imported(other, file)).toMatchObject({ recorded: 0, recordedBefore: unusual.length });
});

async function record(streamerId: string, donations: readonly Partial<NewDonation>[]): Promise<void> {
  const writer = makeWriter({ pool, log: silent });
  for (const members of donations) await writer.record(someDonation(streamerId, { skipAlert: true, ...members }));
}

type Exporting = { timezone?: string; applicationId?: string; language?: "th" | "en" };

/** Writes the export of all donations that `applicationId` reads, and returns the file's path. */
async function exported(streamerId: string, exporting: Exporting = {}): Promise<string> {
  const { timezone = "Asia/Bangkok", applicationId = streamerId, language = "en" } = exporting;
  const handler = exportDonations(onPrimary({ openHistory: historyReader(pool, 1) }));
  const query = { timezone, source: ["external", "native"], status: "all", sort: "createdAt", language };
  const reply = await handler({ query } as never, { streamerId, applicationId } as never);
  const file = join(await temporaryDirectory(), "donations.xlsx");
  await pipeline((reply as unknown as { body: Readable }).body, createWriteStream(file));
  return file;
}

const imported = async (streamerId: string, file: string): Promise<Counts> => (await importedAs(streamerId, file)).counts;

async function importedAs(streamerId: string, file: string): Promise<{ importId: string; counts: Counts }> {
  const faults: string[] = [];
  const importId = uuidv7();
  await importStore(database.knex).start(streamerId, importId);
  const counts = await importFile(openFile(file, { timezone: "Asia/Bangkok", columns: new Map(), choices: noChoices }), {
    checkItem: checkImported(checkerOf),
    importer: makeImporter({ pool, log: silent }),
    importId,
    by: { streamerId, applicationId: streamerId },
    findKnown: (ids) => importStore(database.knex).findKnown(streamerId, ids),
    onFault: (place, fault) => faults.push(`${place}: ${fault}`),
  });
  expect(faults).toEqual([]);
  return { importId, counts };
}

/** Everything of the donations that is in the file; createdAt only where it was given. */
async function contentOf(streamerId: string): Promise<unknown[]> {
  const { rows } = await database.knex.raw(
    `select ${selectList(kept)}, d.donator_key, to_millis(d.created_at) as created_at
     from donations d where d.streamer_id = ? order by d.created_at, d.message, d.amount, d.identifier`,
    [streamerId],
  );
  return rows;
}
