import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { costInLoops } from "../../../base/testing-cost.ts";
import { temporaryDirectory } from "../../../db/testing.ts";
import { loadContract } from "../../../http/contract/contract.ts";
import { checkImported } from "../outcomes.ts";
import { readAmount } from "./amounts.ts";
import { guessColumns, timezoneIn, titlesOf } from "./columns.ts";
import { openFile, openTable } from "./open-file.ts";
import { previewFile } from "./preview.ts";
import { readWorkbook } from "./read-workbook.ts";
import { noChoices, type TableRow } from "./table.ts";
import { donationsIn } from "./testing.ts";
import { workbookOf, zipOf } from "./testing-workbook.ts";
import { readTime } from "./times.ts";

const mebibyte = 1_048_576;

/** Writes the file, and returns its name. A workbook is written from the XML of its rows. */
async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const file = join(await temporaryDirectory(), name);
  await writeFile(file, content);
  return file;
}

const sheet = async (rows: string, parts: Record<string, string> = {}) => fileOf("a.xlsx", await workbookOf([{ name: "A", rows }], parts));

async function storableRows(file: string): Promise<TableRow[]> {
  return Array.fromAsync((await openTable(file, { choices: noChoices }))?.rows ?? []);
}

/** In this thread, where a test takes less time than in one that is started for it. */
async function rowsOf(file: string): Promise<TableRow[]> {
  if (file.endsWith(".csv")) return storableRows(file);
  const { rowsOf } = await readWorkbook(file, { maxInflatedBytes: 64 * mebibyte, hasChoice: true });
  return Array.fromAsync(rowsOf([0]));
}

const cell = (r: string) => `<row r="1"><c r="${r}" t="inlineStr"><is><t>Name</t></is></c></row>`;

test.each(["XFE1", "ZZZ1", "ZZZZ1", `${"Z".repeat(10)}1`, "1", "a1", "A", "A-1", "-A1", ""])(
  "a workbook with a cell at %j, which no sheet has, is refused",
  async (place) => expect(rowsOf(await sheet(cell(place)))).rejects.toThrow(/^a sheet has no cell|^row 1 has more than 16,384 columns/),
);

test.each(["0", "1048577", "-1", "1.5", "1e6", "Infinity", "abc", "9".repeat(400)])(
  "a workbook with a row %j, which no sheet has, is refused",
  async (number) => expect(rowsOf(await sheet(`<row r="${number}"></row>`))).rejects.toThrow("a sheet has no row"),
);

test("NUL and halves of a character in a cell become U+FFFD, as in a request", async () => {
  const text = (value: string) => sheet(`<row><c t="inlineStr"><is><t>${value}</t></is></c></row>`);
  for (const bad of ["_x0000_", "_xD800_", "_xDC00_"]) expect((await storableRows(await text(`A${bad}B`)))[0]?.cells).toEqual(["A\uFFFDB"]);
  expect((await storableRows(await text("_xD83D__xDE00_")))[0]?.cells).toEqual(["😀"]);
  expect((await storableRows(await fileOf("a.csv", "A\0B,1\n")))[0]?.cells).toEqual(["A\uFFFDB", "1"]);
});

test("a workbook may have values in its last row and column, and cells without a value leave no columns behind", async () => {
  const last = '<row r="1048576"><c r="A1048576"><v>1</v></c><c r="XFD1048576" s="1"/></row>';
  expect(await rowsOf(await sheet(last))).toEqual([{ number: 1_048_576, sheet: 1, cells: [1] }]);
  const [row] = await rowsOf(await sheet('<row r="1"><c r="ALL1"><v>2</v></c></row>'));
  expect(row?.cells).toHaveLength(1_000);
});

test("cells without a place follow one another, also behind an empty one", async () => {
  const cells = '<row><c><v>1</v></c><c/><c><v>3</v></c><c r="F1"><v>6</v></c><c><v>7</v></c></row>';
  const [row] = await rowsOf(await sheet(cells));
  expect([...(row?.cells ?? [])]).toEqual([1, undefined, 3, undefined, undefined, 6, 7]);
});

