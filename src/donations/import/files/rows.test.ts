import { expect, test } from "vitest";
import { formatDateTime, formatExactDateTime, formatLongDay, localDay } from "../../../ui/times.ts";
import { type Cell, noChoices } from "./table.ts";
import { donationsIn, readingOf, table } from "./testing.ts";
import { rowConverter } from "./to-donations.ts";

/** The name and the amount of each row, or its faults. */
async function outcomesOf(rows: readonly (readonly (Cell | undefined)[])[], changes: Parameters<typeof donationsIn>[1] = {}) {
  const donations = await donationsIn(rows, changes);
  return donations.map(({ value, faults, isUnpaid }) => {
    if (isUnpaid) return "unpaid";
    return Object.keys(faults).length > 0 ? faults : [value.donatorName, value.amount];
  });
}

test("a filled cell behind the header's columns is a fault of its row, and an empty one is none", async () => {
  const rows = [
    ["name", "amount"],
    ["Anan", "1", "500"],
    ["Bo", "1", undefined],
    ["Ci", "2", " "],
    ["Di", "3"],
  ];
  expect(await outcomesOf(rows)).toEqual([
    { "the row": "the row must not have more cells than the header “500”" },
    ...[
      ["Bo", 1],
      ["Ci", 2],
      ["Di", 3],
    ],
  ]);
});

test("a row that is hidden in its workbook is a fault, and is left out as unpaid where it was not paid", async () => {
  const reading = await readingOf(table("name|amount|status", "Anan|5|Paid"));
  const convert = rowConverter(reading, noChoices);
  const hidden = (status: string) => convert({ number: 2, sheet: 1, cells: ["Anan", 5, status], isHidden: true });
  expect(hidden("Paid").faults).toEqual({ "the row": "the row must not be hidden in the workbook: show it, or delete it" });
  expect(hidden("Refunded").isUnpaid).toBe(true);
});

test("an amount in a hidden column is a fault, and a number of the payment there is none", async () => {
  const convert = rowConverter(await readingOf(table("name|id|amount", "Anan|1|5")), noChoices);
  const faults = (hidden: number) => convert({ number: 2, sheet: 1, cells: ["Anan", "1", 5], hiddenColumns: [[hidden, hidden]] }).faults;
  expect(faults(2)).toEqual({ amount: expect.stringContaining("amount “5” must not be in a column that is hidden") });
  expect(faults(1)).toEqual({});
});

test("an empty title at the end of the header is no column, and one in front of a title is", async () => {
  expect(
    await outcomesOf([
      ["name", "amount", undefined],
      ["Anan", "1", "500"],
    ]),
  ).toEqual([{ "the row": expect.any(String) }]);
  expect(
    await outcomesOf([
      [undefined, "name", "amount"],
      ["0", "Anan", "1"],
    ]),
  ).toEqual([["Anan", 1]]);
});

test.each([
  ["a title", table("รายงานการโดเนท", "name|amount", "El|19")],
  ["a title of two cells and a note", table("Statement|Nov 2026", "Account 123-4-56789-0", "วันที่|ชื่อผู้โอน|จำนวนเงินเข้า", "20/11/2569|El|19")],
  ["as many rows as may stand there", [...Array.from({ length: 19 }, () => ["note"]), ...table("name|amount", "El|19")]],
  [
    "numbers",
    [
      ["Total", 5],
      ["name", "amount"],
      ["El", 19],
    ],
  ],
])("the header is found below %s", async (_, rows) => expect(await outcomesOf(rows)).toEqual([["El", 19]]));

test("the header is the row that has the names which the caller gave", async () => {
  const columns = new Map([["Paid by", "donatorName" as const]]);
  const rows = table("Report|Tips", "Paid by|Tip", "Malee|20");
  expect(await outcomesOf(rows, { columns })).toEqual([["Malee", 20]]);
  expect(await readingOf(rows, { columns })).toMatchObject({ headerRow: 2, rowsBefore: 1 });
});

