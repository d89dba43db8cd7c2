import { expect, test } from "vitest";
import { loadContract } from "../../http/contract/contract.ts";
import { openStudio } from "../testing.ts";
import { fileFault, rowFault, rowPlace } from "./import-faults.ts";
import { checkedUpload } from "./testing-imports.ts";

test.each([
  ["amount “0” must be greater than 0", "Amount “0” must be greater than 0", "จำนวนเงิน “0” ต้องมากกว่า 0"],
  ["donatorName is required", "Donator's name is required", "ชื่อผู้โดเนท ว่างอยู่"],
  [
    "amount “x” must be a number; message “a\nb” must have at most 255 characters",
    "Amount “x” must be a number; Message “a\nb” must have at most 255 characters",
    "จำนวนเงิน “x” ต้องเป็นตัวเลข; ข้อความ “a\nb” ยาวได้ไม่เกิน 255 ตัวอักษร",
  ],
  [
    "createdAt “soon” must be a time such as 2026-11-20 19:30",
    "Time “soon” must be a time such as 2026-11-20 19:30",
    "เวลา “soon” ต้องเป็นเวลา เช่น 2026-11-20 19:30",
  ],
  [
    "message “a; b” must have at most 255 characters; donatorName is required",
    "Message “a; b” must have at most 255 characters; Donator's name is required",
    "ข้อความ “a; b” ยาวได้ไม่เกิน 255 ตัวอักษร; ชื่อผู้โดเนท ว่างอยู่",
  ],
  ["the row must have the documented form", "the row must have the documented form", "แถวนี้ รูปแบบไม่ถูกต้อง"],
  ["amount “1” has a fault that nobody knows", "Amount “1” has a fault that nobody knows", "amount “1” has a fault that nobody knows"],
])("the fault of a row is told in both languages, with the names of the columns: %s", (text, english, thai) =>
  expect(rowFault(text)).toEqual({ th: thai, en: english }),
);

/** Every fault of a cell that is found before the contract is asked. */
test.each([
  "amount “$5.00” is in $, and only baht is recorded",
  "amount “1,234” is 1234 with a decimal point and 1.234 with a decimal comma, one of which must be chosen",
  "amount “1,50” must be a number with the decimal sign that is chosen",
  "amount “1,50” must be a number with a decimal point",
  "amount “1.50” must be a number with a decimal comma",
  "idempotencyKey “1.5E+17” must be a number with all its digits",
  "amount “1500.5” is not shown as an amount in baht by its number format: give it a plain one",
  "message “1000” has a number format in the workbook and must be a text",
  "idempotencyKey “#N/A” is an error of a formula and must be a text",
  "message “46000” is a date in the workbook and must be a text",
  "createdAt “2026-11-20 19:30 (IST)” must be in a time zone that is known, such as Asia/Bangkok or +07:00",
  "timeZone “XYZ” must be in a time zone that is known, such as Asia/Bangkok or +07:00",
  "currency must be named where other rows are not in baht",
  "timeOfDay “soon” must be a time of day such as 19:30",
  "timeOfDay “19:31” must be the time that stands beside the date",
  "createdAt “12/25/2025” must be a date with the day first",
  "createdAt “25/12/2025” must be a date with the month first",
  "createdAt “20/11/2026” must be a date with the year first",
  "createdAt “46153” may have its day and month exchanged by the program that saved the file: write it as a text, such as 2026-11-20 19:30",
  "createdAt “10/03/2025” may begin with the day or with the month, one of which must be chosen",
  "status “Blue” must be known as paid, such as Completed, or as unpaid, such as Refunded",
  "donatorName “รวม” is a total, not a donation",
  "amount “500” is a sum of other rows, not a donation",
  "amount “500” is no money: the row is a “cheer”",
  "the row must not have more cells than the header “500”",
  "the row must not be hidden in the workbook: show it, or delete it",
  "amount “3” must not be in a column that is hidden in the workbook: show it, or choose another column",
])("the fault of a cell is told in Thai: %s", (text) => {
  expect(rowFault(text).th).toMatch(/[ก-๙]/);
  expect(rowFault(text).th).not.toMatch(/\b(?:must|may|is|with|row)\b/);
});

