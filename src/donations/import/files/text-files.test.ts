import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../db/testing.ts";
import { openTable } from "./open-file.ts";
import { type FileChoices, noChoices } from "./table.ts";

async function read(content: string | Buffer, choices: Partial<FileChoices> = {}, name = "tips.csv") {
  const file = join(await temporaryDirectory(), name);
  await writeFile(file, content);
  const table = await openTable(file, { choices: { ...noChoices, ...choices } });
  const rows = await Array.fromAsync(table?.rows ?? []);
  return { ...table?.reading, numbers: rows.map(({ number }) => number), cells: rows.map(({ cells }) => cells) };
}

/** Thai letters follow one another as in Unicode. */
const windows874 = (text: string) =>
  Buffer.from([...text].map((letter) => (letter >= "ก" ? (letter.codePointAt(0) ?? 0) - 0x0e00 + 0xa0 : letter.charCodeAt(0))));
const westernSigns: Record<string, number> = { "€": 0x80, "’": 0x92, "–": 0x96, Š: 0x8a, Ž: 0x8e, ž: 0x9e };
const windows1252 = (text: string) => Buffer.from([...text].map((letter) => westernSigns[letter] ?? letter.charCodeAt(0)));
const utf16 = (text: string, order: "le" | "be") => (order === "le" ? Buffer.from(text, "utf16le") : Buffer.from(text, "utf16le").swap16());

const thai = "ชื่อ,จำนวนเงิน,ข้อความ\nสมชาย,107,ขอเพลงหน่อยครับ\n";
const thaiCells = [
  ["ชื่อ", "จำนวนเงิน", "ข้อความ"],
  ["สมชาย", "107", "ขอเพลงหน่อยครับ"],
];

test.each([
  ["UTF-8", Buffer.from(thai), "utf-8"],
  ["UTF-8 with a mark", Buffer.from(`\uFEFF${thai}`), "utf-8"],
  ["UTF-16 LE with a mark", utf16(`\uFEFF${thai}`, "le"), "utf-16le"],
  ["UTF-16 BE with a mark", utf16(`\uFEFF${thai}`, "be"), "utf-16be"],
  ["UTF-16 LE without a mark", utf16(thai, "le"), "utf-16le"],
  ["UTF-16 BE without a mark", utf16(thai, "be"), "utf-16be"],
  ["windows-874", windows874(thai), "windows-874"],
])("a Thai file in %s is read as its author sees it, and the reading names the encoding", async (_, bytes, encoding) =>
  expect(await read(bytes)).toMatchObject({ encoding, cells: thaiCells }),
);

test.each([
  "ชื่อ,amount\nDJสมชาย,5\n",
  "name,amount\nมะลิ99,5\n",
  "name,note\nA,ขอบคุณค่ะ 5๐ บาท\n",
  "name,place\nA,กรุงเทพฯ\n",
  "name,amount\nดร.Smith,5\n",
  "name,amount\nน้ำ,5\nแม่ฟ้าหลวง,3\n",
  "name,amount\nAnn,฿5\n",
])("the Thai text %j in windows-874 is not taken for windows-1252", async (text) =>
  expect(await read(windows874(text))).toMatchObject({
    encoding: "windows-874",
    cells: text
      .trim()
      .split("\n")
      .map((line) => line.split(",")),
  }),
);

test.each([
  "name,amount\nJosé,5\nZoë,3\n",
  "Prénom,Montant\nÉlodie,5 €\n",
  "name,note\nBjørn,Größe – wie’s geht\n",
  "name,note\nA,€5\n",
  "name,note\nA,5 ½ £\n",
  "name,note\nÀ ÇA,ŠIMON Žižka\n",
  "ação,amount\nJoão Conceição,5\n",
])("the Western text %j in windows-1252 is not taken for windows-874", async (text) =>
  expect(await read(windows1252(text))).toMatchObject({
    encoding: "windows-1252",
    cells: text
      .trim()
      .split("\n")
      .map((line) => line.split(",")),
  }),
);

test("bytes that are no UTF-8 are found behind a hundred thousand lines that are", async () => {
  const file = Buffer.concat([Buffer.from("name,amount\n".repeat(100_000)), windows874("สมชาย,5\n")]);
  const { encoding, cells } = await read(file);
  expect([encoding, cells.at(-1)]).toEqual(["windows-874", ["สมชาย", "5"]]);
});

test.each([
  [
    "UTF-8 with a wrong byte",
    Buffer.concat([Buffer.from("ชื่อ,ยอด\nมะลิ,5\nสมชา"), Buffer.of(0xe0, 0xb8), Buffer.from(",3\n")]),
    null,
    "line 3 has bytes that utf-8 lacks",
  ],
  [
    "windows-874 with a byte that it lacks",
    Buffer.concat([windows874("สมชาย,ยอดเงิน\r\nกานดา,5\r\n"), Buffer.of(0xfc, 0x2c, 0x35)]),
    null,
    "line 3 has bytes that windows-874 lacks",
  ],
  [
    "windows-1252 with a byte that it lacks",
    Buffer.concat([windows1252("José,5\n"), Buffer.of(0x41, 0x81, 0x42)]),
    null,
    "line 2 has bytes that windows-1252 lacks",
  ],
  ["windows-874 that is chosen to be UTF-8", windows874(thai), "utf-8", "line 1 has bytes that utf-8 lacks"],
  [
    "windows-1252 that is chosen to be windows-874",
    windows1252("name,x\nMüller,5\n"),
    "windows-874",
    "line 2 has bytes that windows-874 lacks",
  ],
  ["UTF-8 that is chosen to be UTF-16", Buffer.from("name,amount\n"), "utf-16le", "not utf-16le"],
  ["UTF-16 that is chosen to be windows-874", utf16(`\uFEFF${thai}`, "le"), "windows-874", "says that it is utf-16le"],
  ["half a letter of UTF-16", Buffer.concat([utf16(`\uFEFF${thai}`, "le"), Buffer.of(0x41)]), null, "line 3 has bytes that utf-16le lacks"],
  ["UTF-8 with a word in windows-1252", Buffer.concat([Buffer.from("José,5\n"), windows1252("Zoë,5\n")]), null, "none of UTF-8"],
  ["the letters é and ü of a Macintosh", Buffer.from("n,a\nJos\x8e,5\nM\x9fller,3\n", "latin1"), null, "none of UTF-8"],
  ["Polish in ISO 8859-2", Buffer.from("n,a\n\xa3ukasz \xafak,5\nPawe\xb3,3\n", "latin1"), null, "none of UTF-8"],
  ["Cyrillic in windows-1251", Buffer.from("c8ecff2cd1f3ecece00aceebfce3e02c350a", "hex"), null, "none of UTF-8"],
] as const)("%s is refused, and no U+FFFD comes into a cell", async (_, bytes, encoding, reason) =>
  expect(read(bytes, { encoding })).rejects.toThrow(reason),
);