test.each([
  ["a million nested elements", "<a>".repeat(1_000_000), "nests too deep"],
  ["500,000 attributes", `<row ${Array.from({ length: 500_000 }, (_, index) => `a${index}=""`).join(" ")}>`, "too many attributes"],
  ["100,000 cells in a row", `<row>${"<c><v>1</v></c>".repeat(100_000)}</row>`, "more than 1,000 columns"],
  ["100,000 cells outside of rows", "<c><v>1</v></c>".repeat(100_000), "more than 1,000 columns"],
  ["100,000 empty cells in a row", `<row>${"<c/>".repeat(100_000)}</row>`, "more than 16,384 columns"],
  ["a filled cell in a sheet's last column", cell("XFD1"), "more than 1,000 columns"],
  ["a cell of 4 MB", `<row><c t="str"><v>${"x".repeat(4_000_000)}</v></c></row>`, "longer than 32,767 characters"],
  ["more rows than a sheet has", "<row/>".repeat(1_100_000), "a sheet has no row “1048577”"],
  ["an entity that is declared", "<row><c><v>&a;</v></c></row>", "the workbook is damaged: 1:"],
])("a workbook with %s is refused before it fills the memory", { timeout: 60_000 }, async (_, xml, message) => {
  const declared = { "xl/worksheets/sheet1.xml": `<!DOCTYPE a [<!ENTITY a "${"x".repeat(1_000)}">]><worksheet>${xml}` };
  await expect(rowsOf(await sheet("", declared))).rejects.toThrow(message);
});

test.each([
  ["shared texts", "", `<sst>${"<si/>".repeat(200_000)}</sst>`],
  ["cells", `<row>${"<c/>".repeat(16_000)}</row>`.repeat(16), "<sst/>"],
])("a workbook whose bytes are mostly empty %s is refused before all of them are parsed", async (_, rows, texts) => {
  const file = await sheet(rows, { "xl/sharedStrings.xml": texts });
  const read = async () => {
    const { rowsOf } = await readWorkbook(file, { maxInflatedBytes: 1.5 * mebibyte, hasChoice: true });
    return Array.fromAsync(rowsOf([0]));
  };
  await expect(read()).rejects.toThrow("too many cells and texts");
});

test("a shared text that is longer than a cell can be is refused", async () => {
  const parts = { "xl/sharedStrings.xml": `<sst><si><t>${"x".repeat(40_000)}</t></si></sst>` };
  await expect(rowsOf(await sheet("", parts))).rejects.toThrow("longer than 32,767 characters");
});

/** Changes the bytes behind the first place of `mark`. */
function patched(bytes: Buffer, mark: string, patch: (bytes: Buffer, at: number) => void): Buffer {
  patch(bytes, bytes.indexOf(mark, 0, "latin1"));
  return bytes;
}

const firstEntry = "PK\x01\x02"; // of the ZIP file's directory: the checksum stands 16 bytes behind it, the unpacked size 24
test.each<[string, (bytes: Buffer) => Buffer, string]>([
  ["is cut", (bytes) => bytes.subarray(0, bytes.length - 500), "the workbook is damaged: End of central directory record"],
  [
    "unpacks to more than it says",
    (bytes) => patched(bytes, firstEntry, (all, at) => all.writeUInt32LE(5, at + 24)),
    "the workbook is damaged: too many bytes in the stream",
  ],
  [
    "has a wrong checksum",
    (bytes) => patched(bytes, firstEntry, (all, at) => all.writeUInt32LE(5, at + 16)),
    "the workbook is damaged: its checksum is wrong",
  ],
])("a workbook whose ZIP file %s is refused", async (_, spoil, message) => {
  const bytes = await workbookOf([{ name: "A", rows: "<row/>".repeat(1_000) }]);
  await expect(rowsOf(await fileOf("a.xlsx", spoil(bytes)))).rejects.toThrow(message);
});

test("a workbook that unpacks to more than the limit is refused, and one with too many parts", async () => {
  const large = await sheet("<row/>".repeat(1_000));
  await expect(readWorkbook(large, { maxInflatedBytes: 5_000, hasChoice: true })).rejects.toThrow(
    "larger than 0.0048 MiB when it is unpacked",
  );
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`x${at}`, ""]));
  await expect(rowsOf(await fileOf("a.xlsx", await zipOf(many)))).rejects.toThrow("more than 10,000 parts");
});

test.each([
  ["an .xls workbook or one with a password", Buffer.from("d0cf11e0a1b11ae1", "hex"), "a.xls", "save it as .xlsx without a password"],
  ["an encrypted workbook named .xlsx", Buffer.from("d0cf11e0a1b11ae1", "hex"), "a.xlsx", "save it as .xlsx without a password"],
  ["a web page named .xls", Buffer.from("\uFEFF\n <TABLE><tr><td>name"), "a.xls", "save it as .xlsx"],
  ["a PDF named .csv", Buffer.from("%PDF-1.7"), "a.csv", "a PDF"],
  ["a text named .xlsx", Buffer.from("name,amount"), "a.xlsx", "the file must be one of"],
])("%s is refused by what it is, and the reason says what to do", async (_, bytes, name, message) => {
  await expect(openTable(await fileOf(name, bytes), { choices: noChoices })).rejects.toThrow(message);
});

