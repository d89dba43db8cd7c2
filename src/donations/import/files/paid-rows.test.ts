import { expect, test } from "vitest";
import { donationsIn, table } from "./testing.ts";

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
])("a row under %s is a donation with %s, and left out as unpaid with %s", async (titles, paid, unpaid) =>
  expect(await outcomesOf(titles, paid, unpaid)).toEqual([20, "unpaid"]),
);
