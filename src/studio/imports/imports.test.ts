import { expect, test } from "vitest";
import { Problem } from "../../http/problem.ts";
import { writeFor } from "../../ui/reader.ts";
import { openStudio } from "../testing.ts";
import { maxFileBytes } from "./imports.ts";
import type { Imports } from "./open-file-imports.ts";
import { checkedUpload, chosenIn, fileReading, importProgress, importSummary, noChoices, sent } from "./testing-imports.ts";

const withImports = (imports: Partial<Imports>) => openStudio({ imports });

test("the page of imports asks for a file and lists the imports, each with its link to undo it, or to repeat the undo", async () => {
  const list = async () => [importSummary(), importSummary({ id: "i2", name: null, undoneAt: Date.parse("2026-11-22T03:00:00Z") })];
  const { html } = await withImports({ list }).get("/studio/import");
  for (const part of ['type="file"', 'enctype="multipart/form-data"', "tips.csv", "Through the API", "/studio/import/undo?id=i1"])
    expect(html).toContain(part);
  expect(html).toMatch(/undo\?id=i1">.*Undo this import/);
  expect(html).toMatch(/undo\?id=i2">.*Repeat the undo/);
});

test("an undo that was interrupted can be repeated: its page says so", async () => {
  const find = async () => importSummary({ undoneAt: Date.parse("2026-11-22T03:00:00Z") });
  const studio = withImports({ find, findProgress: async () => importProgress() });
  expect((await studio.get("/studio/import/result?id=i1")).html).toContain("/studio/import/undo?id=i1");
  const { html } = await studio.get("/studio/import/undo?id=i1");
  for (const part of ["some of its donations may still count", 'name="import" value="i1"']) expect(html).toContain(part);
});

test("an uploaded file is checked, and its page shows columns by their names, counts, faults and the button that imports", async () => {
  const studio = openStudio();
  const { status, html } = await studio.post("/studio/import/check", sent("Name,Tip,Mood"));
  expect(studio.calls).toEqual([
    [
      "checkImport",
      "somchai's id",
      { name: "tips.csv", bytes: Buffer.from("Name,Tip,Mood"), places: null, timezone: "Asia/Bangkok", choices: noChoices },
    ],
  ]);
  expect(status).toBe(200);
  for (const part of [
    "Malee",
    "happy",
    "row 3",
    "Amount must be greater than 0",
    "Import 2 donations",
    'formaction="/studio/import/start"',
  ])
    expect(html).toContain(part);
  expect(chosenIn(html)).toMatchObject({ "column 0": "donatorName", "column 1": "amount", "column 2": "" });
});

test("the page of a checked file has the file in its form, so that the server keeps none", async () => {
  const { html } = await openStudio().post("/studio/import/check", sent("Name,Tip,Mood"));
  expect(html).toContain(`name="file" value="${sent("Name,Tip,Mood").file}"`);
  expect(html).toContain('name="file name" value="tips.csv"');
});

test("an import of one donation is offered in the singular", async () => {
  const check = async () => checkedUpload({ counts: { ...importProgress().counts, recorded: 1 } });
  expect((await withImports({ check }).post("/studio/import/check", sent("Name,Tip"))).html).toContain(">Import 1 donation<");
});

test("chosen columns replace those by name, and of two for the same member the first counts", async () => {
  const studio = openStudio();
  const columns = { "column 0": "message", "column 1": "amount", "column 2": "amount", "column 3": "constructor" };
  await studio.post("/studio/import/check", { ...sent("a,b,c,d"), ...columns });
  expect(studio.calls[0]?.[2]).toMatchObject({ places: { message: 0, amount: 1 } });
});

test("a file whose columns are not known asks for them, and has no button that imports", async () => {
  const check = async () => checkedUpload({ counts: null, faults: [] });
  const { html } = await withImports({ check }).post("/studio/import/check", sent("a,b"));
  expect(html).toContain("Choose the columns");
  expect(html).not.toContain("/studio/import/start");
});

test("a file that cannot be read says why, with status 400 and no button that imports", async () => {
  const check = async () => checkedUpload({ preview: null, counts: null, faults: [], unreadable: "the file is empty" });
  const { status, html } = await withImports({ check }).post("/studio/import/check", sent(""));
  expect(status).toBe(400);
  expect(html).toContain("the file is empty");
  expect(html).not.toContain("/studio/import/start");
});

test("names and cells that look like markup are escaped in the page of a checked file", async () => {
  const evil = `"><script>alert(1)</script>`;
  const row = { place: "row 2", cells: [evil], donation: null, isVoided: false, isUnpaid: false, faults: [] };
  const preview = { reading: fileReading, columns: [{ title: evil, member: null }], rows: [row] };
  const check = async () => checkedUpload({ preview, faults: [{ place: "row 2", fault: evil }] });
  const { html } = await withImports({ check }).post("/studio/import/check", { ...sent("a"), "file name": `${evil}.csv` });
  expect(html).not.toContain("<script>alert");
});

test.each([
  ["a form without a file", {}, "no-file"],
  ["a file above 2 MiB", { file: Buffer.alloc(maxFileBytes + 1).toString("base64"), "file name": "a.csv" }, "large-file"],
])("%s leads back to the page of imports, which says why, and is not read", async (_, fields, note) => {
  const studio = openStudio();
  for (const path of ["/studio/import/check", "/studio/import/start"])
    expect(await studio.post(path, fields)).toMatchObject({ status: 303, location: `/studio/import?note=${note}` });
  expect(studio.calls).toEqual([]);
});

test("a file that is sent while others are read leads back to the page of imports, which says so", async () => {
  const check = async () => {
    throw new Problem("rate_limited", "no");
  };
  expect(await withImports({ check }).post("/studio/import/check", sent("a"))).toMatchObject({
    location: "/studio/import?note=reading-already",
  });
});

test("the button that imports begins the import and leads to its result", async () => {
  const studio = openStudio();
  const reply = await studio.post("/studio/import/start", { ...sent("Name,Tip"), "column 0": "donatorName", "column 1": "amount" });
  expect(reply).toMatchObject({ status: 303, location: "/studio/import/result?id=i1" });
  expect(studio.calls[0]?.[2]).toMatchObject({ name: "tips.csv", places: { donatorName: 0, amount: 1 } });
});

test("an import that is under way shows its counts and is loaded again; a complete one is not", async () => {
  const running = await withImports({ findProgress: async () => importProgress({ state: "running" }) }).get("/studio/import/result?id=i1");
  expect(running).toMatchObject({ status: 200, refresh: 2 });
  expect(running.html).toContain("under way");
  const done = await openStudio().get("/studio/import/result?id=i1");
  expect(done).not.toHaveProperty("refresh");
  for (const part of ["complete", "row 3", "/studio/import/undo?id=i1"]) expect(done.html).toContain(part);
});

test("an import that stopped says why, and that the same file can be imported again", async () => {
  const findProgress = async () => importProgress({ state: "stopped", failure: "the database is gone" });
  const { html } = await withImports({ findProgress }).get("/studio/import/result?id=i1");
  for (const part of ["the database is gone", "import the same file again"]) expect(html).toContain(part);
});

test("undoing an import asks first, with its name and number of donations, and then voids them", async () => {
  const studio = openStudio();
  const { html } = await studio.get("/studio/import/undo?id=i1");
  for (const part of ["tips.csv", 'name="import" value="i1"', "can&#39;t be undone"]) expect(html.replaceAll("'", "&#39;")).toContain(part);
  expect(studio.calls).toEqual([]);
  expect(await studio.post("/studio/import/undo", { import: "i1" })).toMatchObject({ location: "/studio/import?note=undone" });
  expect(studio.calls).toEqual([["undoImport", "somchai's id", "i1"]]);
});

test("an import that is not the streamer's own leads back to the page of imports from its result and from undoing it", async () => {
  const studio = withImports({ find: async () => null, findProgress: async () => null, undo: async () => null });
  const location = "/studio/import?note=no-import";
  expect(await studio.get("/studio/import/result?id=x")).toMatchObject({ location });
  expect(await studio.get("/studio/import/undo?id=x")).toMatchObject({ location });
  expect(await studio.post("/studio/import/undo", { import: "x" })).toMatchObject({ location });
});

test("the check of a file without a column of times warns that everything will be dated now", async () => {
  const warning = "No column is the time";
  expect((await openStudio().post("/studio/import/check", { file: "QQ==", "file name": "tips.csv" })).html).toContain(warning);
  const columns = [{ title: "When", member: "createdAt" as const }];
  const timed = async () => checkedUpload({ preview: { reading: fileReading, columns, rows: [] } });
  const studio = openStudio({ imports: { check: timed } });
  expect((await studio.post("/studio/import/check", { file: "QQ==", "file name": "tips.csv" })).html).not.toContain(warning);
});

const timedFile = (headerZone: string | null) => async () => {
  const zone = headerZone === null ? fileReading.zone : { name: headerZone, from: "header" as const };
  return checkedUpload({
    preview: { reading: { ...fileReading, zone }, columns: [{ title: "When", member: "createdAt" as const }], rows: [] },
  });
};

test("the time zone of an imported file is the streamer's own until another one is chosen, and goes along to the import", async () => {
  const calls: string[] = [];
  const start = async (_: string, { timezone }: { timezone: string }) => {
    calls.push(timezone);
    return "i1";
  };
  const studio = withImports({ check: timedFile(null), start });
  const first = await writeFor({ timeZone: "Asia/Tokyo" }, () => studio.post("/studio/import/check", sent("When")));
  expect(first.html).toContain('<option value="Asia/Tokyo" selected>');
  const chosen = await studio.post("/studio/import/check", { ...sent("When"), timeZone: "Europe/Berlin" });
  expect(chosen.html).toContain('<option value="Europe/Berlin" selected>');
  for (const timeZone of ["Europe/Berlin", "Mars/Olympus"]) await studio.post("/studio/import/start", { ...sent("When"), timeZone });
  expect(calls).toEqual(["Europe/Berlin", "Asia/Bangkok"]);
});

test("the check of a file whose times have a zone says so, and asks for none", async () => {
  const { html } = await withImports({ check: timedFile("UTC") }).post("/studio/import/check", { ...sent("When"), timeZone: "Asia/Tokyo" });
  expect(html).toContain("Times are in UTC, as the name of their column says.");
  expect(html).not.toContain('<option value="Asia/Tokyo"');
  expect(html).toContain('name="timeZone" value="Asia/Tokyo"');
});
