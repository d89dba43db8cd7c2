import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../db/testing.ts";
import { openTable } from "./open-file.ts";
import { chooseSheets } from "./open-workbook.ts";
import { readWorkbook } from "./read-workbook.ts";
import { type Cell, noChoices, type TableRow } from "./table.ts";
import { relation, relationsOf, rowOf, type SheetParts, sheetOf, workbookOf } from "./testing-workbook.ts";

async function fileOf(bytes: Buffer): Promise<string> {
  const file = join(await temporaryDirectory(), "a.xlsx");
  await writeFile(file, bytes);
  return file;
}

/** As `openTable`, in this thread. */
async function read(bytes: Buffer, sheet: string | null = null) {
  const { rowsOf, ...workbook } = await readWorkbook(await fileOf(bytes), { maxInflatedBytes: 1e9, hasChoice: false });
  const { places, isQuestion } = chooseSheets(workbook.sheets, sheet);
  const rows = await Array.fromAsync(rowsOf(places));
  return { ...workbook, isQuestion, rows, cells: rows.map(({ cells }) => [...cells]) };
}

const one = async (row: string, parts: Record<string, string | Buffer> = {}) => read(await workbookOf([{ name: "A", rows: row }], parts));
const firstCell = async (cell: string, parts: Record<string, string | Buffer> = {}): Promise<Cell | undefined> =>
  (await one(`<row>${cell}</row>`, parts)).cells[0]?.[0];

const donations = (name: string): string => rowOf("date", "name", "amount") + rowOf("2026-11-20", name, 5);
const namesIn = (cells: (Cell | undefined)[][]) => cells.slice(1).map(([, name]) => name);

test("sheets are found by relationship, wherever their parts are and whatever they are called, in the order of the tabs", async () => {
  const bytes = await workbookOf([], {
    "_rels/.rels": relationsOf(relation("a", "officeDocument", "/book/main.xml")),
    "book/main.xml":
      '<x:workbook xmlns:x="m" xmlns:rel="r"><x:sheets><x:sheet name="B" rel:id="two"/><x:sheet name="A" rel:id="one"/></x:sheets></x:workbook>',
    "book/_rels/main.xml.rels": relationsOf(
      relation("one", "worksheet", "/Sheets/First.xml"),
      relation("two", "worksheet", "../sheets/./zwei.xml"),
    ),
    "sheets/first.xml": sheetOf(rowOf("only a note")),
    "sheets/zwei.xml": sheetOf(donations("Bo"))
      .replaceAll(/<(\/?)(?=\w)/g, "<$1y:")
      .replace("xmlns=", "xmlns:y="),
  });
  const { sheets, cells } = await read(bytes);
  expect(sheets.map(({ name }) => name)).toEqual(["B", "A"]);
  expect(namesIn(cells)).toEqual(["Bo"]);
});

test("hidden and very hidden sheets are left out, unless one is chosen by its name", async () => {
  const bytes = await workbookOf([
    { name: "Old", state: "hidden", rows: donations("Old") },
    { name: "Older", state: "veryHidden", rows: donations("Older") },
    { name: "Tips", rows: donations("Ci") },
  ]);
  const { cells, isQuestion, sheets } = await read(bytes);
  expect([namesIn(cells), isQuestion, sheets.map(({ isHidden }) => isHidden)]).toEqual([["Ci"], false, [true, true, false]]);
  expect(namesIn((await read(bytes, "Older")).cells)).toEqual(["Older"]);
  await expect(read(bytes, "Tip")).rejects.toThrow('no sheet "Tip"; there are "Old", "Older", "Tips"');
});

test("a workbook whose sheets are all hidden asks which one is meant, and shows the first", async () => {
  const sheets = ["Old", "Older"].map((name) => ({ name, state: "hidden", rows: donations(name) }) as const);
  const { cells, isQuestion } = await read(await workbookOf([...sheets]));
  expect([namesIn(cells), isQuestion]).toEqual([["Old"], true]);
});

