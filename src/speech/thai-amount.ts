// Amounts of money in Thai words.

import type { Currency } from "../http/summed-currency.ts";
import { thaiNumber } from "./thai-number.ts";

// Rounds like the page that shows the amount.
const twoDecimals = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false });

/** A unit and its hundredth. A currency of the contract without them does not compile. */
const units: Readonly<Record<Currency, Readonly<{ whole: string; hundredth: string }>>> = { THB: { whole: "บาท", hundredth: "สตางค์" } };

/** An amount above 0 in words, to two decimals: หนึ่งร้อยบาท, ห้าสิบบาทยี่สิบห้าสตางค์. An amount that rounds to 0 is "less than one". */
export function thaiAmount(amount: number, currency: Currency): string {
  const [whole = "0", hundredths = "00"] = twoDecimals.format(amount).split(".");
  const unit = units[currency];
  const words = [whole !== "0" && `${thaiNumber(whole)}${unit.whole}`, hundredths !== "00" && `${thaiNumber(hundredths)}${unit.hundredth}`];
  return words.filter(Boolean).join("") || `ไม่ถึงหนึ่ง${unit.hundredth}`;
}
