import { expect, test } from "vitest";
import type { FileMember } from "./columns.ts";
import { donationsIn, readingOf, table } from "./testing.ts";

/** The titles of the columns that are taken for the name, the amount, the currency and the zone. */
async function chosen(header: string, changes: Parameters<typeof readingOf>[1] = {}) {
  const { columns } = await readingOf(table(header), changes);
  const titleOf = (place: number | undefined) => (place === undefined ? undefined : columns.titles[place]);
  const { donatorName, amount, currency, timeZone } = columns.places;
  return { name: titleOf(donatorName), amount: titleOf(amount), currency: titleOf(currency), timeZone: titleOf(timeZone) };
}

test.each(["Date|Name|Amount (paid)|Amount (due)", "Date|Name|Amount|Fee|Amount", "Date|Name|Amount (THB)|Amount (THB, net)"])(
  "of two columns for the amount in “%s” none is taken",
  async (header) => expect(await chosen(header)).toMatchObject({ name: "Name", amount: undefined }),
);

test("two tables side by side are not read as the first of them", async () =>
  expect(await chosen("ชื่อ|จำนวนเงิน||ชื่อ|จำนวนเงิน")).toMatchObject({ name: undefined, amount: undefined }));

test("the place that the person chose is taken where two columns have one title", async () => {
  expect(await chosen("Name|Amount|Amount", { places: { donatorName: 0, amount: 2 } })).toMatchObject({ name: "Name", amount: "Amount" });
  expect(await chosen("Name|Amount|Amount", { columns: new Map([["Amount", "amount"]]) })).toMatchObject({ amount: "Amount" });
});

test.each(["ยอดเงิน (คงเหลือ)", "จำนวนเงิน (ถอน)", "จำนวนเงิน (พันบาท)", "จำนวน (ดาว)", "Amount (Debit)", "Amount (Bits)", "Amount [Coins]"])(
  "%s is not taken for the amount, because its brackets say something else",
  async (title) => {
    expect(await chosen(`ชื่อ|${title}`)).toMatchObject({ amount: undefined });
    expect(await chosen(`ชื่อ|${title}|ฝาก`)).toMatchObject({ amount: "ฝาก" });
  },
);

test.each([
  ["ชื่อ|ถอน|ฝาก|ยอดเงิน", "ฝาก"],
  ["ชื่อ|จำนวน|ข้อความ", "จำนวน"],
  ["ชื่อ|สินค้า|จำนวน|ราคา", undefined],
  ["ชื่อ|จำนวน|ราคาต่อชิ้น|รวมเงิน", undefined],
  ["ชื่อ|จำนวน|ราคา|ยอดเงิน", "ยอดเงิน"],
])("of the columns %s the amount is %s", async (header, amount) => expect(await chosen(header)).toMatchObject({ amount }));

test.each([
  ["วันที่ / Date|ชื่อ / Name|จำนวนเงิน / Amount (THB)", "ชื่อ / Name", "จำนวนเงิน / Amount (THB)"],
  ["Date วันที่|Name ชื่อ|Amount จำนวนเงิน", "Name ชื่อ", "Amount จำนวนเงิน"],
  ["ชื่อ\nName|จำนวนเงิน\nAmount", "ชื่อ\nName", "จำนวนเงิน\nAmount"],
  ["Name / Message|Withdrawal / Deposit", undefined, undefined],
  ["Name|Total|Customer Name", "Customer Name", "Total"],
  ["ชื่อ|ชื่อผู้บริจาค|ยอด", "ชื่อผู้บริจาค", "ยอด"],
  ["Your name|Amount", "Your name", "Amount"],
  ["ชื่อ|จำนวนเงิน|เรท|บาท", "ชื่อ", "บาท"],
  ["ชื่อ|ของขวัญ|จำนวน|เหรียญ", "ชื่อ", undefined],
  ["ชื่อ|รายรับ|รายจ่าย|คงเหลือ", "ชื่อ", "รายรับ"],
])("of the columns “%s” the name is %s and the amount is %s", async (header, name, amount) =>
  expect(await chosen(header)).toMatchObject({ name, amount }),
);

/** The title that is taken for a member, beside columns for the name and the amount where it is neither. */
async function takenFor(member: FileMember, title: string) {
  const others = ["Name", "Amount"].filter((one) => one.toLowerCase() !== member && !(member === "donatorName" && one === "Name"));
  const { columns } = await readingOf(table([title, ...others].join("|")));
  return columns.titles[columns.places[member] ?? -1];
}

const titlesLikeThose: Partial<Record<FileMember, readonly string[]>> = {
  createdAt: [
    ...[
      "Donation date/time",
      "Order Date",
      "Posting Date",
      "support_created_on",
      "Sent At",
      "Submission Date",
      "Purchase Date",
      "Date Received",
      "Payment received on",
    ],
    ...["วัน เดือน ปี", "วันที่และเวลาที่โอน", "วันที่รับเงิน", "เวลาที่โดเนท"],
  ],
  donatorName: ["Donor's Name", "Tipper", "Customer", "Sent By", "Backer Display Name", "Twitch Username", "ชื่อที่ใช้แสดง", "ชื่อผู้ใช้", "นามแฝง"],
  amount: ["THB", "฿", "บาท", "Total Amount", "Contribution (THB)", "จำนวนเงินบริจาค", "ยอดสนับสนุน", "เงิน"],
  message: ["Donor Comment", "Public Message", "Tip message", "Text", "ข้อความถึงสตรีมเมอร์", "ข้อความโดเนท", "คอมเม้นท์"],
};
const like = Object.entries(titlesLikeThose).flatMap(([member, titles]) => titles.map((title) => [title, member as FileMember] as const));

