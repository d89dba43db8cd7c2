// Amounts of money as Thai is spoken.

import { thaiDigits, thaiNumber } from "./thai-number.ts";

// Rounds as the page that shows the amount does.
const twoDecimals = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false });
const currencyNames = new Intl.DisplayNames("th", { type: "currency" });

/**
 * An amount above 0 in words, to two decimals: หนึ่งร้อยบาท, ห้าสิบบาทยี่สิบห้าสตางค์. What rounds to nothing is "not even one".
 * `currency` is an ISO 4217 code.
 */
export function thaiAmount(amount: number, currency: string): string {
  const [whole = "0", fraction = "00"] = twoDecimals.format(amount).split(".");
  return currency === "THB" ? inBaht(whole, fraction) : inOther(whole, fraction, currency);
}

function inBaht(whole: string, satang: string): string {
  const words = (whole === "0" ? "" : `${thaiNumber(whole)}บาท`) + (satang === "00" ? "" : `${thaiNumber(satang)}สตางค์`);
  return words || "ไม่ถึงหนึ่งสตางค์";
}

function inOther(whole: string, fraction: string, currency: string): string {
  const decimals = fraction.replace(/0+$/, "");
  const name = nameOf(currency);
  if (whole === "0" && !decimals) return `ไม่ถึงหนึ่ง${name}`;
  return `${thaiNumber(whole)}${decimals && `จุด${thaiDigits(decimals)}`}${name}`;
}

/** Without the country in brackets: ปอนด์สเตอร์ลิง, not ปอนด์สเตอร์ลิง (สหราชอาณาจักร). */
function nameOf(currency: string): string {
  const name = /^[A-Z]{3}$/.test(currency) ? currencyNames.of(currency) : undefined;
  return (name ?? "").replace(/\s*\(.*\)/, "");
}