test("without known names the header is the first row of several texts, and without one the first row", async () => {
  expect(await readingOf(table("Report", "2026|5", "A|B", "Malee|20"))).toMatchObject({ headerRow: 3 });
  expect(await readingOf(table("A", "Malee"))).toMatchObject({ headerRow: 1 });
});

test.each([
  ...["Total", "Grand Total:", "Sub-total", "TOTAL (12 rows)", "Total amount", "Total THB", "Total for November", "Total 2 tips"],
  ...["รวม", "ผลรวมทั้งหมด", "ยอดรวมทั้งสิ้น", "รวมเป็นเงิน", "ยอดรวมเดือนนี้", "รวมวันที่ 20/11/2569", "รวม 2 รายการ", "รวมยอดโดเนท", "เงินรวม"],
  ...["Sum of Amount", "Average", "Balance", "ค่าเฉลี่ย", "คงเหลือ", "ยอดยกมา", "Anan Total", "Anan ผลรวม", "รวม Anan", "ทั้งหมด", "ยอดสุทธิ"],
])("a row that has only the name %s and a sum is a fault", async (name) =>
  expect(
    await outcomesOf([
      ["name", "amount", "message"],
      [name, "500"],
    ]),
  ).toEqual([{ donatorName: `donatorName “${name}” is a total, not a donation` }]),
);

test.each(["Totally Tim", "TotalBiscuit", "Total Chaos", "Sumalee", "รวมพล", "รวมใจ", "รวมเดช"])(
  "a donator may be named %s, which begins as a total does",
  async (name) => expect(await outcomesOf(table("name|amount", `${name}|500`))).toEqual([[name, 500]]),
);

test("a donator may be named Total, when the row has more than a sum", async () => {
  expect(await outcomesOf(table("name|amount|message", "Total|500|hi"))).toEqual([["Total", 500]]);
});

const statuses = (...words: string[]) => table("Name|Status|Amount", ...words.map((word) => `Malee|${word}|20`));

test.each([
  "Completed",
  "สำเร็จแล้ว",
  "COMPLETE",
  "Paid",
  "Success",
  "สำเร็จ",
  "ชำระแล้ว",
  "Abgeschlossen",
  "Completado",
  "Terminé",
  "Завершено",
])("a row with the status %s is a donation", async (word) => expect(await outcomesOf(statuses(word))).toEqual([["Malee", 20]]));

test.each([
  ...[
    "Refunded",
    "Partially refunded",
    "Pending",
    "Failed",
    "Reversed",
    "Denied",
    "Canceled",
    "on hold",
    "Not paid",
    "Chargeback",
    "Expired",
  ],
  ...["คืนเงินแล้ว", "รอดำเนินการ", "ไม่สำเร็จ", "ยกเลิก", "Ausstehend", "Reembolsado", "En attente", "Возврат"],
])("a row with the status %s is left out as unpaid, until the person wants those too", async (word) => {
  expect(await outcomesOf(statuses(word))).toEqual(["unpaid"]);
  expect(await outcomesOf(statuses(word), { choices: { ...noChoices, withUnpaid: true } })).toEqual([["Malee", 20]]);
});

test.each(["Blue", ""])("the status “%s”, which says neither, is a fault of its row", async (word) => {
  expect(await outcomesOf(statuses(word))).toEqual([{ status: expect.stringMatching(/^status .*must be known as paid/) }]);
});

test.each([
  ["Refunded", "yes", "no"],
  ["คืนเงิน", "ใช่", ""],
  ["Paid", "FALSE", "TRUE"],
  ["Completed", "0", "1"],
])("under %s a row with %s was not paid, and one with %s was", async (title, unpaid, paid) =>
  expect(
    await outcomesOf([
      ["name", "amount", title],
      ["Malee", "20", unpaid],
      ["Malee", "20", paid || undefined],
    ]),
  ).toEqual(["unpaid", ["Malee", 20]]),
);