test.each(like)("a column called %s is read as %s", async (title, member) => expect(await takenFor(member, title)).toBe(title));

test.each([
  ["Updated At", "createdAt"],
  ["Expiration Date", "createdAt"],
  ["Refund Date", "createdAt"],
  ["วันเดือนปีเกิด", "createdAt"],
  ["วันที่แก้ไข", "createdAt"],
  ["Recipient Name", "donatorName"],
  ["Campaign", "donatorName"],
  ["ชื่อสินค้า", "donatorName"],
  ["ชื่อบัญชีผู้รับ", "donatorName"],
  ["Net Amount", "amount"],
  ["USD", "amount"],
  ["คงเหลือ", "amount"],
  ["Seller Message", "message"],
  ["Error message", "message"],
  ["ข้อความตอบกลับ", "message"],
] as const)("a column called %s is not read as %s", async (title, member) => expect(await takenFor(member, title)).not.toBe(title));

test.each(["Payment currency", "Currency Symbol", "สกุลเงินที่โอน", "หน่วย"])("the column %s is read as the currency", async (title) => {
  expect(await chosen(`Name|Amount|${title}`)).toMatchObject({ currency: title });
  expect(await chosen(`Name|Amount|${title}|Currency`)).toMatchObject({ currency: "Currency" });
});

test("a column whose title has the words time zone is read as the zone", async () =>
  expect(await chosen("Date|Timezone offset|Name|Amount")).toMatchObject({ timeZone: "Timezone offset" }));

test("a file without titles is refused instead of losing its first donation, and a title may be a year", async () => {
  const places = { donatorName: 0, amount: 1 };
  await expect(readingOf(table("สมชาย|฿100", "มานี|200"), { places })).rejects.toThrow("row 1 has an amount where the titles");
  for (const row of ["สมชาย|100|20/11/2569", "2026-11-20 19:30|Anan|100|hello"])
    await expect(readingOf(table(row, row))).rejects.toThrow("row 1 has an amount where the titles");
  await expect(readingOf([["สมชาย", 100]], { places })).rejects.toThrow("row 1 has an amount where the titles");
  expect(await chosen("ชื่อ|2569", { places })).toMatchObject({ amount: "2569" });
});

test.each(["Payout report|Currency: USD", "สกุลเงิน|USD", "All amounts in US dollars", "Amounts are in €"])(
  "amounts below the row “%s” are refused, because they are not in baht",
  async (above) => {
    const [donation] = await donationsIn(table(above, "Name|Amount", "Anan|10"));
    expect(donation?.faults.amount).toMatch(/ is in (?:USD|dollars|€), and only baht is recorded$/);
  },
);

test.each(["Currency: THB", "หน่วย: บาท", "Donations won in November", "Account: USD savings"])(
  "amounts below the row “%s” are in baht",
  async (above) =>
    expect((await donationsIn(table(above, "Name|Amount", "Anan|10")))[0]).toMatchObject({ value: { amount: 10 }, faults: {} }),
);

test("the currency of a row above the titles does not hold where a column has the currency", async () =>
  expect((await donationsIn(table("Currency: USD", "Name|Amount|Currency", "Anan|10|THB")))[0]).toMatchObject({ faults: {} }));

test("an amount without a currency is a fault where other rows of its column have a foreign one", async () => {
  const [empty, baht] = await donationsIn(table("Name|Amount|Currency", "Anan|10|", "Mali|5|THB", "Nok|3|USD"));
  expect([empty?.faults, baht?.faults]).toEqual([{ currency: "currency must be named where other rows are not in baht" }, {}]);
  expect((await donationsIn(table("Name|Amount|Currency", "Anan|10|", "Mali|5|THB")))[0]).toMatchObject({ faults: {} });
});

test("neither of two columns that differ in brackets alone is the time, unless the brackets name a zone", async () => {
  const timeOf = async (titles: string) => (await readingOf(table(`${titles}|Name|Amount`))).columns.places.createdAt;
  expect(await timeOf("Date (payout)|Date (donated)")).toBe(undefined);
  expect(await timeOf("Date|Date")).toBe(undefined);
  expect(await timeOf("Created (UTC)|Created (Asia/Bangkok)")).toBe(0);
});

test.each([
  ["First name|Last name", "Anan|Jaidee", "Anan Jaidee"],
  ["ชื่อ|นามสกุล", "สมชาย|ใจดี", "สมชาย ใจดี"],
  ["Name|Surname", "Anan|", "Anan"],
  ["Username|First name|Last name", "anan99|Anan|Jaidee", "anan99"],
  ["ชื่อ-นามสกุล|นามสกุล", "สมชาย ใจดี|ใจดี", "สมชาย ใจดี"],
])("the donator of the columns %s with %s is %s", async (titles, cells, donatorName) =>
  expect((await donationsIn(table(`Amount|${titles}`, `100|${cells}`)))[0]).toMatchObject({ value: { donatorName }, faults: {} }),
);