const titled = rowOf("Report") + donations("Jan");
const own = rowOf("Created at", "Donator", "Amount", "Donation id", "Idempotency key", "Received at");
test.each<[string, SheetParts[], number[], boolean]>([
  [
    "two lists of donations",
    [
      { name: "A", rows: donations("A") },
      { name: "B", rows: titled },
    ],
    [0],
    true,
  ],
  [
    "a list and one without data",
    [
      { name: "A", rows: rowOf("date", "name", "amount") },
      { name: "B", rows: donations("B") },
    ],
    [1],
    false,
  ],
  [
    "a list with times behind one without",
    [
      { name: "A", rows: rowOf("name", "amount") + rowOf("A", 1) },
      { name: "B", rows: donations("B") },
    ],
    [0],
    true,
  ],
  [
    "a list with times before one without",
    [
      { name: "A", rows: donations("A") },
      { name: "B", rows: rowOf("name", "amount") + rowOf("A", 1) },
    ],
    [0],
    false,
  ],
  [
    "sums before a list",
    [
      { name: "A", rows: rowOf("month", "sum") + rowOf("Jan", 1) },
      { name: "B", rows: donations("B") },
    ],
    [1],
    false,
  ],
  [
    "two lists with columns that nobody knows",
    [
      { name: "A", rows: rowOf("q", "w") + rowOf("a", 1) },
      { name: "B", rows: rowOf("e") + rowOf("a") },
    ],
    [0],
    true,
  ],
  [
    "an export of this service that has two sheets and a summary",
    [
      { name: "A", rows: own + rowOf("a") },
      { name: "B", rows: own + rowOf("b") },
      { name: "C", rows: rowOf("Month", "Sum") + rowOf("a", 1) },
    ],
    [0, 1],
    false,
  ],
])("of %s the sheets that are meant are read, or the person is asked", async (_, sheets, places, isQuestion) => {
  const workbook = await readWorkbook(await fileOf(await workbookOf(sheets)), { maxInflatedBytes: 1e9, hasChoice: false });
  expect(chooseSheets(workbook.sheets, null)).toEqual({ places, isQuestion });
  const rows = await Array.fromAsync(workbook.rowsOf(places));
  expect(rows.length).toBe(places.length === 1 ? (sheets[places[0] ?? 0]?.rows.match(/<row>/g)?.length ?? 0) : 3);
});

test("readings of names are left out of a cell's text, and the parts of rich text are put together", async () => {
  const rich = '<r><t>東</t></r><r><rPr><b/></rPr><t>京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/>';
  expect(await firstCell(`<c t="inlineStr"><is>${rich}</is></c>`)).toBe("東京");
  expect(await firstCell('<c t="s"><v>1</v></c>', { "xl/sharedStrings.xml": `<sst><si><t>x</t></si><si>${rich}</si></sst>` })).toBe("東京");
});

test.each<[string, Cell | undefined]>([
  ["<c><v>7234567890123456789</v></c>", "7234567890123456789"],
  ['<c t="n"><v>-1234567890123456</v></c>', "-1234567890123456"],
  ["<c><v>123456789012345</v></c>", 123_456_789_012_345],
  ["<c><v>46346.812499999999</v></c>", 46_346.8125],
  ["<c><v>0.30000000000000004</v></c>", 0.300_000_000_000_000_04],
  ["<c><v>1.5E3</v></c>", 1500],
  ["<c><v>1E+400</v></c>", "1E+400"],
  ["<c><f>A1+1</f><v>2</v></c>", 2],
  ['<c t="str"><f>A1&amp;"x"</f><v>ax</v></c>', "ax"],
  ['<c t="str"><f>""</f><v></v></c>', undefined],
  ['<c t="e"><f>A9</f><v>#REF!</v></c>', "#REF!"],
  ['<c t="b"><v>1</v></c>', "TRUE"],
  ['<c t="b"><v>0</v></c>', "FALSE"],
  ['<c t="d"><v>2026-11-20T19:30:00</v></c>', "2026-11-20 19:30:00"],
  ['<c t="d"><v>2026-11-20T19:30:00Z</v></c>', "2026-11-20 19:30:00"],
  ["<c><v><![CDATA[5]]></v></c>", 5],
  ['<c t="inlineStr"><is><t xml:space="preserve"> a&#10;b_x000D_ </t></is></c>', " a\nb\r "],
])("the cell %s is %j", async (cell, value) => expect(await firstCell(`${cell}<c><v>1</v></c>`)).toBe(value));

test("a formula that was never calculated, and a text that the workbook lacks, are named with their rows", async () => {
  await expect(one('<row r="7"><c r="A7"><f>1+1</f></c></row>')).rejects.toThrow("row 7 has a formula without its value");
  await expect(one('<row r="7"><c r="A7" t="s"><v>3</v></c></row>')).rejects.toThrow("row 7 has a text that the workbook lacks");
});

test.each(["<v></v>", "<v/>", "<v> </v>"])(
  "a formula whose value is %s was never calculated, unless it is an empty text",
  async (value) => {
    await expect(one(`<row r="7"><c r="A7"><f>B1&amp;"x"</f>${value}</c></row>`)).rejects.toThrow("row 7 has a formula without its value");
    expect((await one(`<row><c t="str"><f>""</f>${value.trim()}</c><c><v>1</v></c></row>`)).cells[0]?.[1]).toBe(1);
  },
);