test("an encoding that is chosen comes before the guessed one", async () => {
  const bytes = windows874("name,amount\nกขค,5\n");
  expect((await read(bytes, { encoding: "windows-1252" })).cells[1]).toEqual(["¡¢¤", "5"]);
});

test.each([
  ["commas", "name,amount\nA,1\n", ","],
  ["semicolons and decimal commas", "name;amount;date\nA;0,50;2026\nB;1,25;2026\n", ";"],
  ["tabs, and commas in texts", "name\tnote\nA\thi, you, there\nB\tone, two\n", "\t"],
  ["bars", "name|amount\nA|1\n", "|"],
  ["semicolons in quoted texts", 'name,note\nA,"a;b;c"\nB,"d;e;f"\n', ","],
  ["commas below a title", "Report of November; all\n\nname,amount\nA,1\nB,2\n", ","],
  ["commas in the header's quotes alone", '"a,b";"c,d";e\n1;2;3\n', ";"],
  ["a line that names another separator", "sep=;\r\nname;a,b\r\nA,1;2\r\n", ";"],
  ["a line that names it with a mark before", "\uFEFFsep=;\nname;a\nA,1;2\n", ";"],
])("a file of %s is read with its separator", async (_, text, separator) => expect(await read(text)).toMatchObject({ separator }));

test("a separator that is chosen comes before the guessed one, and before the line that names one", async () => {
  expect((await read("a,b;c\n", { separator: ";" })).cells).toEqual([["a,b", "c"]]);
  expect((await read("sep=,\na,b;c\n", { separator: ";" })).cells).toEqual([["a,b", "c"]]);
});

test.each(["tips.tsv", "tips.txt", "tips.TAB", "tips.xls", "tips"])("a text file named %s is read", async (name) =>
  expect((await read("name\tamount\nA\t1\n", {}, name)).cells).toEqual([
    ["name", "amount"],
    ["A", "1"],
  ]),
);

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("lines that end with %s are numbered as an editor counts them, empty ones and those in quotes among them", async (_, end) => {
  const text = ["sep=,", '"Name', '(optional)",amount', "", "A,1", ",", 'B,"2', "", '3"', "C,4"].join(end);
  const { numbers, cells } = await read(text);
  expect(numbers).toEqual([2, 5, 7, 10]);
  expect(cells[0]).toEqual([`Name${end}(optional)`, "amount"]);
});

test("lines may end in three ways in one file", async () =>
  expect((await read("a,b\r\nc,d\re,f\ng,h")).cells).toEqual([
    ["a", "b"],
    ["c", "d"],
    ["e", "f"],
    ["g", "h"],
  ]));

test("a quote inside of a cell without quotes is a letter, and doubled quotes are one", async () =>
  expect((await read('name,note\n5" disk,"say ""hi"""\n"""A""",b"c"\n')).cells.slice(1)).toEqual([
    ['5" disk', 'say "hi"'],
    ['"A"', 'b"c"'],
  ]));

test.each([
  ['"Nok "the" cat",1', "line 3: its quotes are wrong"],
  ['"A"x,1', "line 3: its quotes are wrong"],
  ['"A,1\nB,2\nC,3', "line 3: its quotes are wrong"],
])("the quotes of %j are a fault that names the line", async (row, fault) =>
  expect(read(`name,amount\nA,1\n${row}\n`)).rejects.toThrow(fault),
);

test.each(["\n", "\r", "\r\n"])("a line longer than 64 KiB is a fault that names it, in a file whose lines end with %j", (end) =>
  expect(read(`sep=,${end}${`name,amount${end}`.repeat(20_000)}${"x".repeat(70_000)}${end}`)).rejects.toThrow(
    "line 20002 is longer than 64 KiB",
  ),
);

test("a quoted cell longer than 64 KiB is a fault that names the line", () =>
  expect(read(`name,amount\nA,1\n"${"A,1\n".repeat(30_000)}\n`)).rejects.toThrow(
    "line 3: a cell is longer than 64 KiB: its quotes are wrong",
  ));

test.each([
  ['="00123"', "00123"],
  ['"=""00123"""', "00123"],
  ["'00123", "00123"],
  ["'=1+1", "=1+1"],
  ["'+66812345678", "+66812345678"],
  ["'tis", "'tis"],
  ["'90s kids", "'90s kids"],
  ["'-_-'", "'-_-'"],
  ["=1+1", "=1+1"],
])("the cell %s, which keeps a spreadsheet from changing it, is the text %s", async (cell, text) =>
  expect((await read(`name\n${cell}\n`)).cells[1]).toEqual([text]),
);
