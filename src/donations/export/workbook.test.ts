import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { read, utils, type WorkBook } from "@e965/xlsx";
import fc from "fast-check";
import { expect, test } from "vitest";
import { streamWorkbook } from "./workbook.ts";
import { type Cell, dateCells, escapeText, text } from "./workbook-xml.ts";

const columns = [
  { title: "Text <&>", width: 20 },
  { title: "Number", width: 10 },
];

const cells = (row: readonly Cell[]) => row;

const batches = async function* (rows: readonly (readonly Cell[])[], size = 3): AsyncIterable<readonly (readonly Cell[])[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
};

const fileOf = (rows: readonly (readonly Cell[])[], sheetRows?: number) =>
  streamWorkbook({
    name: "Donations",
    columns,
    batches: batches(rows),
    cells,
    summary: { name: "Summary", columns, rows: () => [[text("rows"), { kind: "tally", value: rows.length }]] },
    release: () => {},
    sheetRows,
  });

/** Reads the file with SheetJS, which shares no code with our writer. */
const readBack = async (rows: readonly (readonly Cell[])[], sheetRows?: number): Promise<WorkBook> =>
  read(await buffer(fileOf(rows, sheetRows)), { cellNF: true, cellFormula: true });

const valuesOf = (book: WorkBook, sheet: string) =>
  utils.sheet_to_json<unknown[]>(book.Sheets[sheet]!, { header: 1, raw: true, blankrows: true });

const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).map((one) => one.toWellFormed().replaceAll("\0", "\uFFFD"));
const hardText = fc.constantFrom(
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "\t=1",
  "_x000D_",
  "_x005F_x000D_",
  "x_x0041_",
  "_X000D_",
  "__x0001_",
  "a\r\nb",
  "\r",
  "\n",
  "\t",
  " lead",
  "trail ",
  "  ",
  "]]>",
  "<b>&amp;</b>",
  "\u0001\u0002\u001f",
  "\ufffe\uffff",
  "\u0085\u2028",
  "ก็ใจ😀",
  '"',
  "'",
  "1",
  "TRUE",
  "2024-01-01",
  "#REF!",
);
const amounts = fc.oneof(
  fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
  fc.constantFrom(0.1, 0.30000000000000004, 1e6, 5e-324, 123456.789012345),
);

test("a spreadsheet reads back every text exactly, never as a formula, and every number to the last bit", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.oneof(anyText, hardText), amounts), { minLength: 1, maxLength: 20 }), async (given) => {
      const book = await readBack(given.map(([word, value]) => [text(word), { kind: "amount", value }]));
      // SheetJS makes one line feed of CR LF, however they are written.
      const expected = given.map(([word, value]) => [word.replaceAll("\r\n", "\n"), value]);
      expect(valuesOf(book, "Donations").slice(1)).toEqual(expected);
      const cells = Object.entries(book.Sheets.Donations!).filter(([place]) => /^[AB]\d+$/.test(place) && !place.endsWith("A1"));
      for (const [place, cell] of cells) {
        if (/^[AB]1$/.test(place)) continue;
        expect([cell.t, cell.f]).toEqual([place.startsWith("A") ? "s" : "n", undefined]);
      }
    }),
    { numRuns: 100 },
  ));