test("a ZIP file of another program is refused, and the reason says what to do", async () => {
  const bytes = await zipOf({ mimetype: "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<a/>" });
  await expect(rowsOf(await fileOf("a.ods", bytes))).rejects.toThrow("save it as .xlsx or .csv");
});

test("a workbook of more than 1,000 sheets is refused", async () => {
  const sheets = Array.from({ length: 1_001 }, (_, index) => ({ name: `S${index}`, rows: "" }));
  await expect(rowsOf(await fileOf("a.xlsx", await workbookOf(sheets)))).rejects.toThrow("more than 1,000 sheets");
});

test.each([
  ["a line of a million commas", ",".repeat(1_000_000), "line 1 is longer than 64 KiB"],
  ["a line of a million commas behind a header", `name,amount\r${",".repeat(1_000_000)}`, "line 2 is longer than 64 KiB"],
])("a CSV file with %s is refused", async (_, text, message) => {
  await expect(rowsOf(await fileOf("a.csv", text))).rejects.toThrow(message);
});

test("lines of a CSV file may end with carriage returns alone", async () => {
  expect(await rowsOf(await fileOf("a.csv", "name,amount\r".repeat(10_000)))).toHaveLength(10_000);
});

test.each([
  ["lines that are no JSON", "a.ndjson", "x\n".repeat(30_000)],
  ["empty lines", "a.ndjson", "\n".repeat(300_000)],
])("the event loop serves others while a file of %s is read", async (_, name, text) => {
  const file = await fileOf(name, text);
  let turns = 0;
  const counting = setInterval(() => void (turns += 1), 1);
  const options = { timezone: "UTC", columns: new Map(), choices: noChoices, places: { donatorName: 0, amount: 1 } };
  const before = process.threadCpuUsage();
  for await (const _item of openFile(file, options));
  const busyMs = process.threadCpuUsage(before).user / 1_000;
  clearInterval(counting);
  expect(turns).toBeGreaterThan(busyMs / 50);
});

test("the end of a text that is too long for a donation is left out, so that its row is still refused", async () => {
  const [donation] = await donationsIn([
    ["name", "amount"],
    ["x".repeat(30_000), 1],
  ]);
  expect(donation?.value.donatorName).toBe("x".repeat(1_000));
});

const options = { timezone: "UTC", columns: new Map(), choices: noChoices, maxInflatedBytes: mebibyte };
const checkItem = checkImported((await loadContract()).checkerOf);

test("a file of more than 200 columns is refused, and a title's end beyond 200 characters is left out", async () => {
  await expect(previewFile(await fileOf("a.csv", "a,".repeat(200)), options, checkItem)).rejects.toThrow("more than 200 columns");
  expect(titlesOf(["x".repeat(30_000)])).toEqual(["x".repeat(200)]);
});

test("the preview shows a workbook's dates and times of day as dates, and other numbers as they are", async () => {
  const styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="3"/></cellXfs></styleSheet>';
  const cells = '<c s="1"><v>46300.5</v></c><c s="1"><v>46300</v></c><c s="2"><v>0.8125</v></c><c s="3"><v>1500</v></c>';
  const titles = ["a", "b", "c", "d"].map((name) => `<c t="str"><v>${name}</v></c>`).join("");
  const preview = await previewFile(
    await sheet(`<row>${titles}</row><row>${cells}</row>`, { "xl/styles.xml": styles }),
    options,
    checkItem,
  );
  expect(preview?.rows[0]?.cells).toEqual(["2026-10-05 12:00:00", "2026-10-05", "19:30:00", "1500"]);
});

/** A pattern that tries every way to divide them takes seconds to days. */
test.each([
  ["a title with parts of a time zone", () => timezoneIn(`(a${"_".repeat(44)}`)],
  ["a title of parentheses", () => guessColumns(["name", "amount", "date", "(".repeat(1_000_000)]).timezone],
  ["an amount of digits", () => readAmount(`${"1".repeat(200_000)}x`)],
  ["an amount of as many groups as are read", () => readAmount(`${"1 234,".repeat(9)}x`)],
  ["a time of letters T", () => readTime("T".repeat(200_000))],
  ["a time of years", () => readTime(`Jan 1 2026 (${"1 2026 ".repeat(50_000)}`)],
  ["a time of as many parts as are read", () => readTime(`${"1:00 am ".repeat(12)}x`)],
])("%s is read in linear time", { timeout: 5_000 }, (_, read) => {
  expect(costInLoops(() => void read())).toBeLessThan(12);
});