test("the value 0 of a formula is none where the workbook is to be calculated when a spreadsheet opens it", async () => {
  const book = (calc: string) => ({
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="A" r:id="rId1"/></sheets><calcPr ${calc}/></workbook>`,
  });
  const cell = (value: number) => `<row r="7"><c r="A7"><f>B1</f><v>${value}</v></c></row>`;
  await expect(one(cell(0), book('fullCalcOnLoad="1"'))).rejects.toThrow("row 7 has a formula without its value");
  expect((await one(cell(5), book('fullCalcOnLoad="1"'))).cells).toEqual([[5]]);
  expect((await one(cell(0), book('calcId="191029"'))).cells).toEqual([[0]]);
});

test("numbers come with their formats, those that a workbook names by number among them", async () => {
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;$&quot;#,##0.00"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>';
  const row = '<row><c s="1"><v>46346</v></c><c s="2"><v>5</v></c><c s="0"><v>5</v></c><c s="2" t="str"><v>x</v></c></row>';
  const { rows } = await one(row, { "xl/styles.xml": styles });
  expect(rows[0]?.formats).toEqual(["m/d/yyyy", '"$"#,##0.00']);
});

test("rows that a filter or a person has hidden are told from others", async () => {
  const { rows } = await one(`${rowOf("A")}<row r="2" hidden="1"><c><v>1</v></c></row><row r="3" hidden="0"><c><v>2</v></c></row>`);
  expect(rows.map(({ isHidden }) => isHidden ?? false)).toEqual([false, true, false]);
});

test("columns that a person has hidden are told from others", async () => {
  const columns = '<cols><col min="1" max="1" width="9"/><col min="2" max="3" hidden="1"/></cols>';
  const parts = { "xl/worksheets/sheet1.xml": sheetOf(rowOf("A", "B")).replace("<sheetData>", `${columns}<sheetData>`) };
  const { rows } = await read(await workbookOf([{ name: "Tips", rows: "" }], parts));
  expect(rows.map(({ hiddenColumns }) => hiddenColumns)).toEqual([[[1, 2]]]);
});

test("rows that are empty are left out, and the others keep their numbers", async () => {
  const { rows } = await one(`${rowOf("Title")}<row r="2"/><row r="3"><c s="1"/></row><row r="5"><c r="B5"><v>1</v></c></row>`);
  expect(rows.map(({ number, cells }) => [number, cells.length])).toEqual([
    [1, 1],
    [5, 2],
  ]);
});

test.each([
  ["1", true],
  ["true", true],
  ["0", false],
])("a workbook with date1904=%s counts days from 1904: %j", async (value, date1904) => {
  const book = `<workbook xmlns:r="r"><workbookPr date1904="${value}"/><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>`;
  expect((await one(rowOf("x"), { "xl/workbook.xml": book })).date1904).toBe(date1904);
});

test("a sheet in UTF-16 is read, and one whose bytes fit no encoding is refused", async () => {
  const encoded = (bytes: Buffer) => one("", { "xl/worksheets/sheet1.xml": bytes });
  expect((await encoded(Buffer.from(`\uFEFF${sheetOf(rowOf("ก"))}`, "utf16le"))).cells).toEqual([["ก"]]);
  await expect(encoded(Buffer.from(sheetOf(rowOf("é")), "latin1"))).rejects.toThrow("not valid for encoding utf-8");
});

test("a workbook that is read in a thread has the rows that it has, chunk by chunk", async () => {
  const rows = donations("A") + rowOf("2026-11-20", "B", 5).repeat(1_200);
  const table = await openTable(
    await fileOf(
      await workbookOf([
        { name: "Tips", rows },
        { name: "Notes", rows: "" },
      ]),
    ),
    { choices: noChoices },
  );
  expect(table?.reading).toEqual({
    ...{ encoding: null, separator: null, sheet: "Tips", date1904: false, questions: [] },
    sheets: [
      { name: "Tips", isHidden: false },
      { name: "Notes", isHidden: false },
    ],
  });
  const read: TableRow[] = [];
  for await (const row of table?.rows ?? []) read.push(row);
  expect([read.length, read.at(-1)]).toEqual([1_202, { number: 1_202, sheet: 1, cells: ["2026-11-20", "B", 5] }]);
});

test("reading ends when its signal is aborted, and the thread with it", async () => {
  const aborting = new AbortController();
  const file = await fileOf(await workbookOf([{ name: "A", rows: donations("A").repeat(5_000) }]));
  const table = await openTable(file, { choices: noChoices, signal: aborting.signal });
  const read = async () => {
    for await (const _ of table?.rows ?? []) aborting.abort();
  };
  await expect(read()).rejects.toThrow("aborted");
});

test("a binary workbook is refused with what to do", async () => {
  const bytes = await workbookOf([], {
    "_rels/.rels": relationsOf(relation("a", "officeDocument", "xl/workbook.bin")),
    "xl/workbook.bin": Buffer.of(0x83, 1, 0, 0x80, 0xff),
  });
  await expect(read(bytes)).rejects.toThrow(
    "the file is no XLSX workbook: open it in the program that made it, and save it as .xlsx or .csv",
  );
});

test.each([
  ["SUM(B2:B9)", true],
  ["SUM($B$2:$B$9)", true],
  ["sum(B:B)", true],
  ["SUBTOTAL(9,B2:B2)", true],
  ["SUM(Tips[Amount])", true],
  ["AVERAGE(B2:B9)", true],
  ["SUM(A2:B2)", false],
  ["SUM(Tips[@[Net]:[Fee]])", false],
  ["A2*36", false],
  ["VLOOKUP(A2,B2:C9,2)", false],
])("whether the formula %s makes a number of several rows: %s", async (formula, isSum) => {
  const { rows } = await one(`<row><c><v>1</v></c><c><f>${formula}</f><v>5</v></c></row>`);
  expect(rows[0]?.sums).toEqual(isSum ? [1] : undefined);
});