test.each([
  "the dates may begin with the day, the month or the year: choose the order of dates",
  "a comma or a point in the amounts may separate thousands or decimals: choose the decimal sign",
  "the workbook has several sheets with donations: choose one",
  "the file is an .xls workbook, or one with a password: open it, and save it as .xlsx without a password",
  "the file is a PDF: ask where it comes from for .xlsx or .csv",
  "the file is a web page or XML: open it in a spreadsheet, and save it as .xlsx",
  "the file is no XLSX workbook: open it in the program that made it, and save it as .xlsx or .csv",
  "the file's letters are those of none of UTF-8, UTF-16, windows-874 and windows-1252: save it as UTF-8",
  "the file says that it is utf-16le, and utf-8 is chosen",
  "the file is not utf-16le, which is chosen",
  "line 3 has bytes that utf-8 lacks: is the file written in another encoding?",
  "line 3: a cell is longer than 256 KiB: its quotes are wrong",
  "line 3: its quotes are wrong",
  "line 3 is longer than 64 KiB",
  "row 1 has an amount where the titles of the columns must be: write titles above it",
  "the workbook has no sheets",
  'the workbook has no sheet "Tips"; there are "A", "B"',
  "the workbook has too many styles",
  "the workbook has more than 20,000 parts",
  "the workbook is damaged: its checksum is wrong",
  "the workbook is damaged: 1:7410: undefined entity.",
  "the workbook lacks its part “xl/workbook.xml”",
  "row 3 has a text that the workbook lacks",
  "the workbook is larger than 64 MiB when it is unpacked",
  "the workbook has too many cells and texts: divide it, or save it as .csv",
  "the workbook needs more than 256 MiB of memory",
  "the workbook was not read within 30 seconds",
  "row 3 has a formula without its value: open the workbook in a spreadsheet, and save it there",
])("a question or fault of a file is told in Thai: %s", (text) => {
  expect(fileFault(text).th).toMatch(/^[ก-๙]/);
  expect(fileFault(text).th).not.toMatch(/\b(?:the|is|has|choose)\b/);
});

test("the fault of a number of a payment that is used says how the donation can be recorded", () => {
  const { th, en } = rowFault("This idempotencyKey already belongs to another donation.");
  expect([th, en]).toEqual([expect.stringContaining("“ไม่ใช้”"), expect.stringContaining("“Not used”")]);
});

test.each(["a fault that nobody knows", ""])("a fault without a translation is shown as it is: %j", (text) =>
  expect(rowFault(text)).toEqual({ th: text, en: text }),
);

test("the place of a row and the fault of a file are told in Thai", () => {
  expect([rowPlace("row 7").th, rowPlace("line 8").th, rowPlace("x").th]).toEqual(["แถว 7", "บรรทัด 8", "x"]);
  expect(rowPlace("sheet 2, row 7").th).toBe("ชีต 2 แถว 7");
  expect(fileFault("the file has more than 20,000 rows").th).toBe("ไฟล์มีมากกว่า 20,000 แถว");
  expect(fileFault("no column is chosen for amount").th).toBe("ยังไม่ได้เลือกคอลัมน์ของ amount");
  expect(fileFault("odd").th).toBe("odd");
});

test("every fault that the contract can find in an imported donation has a Thai text", async () => {
  const { schemas } = await loadContract();
  const { properties = {} } = schemas["ExternalDonation"] as unknown as { properties: Record<string, Record<string, number>> };
  expect(Object.keys(properties).length).toBeGreaterThan(5);
  for (const [name, { minLength, maxLength, maximum, exclusiveMinimum }] of Object.entries(properties)) {
    const faults = [
      minLength !== undefined && `${name} must have at least ${minLength} character`,
      maxLength !== undefined && `${name} must have at most ${maxLength} characters`,
      maximum !== undefined && `${name} must be at most ${maximum}`,
      exclusiveMinimum !== undefined && `${name} must be greater than ${exclusiveMinimum}`,
    ];
    for (const fault of faults) if (fault) expect(rowFault(fault).th).not.toBe(fault);
  }
});

test("the review of a file shows its faults in the language of the page", async () => {
  const faults = [{ place: "row 3", fault: "amount “<b>” must be a number" }];
  const studio = openStudio({ imports: { check: async () => checkedUpload({ faults }) } });
  const fields = { file: Buffer.from("a").toString("base64"), "file name": "tips.csv" };
  expect((await studio.post("/studio/import/check", fields, "th")).html).toContain("แถว 3</strong>: <bdi>จำนวนเงิน “&lt;b&gt;” ต้องเป็นตัวเลข");
  expect((await studio.post("/studio/import/check", fields, "en")).html).toContain(
    "row 3</strong>: <bdi>Amount “&lt;b&gt;” must be a number",
  );
});
