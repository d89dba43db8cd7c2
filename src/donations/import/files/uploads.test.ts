import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { uuidv7 } from "uuidv7";
import { expect, onTestFinished, test, vi } from "vitest";
import { settledWithin } from "../../../base/testing-time.ts";
import { silent, useDatabase } from "../../../db/testing.ts";
import { loadContract } from "../../../http/contract/contract.ts";
import { newStreamer } from "../../testing.ts";
import { type ImportProgress, importStore } from "../import-store.ts";
import { makeImporter } from "../importer.ts";
import { checkImported } from "../outcomes.ts";
import { noCounts } from "./import-file.ts";
import { noChoices } from "./table.ts";
import { workbookOf } from "./testing-workbook.ts";
import { openUploads, type Upload } from "./uploads.ts";

const { checkerOf } = await loadContract();

const database = useDatabase();

const csv = (text: string, places: Upload["places"] = null): Upload => ({
  name: "tips.csv",
  bytes: Buffer.from(text),
  places,
  timezone: "Asia/Bangkok",
  choices: noChoices,
});
const zoned = (name: string, from: string) => ({ reading: { zone: { name, from } } });
const list = "Name,Tip,Comment\nMalee,20,hi\nSomchai,0,\n,5,\nMalee,30,\n";

test("checking an uploaded file counts what an import would do, names each row at fault, and records nothing", async () => {
  const { uploads, streamerId, donations } = await open();
  const checked = await uploads.check(streamerId, csv(list));
  expect(checked).toMatchObject({ counts: { rows: 4, recorded: 2, faulty: 2 }, unreadable: null });
  expect(checked.faults.map(({ place }) => place)).toEqual(["row 3", "row 4"]);
  expect(checked.preview?.columns).toEqual([
    { title: "Name", member: "donatorName" },
    { title: "Tip", member: "amount" },
    { title: "Comment", member: "message" },
  ]);
  expect(checked.preview?.rows[0]).toEqual({
    ...{ place: "row 2", cells: ["Malee", "20", "hi"], isVoided: false, isUnpaid: false, faults: [] },
    donation: { donatorName: "Malee", amount: 20, createdAt: null, localTime: null, message: "hi" },
  });
  expect(await donations()).toEqual([]);
});

test("an uploaded file whose columns have unknown names is previewed without counts, until places are chosen", async () => {
  const { uploads, streamerId } = await open();
  const unknown = "A,B\nMalee,20\n";
  expect(await uploads.check(streamerId, csv(unknown))).toMatchObject({
    counts: null,
    unreadable: null,
    preview: { rows: [{ cells: ["Malee", "20"], donation: null }] },
  });
  expect(await uploads.check(streamerId, csv(unknown, { donatorName: 0, amount: 1 }))).toMatchObject({ counts: { recorded: 1 } });
});

test("a file of which the person must say how it is read is previewed without counts, and imported when that is said", async () => {
  const { uploads, streamerId, times } = await open();
  const dated = csv("Name,Tip,Date\nMalee,20,10/03/2025\n");
  const checked = await uploads.check(streamerId, dated);
  expect(checked).toMatchObject({ counts: null, unreadable: null, preview: { reading: { questions: ["dateOrder"], dateOrder: null } } });
  expect(checked.preview?.rows[0]?.faults).toEqual([expect.stringContaining("“10/03/2025” may begin with the day or with the month")]);
  expect(await finished(streamerId, await uploads.start(streamerId, dated))).toMatchObject({
    ...{ state: "stopped", failure: "the dates may begin with the day, the month or the year: choose the order of dates" },
    counts: { rows: 0, recorded: 0 },
  });
  const said = { ...dated, choices: { ...noChoices, dateOrder: "month-first" as const } };
  expect(await uploads.check(streamerId, said)).toMatchObject({ counts: { recorded: 1 }, preview: { reading: { questions: [] } } });
  await finished(streamerId, await uploads.start(streamerId, said));
  expect(await times()).toEqual(["2025-10-02T17:00:00.000Z"]);
});

test("a column that is chosen for nothing is left out of the import, whatever its name", async () => {
  const { uploads, streamerId, donations } = await open();
  await finished(streamerId, await uploads.start(streamerId, csv(list, { donatorName: 0, amount: 1 })));
  expect(await donations()).toEqual(["Malee 20 ", "Malee 30 "]);
});