test.each(["THB", "thb", "บาท", "฿", "Baht", "", "THB\u200b"])("the currency “%s” is baht", async (currency) => {
  const [donation] = await donationsIn(table("name|amount|currency", `Malee|20|${currency}`));
  expect(donation?.value.currency ?? "THB").toBe("THB");
});

test("a fault quotes the first 40 letters of a cell, and no half of one", async () => {
  const [outcome] = await outcomesOf(table("name|amount", `Malee|${"x".repeat(39)}👍👍`));
  expect(outcome).toEqual({ amount: `amount “${"x".repeat(39)}👍” must be a number` });
});

test("a name that looks like a long number is a name", async () => {
  expect(await outcomesOf(table("name|amount", "1.5E+17|20", "007|20"))).toEqual([
    ["1.5E+17", 20],
    ["007", 20],
  ]);
});

const instants = Array.from({ length: 24 }, (_, index) => Date.UTC(2025 + Math.floor(index / 12), index % 12, 1 + index, 13, 5, 9));
const shown = [formatDateTime, formatExactDateTime, formatLongDay].flatMap((format) => [
  (ms: number) => format(new Date(ms)).th,
  (ms: number) => format(new Date(ms)).en,
]);

test("a time comes in again as this service shows it, in every month and both languages", async () => {
  for (const [index, show] of [...shown, (ms: number) => localDay(ms)].entries()) {
    const unit = index < 2 ? 60_000 : index < 4 ? 1_000 : 86_400_000;
    const local = instants.map((ms) => Math.floor((ms + 7 * 3_600_000) / unit) * unit - 7 * 3_600_000);
    const donations = await donationsIn([["name", "amount", "date"], ...instants.map((ms) => ["Malee", "20", show(ms)])]);
    expect(donations.map(({ value, faults }) => faults.createdAt ?? Date.parse(String(value.createdAt)))).toEqual(local);
  }
});

test("an amount that a thousands comma without quotes splits is a fault of its row, where an empty cell ends the row", async () => {
  const rows = [
    ["name", "amount", "message"],
    ["Anan", "1", "500", undefined],
    ["Bo", "฿12", "500.00", undefined],
    ["Ci", "1", "Hi", undefined],
    ["Di", "1", "500"],
  ];
  const refused = (cell: string) => ({ "the row": `the row must not have more cells than the header “${cell}”` });
  expect(await outcomesOf(rows)).toEqual([refused("500"), refused("500.00"), ["Ci", 1], ["Di", 1]]);
});

test.each(["DR/CR", "Debit/Credit", "Balance Impact", "ฝาก/ถอน"])(
  "money that goes out by the column %s of a bank is not recorded",
  async (title) => {
    const [credit, debit] = title === "ฝาก/ถอน" ? ["ฝาก", "ถอน"] : title === "DR/CR" ? ["CR", "DR."] : ["Credit", "Debit"];
    const rows = table(`From|Amount|${title}`, `Anan|100|${credit}`, `Rent|500|${debit}`, "Bo|5|Other");
    expect(await outcomesOf(rows)).toEqual([["Anan", 100], "unpaid", { status: expect.stringContaining("“Other” must be known as paid") }]);
  },
);

test.each([
  ["Status|Refunded", "Completed|no", "Completed|YES"],
  ["Status|ยกเลิก", "สำเร็จ|", "สำเร็จ|ใช่"],
  ["Status|Direction", "COMPLETED|IN", "COMPLETED|OUT"],
  ["Dr/Cr", "C", "D"],
  ["Status|Balance Impact", "Completed|Credit", "Completed|Debit"],
  ["Status|Paid", "Completed|20.00", "Completed|no"],
  ["Type", "Tip", "Debit"],
  ["ประเภทรายการ", "โอนเข้า", "โอนออก"],
  ["Status|Type", "Completed|Debit card", "Completed|DR"],
  ["Refund|Status", "0.00|Paid", "yes|Paid"],
])("a row under %s is a donation with %s, and left out as unpaid with %s", async (titles, paid, unpaid) => {
  expect(await outcomesOf(table(`Name|Amount|${titles}`, `Malee|20|${paid}`, `Malee|20|${unpaid}`))).toEqual([["Malee", 20], "unpaid"]);
});

