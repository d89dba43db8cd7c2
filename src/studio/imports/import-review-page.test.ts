import { expect, test } from "vitest";
import type { PreviewRow } from "../../donations/import/files/preview.ts";
import type { FileReading } from "../../donations/import/files/reading.ts";
import type { Upload } from "../../donations/import/files/uploads.ts";
import { openStudio } from "../testing.ts";
import type { Imports } from "./open-file-imports.ts";
import { checkedUpload, chosenIn, fileReading, importProgress, noChoices, sent } from "./testing-imports.ts";

const withImports = (imports: Partial<Imports>) => openStudio({ imports });

const checkOf =
  (changes: Partial<FileReading>, rows: readonly PreviewRow[] = []) =>
  async () =>
    checkedUpload({
      counts: (changes.questions ?? []).length > 0 ? null : importProgress().counts,
      preview: { reading: { ...fileReading, ...changes }, columns: [{ title: "When", member: "createdAt" as const }], rows },
    });

const checkedPage = async (check: Imports["check"], fields: Record<string, string> = {}) =>
  (await withImports({ check }).post("/studio/import/check", { ...sent("When"), ...fields })).html;

test("how a file is read is shown, each guess as a choice that is left to the file until one is made", async () => {
  const reading = { encoding: "windows-874", separator: ";", dateOrder: "month-first", decimal: "comma" } as const;
  const html = await checkedPage(checkOf(reading));
  for (const words of ["Thai, windows-874 (found)", "Semicolon ; (found)", "Month first: 12/31/2026 (found)", "Comma: 1.234,56 (found)"])
    expect(html).toContain(words);
  expect(chosenIn(html)).toMatchObject({ encoding: "", separator: "", dateOrder: "", decimal: "" });
  const made = { encoding: "windows-1252", separator: ",", dateOrder: "day-first", decimal: "point" };
  const calls: Upload[] = [];
  const check: Imports["check"] = async (_, upload) => {
    calls.push(upload);
    return checkOf(reading)();
  };
  const shown = JSON.stringify(["windows-1252", ",", null]);
  expect(chosenIn(await checkedPage(check, { ...made, "shown table": shown }))).toMatchObject(made);
  expect(calls[0]?.choices).toEqual({ ...noChoices, ...made });
});

test("what was chosen about columns, dates and amounts is dropped with another encoding, separator or sheet: the table is another one", async () => {
  const studio = openStudio();
  const before = { "shown table": JSON.stringify([null, null, "Tips"]), dateOrder: "day-first", decimal: "comma", "column 0": "amount" };
  const tables: Record<string, string>[] = [
    { sheet: "Tips" },
    { sheet: "Other" },
    { sheet: "Tips", separator: ";" },
    { sheet: "Tips", encoding: "utf-8" },
  ];
  for (const table of tables) await studio.post("/studio/import/check", { ...sent("a"), ...before, ...table });
  expect(
    studio.calls.map(([, , upload]) => upload as Upload).map(({ places, choices }) => [places, choices?.dateOrder, choices?.decimal]),
  ).toEqual([[{ amount: 0 }, "day-first", "comma"], ...Array.from({ length: 3 }, () => [null, null, null])]);
});

test("open questions stand before the table, with what the file has there, and block the button that imports", async () => {
  const row = { place: "row 2", cells: ["03/04/2026"], donation: null, isVoided: false, isUnpaid: false };
  const faults = ["createdAt “03/04/2026” may begin with the day or with the month, one of which must be chosen"];
  const html = await checkedPage(checkOf({ questions: ["dateOrder", "decimal"] }, [{ ...row, faults }]));
  expect(html).toMatch(/role="alert".*more than one way.*name="dateOrder".*name="decimal".*<table>/s);
  expect(html).toContain("In the file: <bdi>03/04/2026</bdi>");
  expect(html).toContain("Waits for your answer above");
  expect(html).not.toContain("must be chosen");
  expect(html).not.toContain("/studio/import/start");
  expect(chosenIn(html)).toMatchObject({ dateOrder: "", decimal: "" });
});

test("the question which sheet is meant comes alone, because another sheet has other dates", async () => {
  const sheets = [
    { name: "Tips", isHidden: false },
    { name: "Old <b>", isHidden: true },
  ];
  const html = await checkedPage(checkOf({ sheets, sheet: "Tips", questions: ["sheet", "dateOrder"] }));
  for (const part of ['<option value="Tips">', "Old &lt;b&gt; (hidden)"]) expect(html).toContain(part);
  expect(html).not.toContain('name="dateOrder"');
  expect(chosenIn(await checkedPage(checkOf({ sheets, sheet: "Tips" }), { sheet: "Tips" }))).toMatchObject({ sheet: "Tips" });
});

test("rows are shown as they would be recorded, with the faults and what is left out beside their rows", async () => {
  const plain = { donation: null, isVoided: false, isUnpaid: false, faults: [] };
  const donation = {
    donatorName: "มาลี <b>",
    amount: 1234.5,
    createdAt: "2026-11-20T12:30:00Z",
    localTime: "2026-11-20 19:30:00",
    message: "สู้ ๆ",
  };
  const rows = [
    { ...plain, place: "row 2", cells: ["a"], donation },
    { ...plain, place: "row 3", cells: ["b"], faults: ["amount “x” must be greater than 0"] },
    { ...plain, place: "row 4", cells: ["Refunded"], isUnpaid: true },
  ];
  const html = await checkedPage(checkOf({}, rows));
  expect(html).toMatch(/scope="row">2<.*มาลี &lt;b&gt;.*฿1,234\.50.*20 Nov 2026, 19:30.*สู้ ๆ/s);
  expect(html).toMatch(/scope="row">3<.*Amount “x” must be greater than 0/s);
  expect(html).toMatch(/scope="row">4<.*Not paid: left out.*Refunded/s);
  expect(html).toContain('name="withUnpaid"');
  expect(html).toMatch(/role="region" aria-labelledby="rows" tabindex="0"/);
});

test("dates more than a day ahead are a warning with the first of their rows", async () => {
  const counts = { ...importProgress().counts, ahead: 7 };
  const check = async () => checkedUpload({ counts, ahead: ["row 3", "row 9"] });
  expect(await checkedPage(check)).toContain("7 rows are dated more than a day ahead (row 3, row 9)");
});

test.each([
  ["en", "All 1,200 donations of this file are recorded already; nothing would be added."],
  ["th", "โดเนททั้ง 1,200 รายการในไฟล์นี้บันทึกไว้แล้ว"],
] as const)("a file whose donations were all recorded before says so, and has no button that records: %s", async (language, words) => {
  const counts = { ...importProgress().counts, rows: 1_201, recorded: 0, recordedBefore: 1_200, voided: 1, faulty: 0 };
  const studio = (changes: object) => withImports({ check: async () => checkedUpload({ faults: [], counts: { ...counts, ...changes } }) });
  const { html } = await studio({}).post("/studio/import/check", sent("When"), language);
  expect(html).toContain(words);
  expect(html).not.toContain("/studio/import/start");
  for (const changes of [{ recorded: 1 }, { faulty: 1 }, { recordedBefore: 0 }])
    expect((await studio(changes).post("/studio/import/check", sent("When"), language)).html).not.toContain(words.slice(-30));
});

test("a choice that makes a file unreadable can be taken back on the same page", async () => {
  const check = async () => checkedUpload({ preview: null, counts: null, faults: [], unreadable: "the text is no UTF-8" });
  const html = await checkedPage(check, { encoding: "utf-8" });
  expect(chosenIn(html)).toMatchObject({ encoding: "utf-8" });
  expect(html).toContain("Check again");
});