test("an escaped text has no character that XML 1.0 forbids", () => {
  const every = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((one) => one.isWellFormed());
  const left = every.map(escapeText).join("");
  expect(left).not.toMatch(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
});

test("rows beyond the limit of a sheet are in further sheets, each with its header", async () => {
  const rows = Array.from({ length: 25 }, (_, index): Cell[] => [text(`r${index}`), { kind: "amount", value: index }]);
  for (const [sheetRows, sheets] of [
    [26, 1],
    [25, 2],
    [13, 3],
    [6, 5],
    [11, 3],
  ] as const) {
    const book = await readBack(rows, sheetRows);
    expect(book.SheetNames).toEqual([
      "Donations",
      ...Array.from({ length: sheets - 1 }, (_, index) => `Donations ${index + 2}`),
      "Summary",
    ]);
    const read = book.SheetNames.slice(0, -1).flatMap((name) => {
      const [header, ...values] = valuesOf(book, name);
      expect(header).toEqual(["Text <&>", "Number"]);
      expect(values.length).toBeLessThan(sheetRows);
      return values;
    });
    expect(read).toEqual(rows.map((_, index) => [`r${index}`, index]));
  }
});

test("a workbook without rows has a header and a summary", async () => {
  const book = await readBack([]);
  expect([valuesOf(book, "Donations"), valuesOf(book, "Summary").slice(1)]).toEqual([[["Text <&>", "Number"]], [["rows", 0]]]);
});

test("rows are read only as fast as the workbook is read, and destroying its stream releases them", async () => {
  let [read, released, ended] = [0, 0, false];
  const endless = async function* () {
    try {
      for (;;) {
        read += 1;
        yield Array.from({ length: 500 }, (): Cell[] => [text(crypto.randomUUID().repeat(5))]);
      }
    } finally {
      ended = true;
    }
  };
  const summary = { name: "Summary", columns, rows: () => [] };
  const stream = streamWorkbook({ name: "Donations", columns, batches: endless(), cells, summary, release: () => (released += 1) });
  await sleep(300);
  expect(read).toBeLessThan(50);
  stream.destroy();
  await expect.poll(() => [released, ended]).toEqual([1, true]);
});

test("a failure to read rows fails the workbook instead of ending it", async () => {
  let released = 0;
  const failing = async function* () {
    yield [[text("one")]];
    throw new Error("lost");
  };
  const summary = { name: "Summary", columns, rows: () => [] };
  const stream = streamWorkbook({ name: "Donations", columns, batches: failing(), cells, summary, release: () => (released += 1) });
  await expect(buffer(stream)).rejects.toThrow("lost");
  await expect.poll(() => released).toBe(1);
});

test.each([
  ["2026-11-20T12:30:00.000Z", "Asia/Bangkok", "2026-11-20 19:30:00.000"],
  ["2024-02-29T16:59:59.999Z", "Asia/Bangkok", "2024-02-29 23:59:59.999"],
  ["2024-02-29T17:00:00.000Z", "Asia/Bangkok", "2024-03-01 00:00:00.000"],
  ["1900-01-01T00:00:00.000Z", "UTC", "1900-01-01 00:00:00.000"],
  ["1900-02-28T23:59:59.999Z", "UTC", "1900-02-28 23:59:59.999"],
  ["1900-03-01T00:00:00.000Z", "UTC", "1900-03-01 00:00:00.000"],
  ["9999-12-31T00:00:00.000Z", "UTC", "9999-12-31 00:00:00.000"],
  ["2024-03-10T06:59:59.000Z", "America/New_York", "2024-03-10 01:59:59.000"],
  ["2024-03-10T07:00:00.000Z", "America/New_York", "2024-03-10 03:00:00.000"],
  ["2024-07-01T00:00:00.000Z", "Asia/Kathmandu", "2024-07-01 05:45:00.000"],
])("the instant %s in the time zone %s is a date cell that shows %s", async (instant, timezone, shown) => {
  const cell = dateCells(timezone)(Date.parse(instant));
  expect(cell.kind).toBe("date");
  const { Sheets } = await readBack([[cell]]);
  expect([Sheets.Donations!.A2.t, Sheets.Donations!.A2.w]).toEqual(["n", shown]);
});

test.each([
  [Date.UTC(1900, 0, 1) - 1, "1899-12-31 23:59:59.999"],
  [Date.UTC(10_000, 0, 1), "10000-01-01 00:00:00.000"],
  [-62_167_219_200_000, "0000-01-01 00:00:00.000"],
  [-62_167_219_200_001, "-0001-12-31 23:59:59.999"],
])("the instant %s is outside the calendar of spreadsheets and becomes the text %s", (ms, shown) =>
  expect(dateCells("UTC")(ms)).toEqual({ kind: "text", value: shown }),
);
