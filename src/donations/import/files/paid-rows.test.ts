import { expect, test } from "vitest";
import { noChoices } from "./table.ts";
import { donationsIn, readingOf, table } from "./testing.ts";
import { rowConverter } from "./to-donations.ts";

/** Of each of these rows behind a name and an amount: what is recorded, "unpaid", or its faults. */
async function outcomesOf(titles: string, ...rows: readonly string[]): Promise<unknown[]> {
  const donations = await donationsIn(table(`Name|Amount|${titles}`, ...rows.map((row) => `Malee|20|${row}`)));
  return donations.map(({ value, faults, isUnpaid }) => (isUnpaid ? "unpaid" : Object.keys(faults).length > 0 ? faults : value.amount));
}

test.each([
  ["Status|Amount Refunded", "Paid|0.00", "Paid|20.00"],
  ["Status|Refunded amount", "Paid|", "Paid|฿5"],
  ["Refunded", "0,00", "20,00"],
  ["Refunded at", "", "2026-11-22 19:30"],
  ["Refund", "Completed", "Refunded"],
  ["Status|Payment status", "Completed|Paid", "Completed|Failed"],
  ["สถานะ|สถานะการชำระเงิน", "สำเร็จ|ชำระแล้ว", "สำเร็จ|คืนเงินแล้ว"],
  ["สถานะ", "อนุมัติแล้ว", "ไม่อนุมัติ"],
  ["Status", "Verified ✓", "Under review"],
  ["Type", "Donation", "Payment Refund"],
  ["Transaction type|Status", "Tip|Paid", "Chargeback|Paid"],
  ["Type", "Monthly Subscription", "Payout"],
  ["ประเภท", "รายรับ", "รายจ่าย"],
  ["ประเภทรายการ", "รับเงินจากเพื่อน", "โอนเงินให้เพื่อน"],
  ["Type", "Received", "Sent"],
  ["Type", "Top up", "Transfer out"],
  ["ประเภทรายการ", "รับโอนเงิน", "โอนไป KBANK"],
  ["สถานะ", "ผ่าน", "ไม่ผ่าน"],
  ["In/Out", "In", "Out"],
  ["รับ/จ่าย", "รับ", "จ่าย"],
  ["Sign", "+", "-"],
  ["+/-", "+", "−"],
  ["Status|+ / -", "Completed|+", "Completed|-"],
])("a row under %s is a donation with %s, and left out as unpaid with %s", async (titles, paid, unpaid) =>
  expect(await outcomesOf(titles, paid, unpaid)).toEqual([20, "unpaid"]),
);

test.each(["Type|cheer", "Event|Raid", "ประเภท|ดาว"])("a row under %s has no amount of money", async (column) => {
  const [title = "", type = ""] = column.split("|");
  expect(await outcomesOf(title, "Tip", type)).toEqual([20, { amount: `amount “20” is no money: the row is a “${type}”` }]);
});

test("an amount that a formula sums up from other rows is no donation, whatever stands beside it", async () => {
  const convert = rowConverter(await readingOf(table("name|amount")), noChoices);
  const faults = (sum: number) => convert({ number: 9, sheet: 1, cells: ["เงินที่ได้", 150], sums: [sum] }).faults;
  expect(faults(1)).toEqual({ amount: "amount “150” is a sum of other rows, not a donation" });
  expect(faults(0)).toEqual({});
});