test("a number of a workbook is read with the 15 digits that its author sees, except in the export of this service", async () => {
  const amount = 1.1 * 3; // 3.3000000000000003
  const own = ["idempotencyKey", "receivedAt", "donationId", "donator", "amount"];
  expect(
    await outcomesOf([
      ["name", "amount"],
      ["Anan", amount],
    ]),
  ).toEqual([["Anan", 3.3]]);
  expect(await outcomesOf([own, ["k", "2026-11-20", undefined, "Anan", amount]])).toEqual([["Anan", amount]]);
});

test("a workbook's day of a Buddhist year, which Excel takes for one of the common era, is read in its own era", async () => {
  const rows = [
    ["name", "amount", "date"],
    ["Anan", 1, 244343],
    ["Bo", 1, 244343.5],
    ["Ci", 1, 244043],
  ];
  const times = (await donationsIn(rows, { formats: ["", "", "d/m/yyyy h:mm"] })).map(
    ({ value, faults }) => faults.createdAt ?? value.createdAt,
  );
  expect(times).toEqual(["2025-12-24T17:00:00.000Z", "2025-12-25T05:00:00.000Z", expect.stringContaining("must be a time")]);
});

test.each([
  "Имя пользователя|Сумма|Дата создания|Сообщение",
  "user.username|Amount|Created at|Nachricht",
  "Customer name|Amount|Created date|Memo",
  "ชื่อ|จำนวนเงิน|ประทับเวลา|ข้อความ",
])("the columns %s are known by their names", async (header) => {
  const [donation] = await donationsIn(table(header, "Anan|5|2026-11-20 19:30|hi"));
  expect(donation?.value).toMatchObject({ donatorName: "Anan", amount: 5, createdAt: expect.stringContaining("T12:30"), message: "hi" });
});

/** 5 November 2026 and 20 November 2026, of which a spreadsheet with the month first has read the first as 11 May. */
const [eleventhOfMay, twentiethOfNovember] = [46_153, 46_346];

test("dates that a spreadsheet has read with day and month exchanged are faults, beside texts that it could not read", async () => {
  const rows = [
    ["name", "amount", "date"],
    ["Anan", "1", eleventhOfMay],
    ["Bo", "2", "13/11/2026"],
  ];
  expect(await outcomesOf(rows)).toEqual([{ createdAt: expect.stringContaining("may have its day and month exchanged") }, ["Bo", 2]]);
});

test.each([
  ["a date with a later day", [eleventhOfMay, twentiethOfNovember, "13/11/2026"]],
  ["no text that shows an order", [eleventhOfMay, "2026-11-13"]],
  ["no text at all", [eleventhOfMay]],
])("dates of a workbook are as they are shown with %s", async (_, dates) => {
  const rows = [["name", "amount", "date"], ...dates.map((date) => ["Anan", "1", date])];
  expect(await outcomesOf(rows)).toEqual(dates.map(() => ["Anan", 1]));
});

test("texts have no blanks around them, and a name of blanks is none", async () => {
  const [anan, nobody] = await donationsIn(table("name|amount|message|id", " Anan\u00a0|5| hi |7 ", "  |5|hi|8"));
  expect(anan?.value).toMatchObject({ donatorName: "Anan", message: "hi", idempotencyKey: "7" });
  expect(nobody?.value).not.toHaveProperty("donatorName");
});

test("an error of a formula is no name", async () =>
  expect(await outcomesOf(table("name|amount", "#N/A|5"))).toEqual([{ donatorName: expect.stringContaining("is an error of a formula") }]));