test("times of an uploaded file are in the upload's time zone, unless their column names another one", async () => {
  const { uploads, streamerId, times } = await open();
  const timed = (title: string) => ({ ...csv(`Name,Tip,${title}\nMalee,20,2026-11-20 19:30\n`), timezone: "America/New_York" });
  expect(await uploads.check(streamerId, timed("Date"))).toMatchObject({
    preview: zoned("America/New_York", "choice"),
    counts: { recorded: 1 },
  });
  await finished(streamerId, await uploads.start(streamerId, timed("Date")));
  expect(await uploads.check(streamerId, timed("Date (Asia/Tokyo)"))).toMatchObject({ preview: zoned("Asia/Tokyo", "header") });
  await finished(streamerId, await uploads.start(streamerId, timed("Date (Asia/Tokyo)")));
  expect(await times()).toEqual(["2026-11-21T00:30:00.000Z", "2026-11-20T10:30:00.000Z"]);
});

test("the time zone in the name of another column that is chosen for the time is that of the times", async () => {
  const { uploads, streamerId } = await open();
  const upload = csv("Date,Name,Tip,When (UTC)\n,Malee,20,2026-11-20 19:30\n", { donatorName: 1, amount: 2, createdAt: 3 });
  expect(await uploads.check(streamerId, upload)).toMatchObject({ preview: zoned("UTC", "header") });
});

test("an uploaded file is imported in the background with its counts and faults; the same file again records nothing", async () => {
  const { uploads, streamerId, donations } = await open();
  const first = await finished(streamerId, await uploads.start(streamerId, csv(list)));
  expect(first).toMatchObject({ state: "done", counts: { recorded: 2, faulty: 2 }, failure: null });
  expect(first.faults).toHaveLength(2);
  const second = await finished(streamerId, await uploads.start(streamerId, csv(list)));
  expect(second).toMatchObject({ state: "done", counts: { recorded: 0, recordedBefore: 2, faulty: 2 } });
  expect(await donations()).toEqual(["Malee 20 hi", "Malee 30 "]);
});

test.each([
  ["an empty file", csv(""), "the file is empty"],
  ["a file of another kind", { ...csv("x"), name: "tips.pdf" }, ".xlsx, .csv, .tsv, .txt, .ndjson"],
  ["a workbook that is none", { ...csv("x"), name: "tips.xlsx" }, ""],
  ["more than 20,000 rows", csv(`name,amount\n${"a,1\n".repeat(20_001)}`), "more than 20,000 rows"],
])("%s is not readable, and the check says why without a path of the server", async (_, upload, reason) => {
  const { uploads, streamerId } = await open();
  const { unreadable, counts } = await uploads.check(streamerId, upload);
  expect(counts).toBeNull();
  expect(unreadable).toContain(reason);
  expect(unreadable).not.toContain("/tmp");
});

test("an import records a name with NUL as one with U+FFFD, quotes no half of a character, and finds both recorded the next time", async () => {
  const { uploads, streamerId, donations } = await open();
  const cutInside = `${"x".repeat(39)}😀`;
  const file = csv(`name,amount,transaction id\nA\0B,1,a\0\nMalee,5\0,b\nMalee,${cutInside},c\n`);
  expect(await uploads.check(streamerId, file)).toMatchObject({ counts: { recorded: 1, faulty: 2 } });
  const first = await finished(streamerId, await uploads.start(streamerId, file));
  expect(first).toMatchObject({ state: "done", failure: null, counts: { recorded: 1, faulty: 2 } });
  expect(first.faults.map(({ fault }) => fault)).toEqual([
    "amount “5\uFFFD” must be a number",
    `amount “${"x".repeat(39)}😀” must be a number`,
  ]);
  const second = await finished(streamerId, await uploads.start(streamerId, file));
  expect(second).toMatchObject({ state: "done", counts: { recorded: 0, recordedBefore: 1, faulty: 2 } });
  expect(await donations()).toEqual(["A\uFFFDB 1 "]);
});

test("a stop ends the reading of a workbook at once, however long it would take", async () => {
  const { uploads, streamerId } = await open();
  const row = `<row>${"<c/>".repeat(16_000)}</row>`;
  const bytes = await workbookOf([{ name: "A", rows: row.repeat(400) }]);
  const importId = await uploads.start(streamerId, { ...csv(""), name: "tips.xlsx", bytes });
  await settledWithin(2_000, uploads.stop());
  expect(await finished(streamerId, importId)).toMatchObject({
    state: "stopped",
    failure: "the server was stopped; import the file again",
  });
});

