import { expect, test } from "vitest";
import { formatCount, formatMoney, formatPercent } from "./money.ts";

test.each([
  [100, "฿100"],
  [1234.5, "฿1,234.50"],
  [1_000_000, "฿1,000,000"],
  [999_999.99, "฿999,999.99"],
  [0.01, "฿0.01"],
  [0.004, "< ฿0.01"],
  [5e-324, "< ฿0.01"],
  [99.999, "฿100"],
  [0, "฿0"],
  [12_345_678_901.5, "฿12,345,678,901.50"],
])("%d baht are shown as %s", (amount, shown) => {
  expect(formatMoney(amount, "THB")).toBe(shown);
});

test("percentages are rounded down, so that 100% means reached", () => {
  expect([formatPercent(199.99, 200), formatPercent(200, 200), formatPercent(1, 3), formatPercent(5, 0)]).toEqual([
    "99%",
    "100%",
    "33%",
    "0%",
  ]);
  expect(formatCount(4321)).toBe("4,321");
});
