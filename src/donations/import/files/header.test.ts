import { expect, test } from "vitest";
import { donationsIn, readingOf, table } from "./testing.ts";

const bank = (below: string) => table("วันที่|ชื่อผู้โอน|จำนวนเงิน||คงเหลือ", below, "20/11/2569|ร้านค้า|599||8501", "21/11/2569|มานี||50|8551");

test("titles in two rows are joined, and the amount is the one that came in", async () => {
  const titles = ["วันที่", "ชื่อผู้โอน", "จำนวนเงิน (ถอน)", "จำนวนเงิน (ฝาก)", "คงเหลือ"];
  expect(await readingOf(bank("||ถอน|ฝาก|"))).toMatchObject({ headerRow: 2, columns: { titles, places: { amount: 3 } } });
  const [given, received] = await donationsIn(bank("||ถอน|ฝาก|"));
  expect(given).toMatchObject({ isUnpaid: true });
  expect(received).toMatchObject({ value: { donatorName: "มานี", amount: 50 }, faults: {}, isUnpaid: false });
});

test.each([
  ["จำนวนเงิน (THB)", "ชื่อ|จำนวนเงิน||วันที่", "|THB|USD|"],
  ["จำนวนเงิน", "ผู้โดเนท||จำนวนเงิน", "ชื่อ|อีเมล|"],
  [undefined, "ชื่อ|จำนวนเงิน||วันที่", "|ก่อนหัก|หลังหัก|"],
])("the title of the amount is %s below %s and %s", async (title, above, below) => {
  const { columns, headerRow } = await readingOf(table(above, below));
  expect([columns.titles[columns.places.amount ?? -1], headerRow]).toEqual([title, 2]);
});

test("a title that is joined can be named by the caller", async () => {
  const columns = new Map([["จำนวนเงิน (ก่อนหัก)", "amount" as const]]);
  expect(await readingOf(table("ชื่อ|จำนวนเงิน|", "|ก่อนหัก|หลังหัก", "El|19|18"), { columns })).toMatchObject({
    columns: { places: { amount: 1 } },
  });
});

test.each(["||ฟรี||", "20/11/2569||ฟรี||", "|มานี|ฟรี|ฟรี|"])("the row %s below the titles has no titles", async (below) =>
  expect(await readingOf(bank(below))).toMatchObject({ headerRow: 1 }),
);

test.each([
  ["groups of columns", ["Donor|Donation||", "Name|Date|Amount|Message"]],
  ["the same titles in another language", ["Name|Amount|Date", "ชื่อ|จำนวนเงิน|วันที่"]],
])("below %s the header is the second row", async (_, rows) => expect(await readingOf(table(...rows))).toMatchObject({ headerRow: 2 }));

test("a row with figures that has the names of columns is no header where there is another", async () => {
  expect(await readingOf(table("ชื่อ|น้ำใจ|ยอด|5,000", "ชื่อ|ยอด|วันที่", "El|19|20/11/2569"))).toMatchObject({ headerRow: 2 });
  expect(await readingOf(table("ชื่อ|ยอด|2569", "El|19|x"))).toMatchObject({ headerRow: 1 });
});

test("without a title for the name the header is the row that has most known names", async () => {
  const rows = table("เลขที่บัญชี|xxx-x|ชื่อบัญชี|น้ำใจ", "วันที่|เวลา|ถอนเงิน|ฝากเงิน|รายละเอียด", "20/11/2569|19:30||19|จาก El");
  expect(await readingOf(rows)).toMatchObject({ headerRow: 2 });
});