test.each(["record", "application"] as const)("no text of a file comes into the log when %s fails", async (failing) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const refusal = Object.assign(new Error("invalid byte sequence: Malee"), { code: "22021", detail: "Malee", where: "Malee" });
  const { uploads, streamerId } = await open({ log, failing: { [failing]: refusal } });
  const importId = await uploads.start(streamerId, csv(list));
  expect(await finished(streamerId, importId)).toMatchObject({ state: "stopped", failure: "Something went wrong on our side." });
  expect(lines.join()).toContain("22021");
  expect(lines.join()).not.toContain("Malee");
  await uploads.stop();
});

test("a row is named at fault only for the first hundred rows, and all of them are counted", async () => {
  const { uploads, streamerId } = await open();
  const { counts, faults } = await uploads.check(streamerId, csv(`name,amount\n${"a,0\n".repeat(150)}`));
  expect([counts?.faulty, faults.length]).toEqual([150, 100]);
});

test("an import that stood still for a minute is shown as stopped, and another streamer's is not found", async () => {
  const { streamerId } = await open();
  const [imports, importId] = [importStore(database.knex), uuidv7()];
  await imports.start(streamerId, importId, "tips.csv");
  await imports.noteProgress(streamerId, importId, { state: "running", counts: noCounts, faults: [], failure: null });
  expect(await imports.findProgress(streamerId, importId)).toMatchObject({ state: "running" });
  await database
    .knex("imports")
    .where({ id: importId })
    .update({ progressed_at: new Date(Date.now() - 61_000) });
  expect(await imports.findProgress(streamerId, importId)).toMatchObject({ state: "stopped" });
  expect(await imports.findProgress((await open()).streamerId, importId)).toBeNull();
});

test("an import that waits for others to be recorded is running, however long it waits", async () => {
  const streamerId = await newStreamer(database.knex);
  const turn = Promise.withResolvers<[]>();
  const uploads = openUploads({
    knex: database.knex,
    importer: { record: () => turn.promise },
    checkItem: checkImported(checkerOf),
    log: silent,
  });
  const imports = importStore(database.knex);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const importId = await uploads.start(streamerId, csv(list));
  const stoodStill = () =>
    database
      .knex("imports")
      .where({ id: importId })
      .update({ progressed_at: new Date(Date.now() - 61_000) });
  await vi.waitUntil(() => vi.getTimerCount() > 0).finally(stoodStill);
  vi.advanceTimersByTime(30_000);
  await vi.waitUntil(async () => (await imports.findProgress(streamerId, importId))?.state === "running");
  turn.resolve([]);
  expect(await finished(streamerId, importId)).toMatchObject({ state: "done" });
});

type Failing = { record?: Error; application?: Error };

async function open({ log = silent, failing = {} }: { log?: Logger; failing?: Failing } = {}) {
  const streamerId = await newStreamer(database.knex);
  const uploads = openUploads({
    importer: failing.record ? { record: () => Promise.reject(failing.record) } : makeImporter({ pool: database.pool({ max: 2 }), log }),
    knex: database.knex,
    checkItem: checkImported(checkerOf),
    application: () => (failing.application ? Promise.reject(failing.application) : Promise.resolve(streamerId)),
    log,
  });
  const donations = async () => {
    const rows = await database.knex("donations").where({ streamer_id: streamerId }).orderBy("sequence");
    return rows.map(({ donator_name, amount, message }) => `${donator_name} ${Number(amount)} ${message}`);
  };
  const times = async (): Promise<string[]> => {
    const rows = await database.knex("donations").where({ streamer_id: streamerId }).orderBy("sequence");
    return rows.map(({ created_at }) => new Date(created_at).toISOString());
  };
  return { uploads, streamerId, donations, times };
}

async function finished(streamerId: string, importId: string): Promise<ImportProgress> {
  for (let waits = 0; waits < 200; waits += 1) {
    const progress = await importStore(database.knex).findProgress(streamerId, importId);
    if (progress && progress.state !== "running") return progress;
    await sleep(50);
  }
  throw new Error("the import never ended");
}
