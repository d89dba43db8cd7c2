// How alert states, amounts and times are shown to streamers, in Thai and English.

import type { Schemas } from "../../http/operations.ts";
import type { Currency } from "../../http/summed-currency.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";

type AlertState = Schemas["AlertState"];

const statuses: Record<AlertState["status"], Bilingual> = {
  preparing: { th: "กำลังเตรียม", en: "Preparing" },
  queued: { th: "รอคิว", en: "Waiting" },
  leased: { th: "กำลังจะแสดง", en: "About to play" },
  playing: { th: "กำลังแสดง", en: "Playing" },
  shown: { th: "แสดงแล้ว", en: "Shown" },
  skipped: { th: "ไม่แสดง", en: "Not shown" },
  expired: { th: "หมดเวลารอ", en: "Expired" },
  unconfirmed: { th: "อาจแสดงไม่ครบ", en: "Possibly cut off" },
};

export const skipReasonLabels: Record<NonNullable<AlertState["reason"]>, Bilingual> = {
  skip_alert: { th: "ขอไม่ให้แจ้งเตือน", en: "No alert requested" },
  below_minimum: { th: "ต่ำกว่าขั้นต่ำ", en: "Below your minimum" },
  filtered: { th: "มีคำต้องห้าม", en: "Blocked word" },
  control: { th: "ข้ามแล้ว", en: "Skipped manually" },
  voided: { th: "โดเนทเป็นโมฆะ", en: "Donation voided" },
  denied: { th: "ไม่อนุมัติ", en: "Denied" },
  timed_out: { th: "หมดเวลาอนุมัติ", en: "Not approved in time" },
};

export const voidReasonLabels: Record<Schemas["VoidReason"], Bilingual> = {
  refund: { th: "คืนเงินแล้ว", en: "Refunded" },
  chargeback: { th: "ถูกเรียกเงินคืน", en: "Chargeback" },
  mistake: { th: "บันทึกผิด", en: "Recorded by mistake" },
  fraud: { th: "ทุจริต", en: "Fraud" },
  test: { th: "ทดลอง", en: "Tried out" },
};

export const channelLabels: Record<Schemas["Channel"], Bilingual> = {
  promptpay: { th: "พร้อมเพย์", en: "PromptPay" },
  truemoney: { th: "ทรูมันนี่", en: "TrueMoney" },
  bank_transfer: { th: "โอนเงิน", en: "Bank transfer" },
  card: { th: "บัตร", en: "Card" },
  external: { th: "จากภายนอก", en: "External" },
  other: { th: "อื่นๆ", en: "Other" },
};

export const sourceLabels: Record<Schemas["Source"], Bilingual> = {
  native: { th: "โดเนทในระบบ", en: "Native" },
  external: { th: "จากแอปภายนอก", en: "From an application" },
  test: { th: "ทดสอบ", en: "Test" },
};

/** The states of an alert that waits or plays, and so cannot be replayed. */
const unfinishedStatuses: readonly AlertState["status"][] = ["preparing", "queued", "leased", "playing"];

export function isUnfinished({ status }: Pick<AlertState, "status">): boolean {
  return unfinishedStatuses.includes(status);
}

/** The state of an alert as a small label. The contract has no status of its own for a held alert: it is `queued`. */
export function stateLabel({ status, reason }: Pick<AlertState, "status" | "reason">, isHeld = false): Html {
  if (isHeld && status === "queued") return html`<span class="label held">${bilingual({ th: "รออนุมัติ", en: "To approve" })}</span>`;
  return html`<span class="label ${status}">${bilingual(reason ? skipReasonLabels[reason] : statuses[status])}</span>`;
}

/** Says that name and message are hidden on stream. */
export const maskLabel = html`<span class="label">${bilingual({ th: "แสดงแต่ยอด", en: "Amount only" })}</span>`;

/** Sign and smallest coin of each currency; a currency of the contract that is missing here does not compile. */
const coins: Readonly<Record<Currency, Readonly<{ sign: string; smallest: number }>>> = { THB: { sign: "฿", smallest: 0.01 } };

/** An amount with its currency sign, as widgets show it: whole, or to the coin. Amounts below the smallest coin are shown unrounded. */
export function formatAmount(amount: number, currency: Currency): string {
  const { sign, smallest } = coins[currency];
  if (amount < smallest) return `${sign}${amount}`;
  return new Intl.NumberFormat("th-TH", { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" }).format(amount);
}

export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

type Format = Readonly<{ locale: string; options: Intl.DateTimeFormatOptions }>;

const toTheMinute = { day: "2-digit", month: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
const short: Format = { locale: "en-GB", options: toTheMinute };
const exact: Format = { locale: "en-GB", options: { ...toTheMinute, second: "2-digit" } };
const day: Format = { locale: "sv-SE", options: {} };

/** Day, month and time in the reader's time zone, the same in both languages. */
export function shortTime(instant: string): Html {
  return html`<time datetime="${instant}">${formatIn(currentReader().timeZone, short, new Date(instant))}</time>`;
}

/** Day, month and time with seconds in the reader's time zone, the same in both languages. */
export function exactTime(instant: string): Html {
  return html`<time datetime="${instant}">${formatIn(currentReader().timeZone, exact, new Date(instant))}</time>`;
}

/** The local day of an instant, `2026-11-21`; in the reader's time zone unless another one is given. */
export function localDay(ms: number, timeZone: string = currentReader().timeZone): string {
  return formatIn(timeZone, day, new Date(ms));
}

const inBoth = (options: Intl.DateTimeFormatOptions) => {
  const [thai, english]: [Format, Format] = [
    { locale: "th-TH", options },
    { locale: "en-GB", options },
  ];
  return (date: Date): { th: string; en: string } => {
    const { timeZone } = currentReader();
    return { th: formatIn(timeZone, thai, date), en: formatIn(timeZone, english, date) };
  };
};

/** A local day of the reader in each language, without its year. */
export const formatDay = inBoth({ day: "numeric", month: "short" });

/** A local month of the reader with its year in each language. */
export const formatMonth = inBoth({ month: "short", year: "numeric" });

/** A date and time of the reader in each language. */
export const formatDateTime = inBoth({ dateStyle: "medium", timeStyle: "short" });

/** A time of day of the reader in each language. */
export const formatTime = inBoth({ hour: "2-digit", minute: "2-digit" });

/** A local day of the reader without its year, and the time. */
export const formatDayTime = inBoth({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** A date and time with seconds. */
export const formatExactDateTime = inBoth({ dateStyle: "medium", timeStyle: "medium" });

const maxKept = 200;
const kept = new Map<string, Intl.DateTimeFormat>();

/** Formats are kept, because creating one takes as long as a hundred calls. */
function formatIn(timeZone: string, { locale, options }: Format, date: Date): string {
  const name = `${timeZone} ${locale} ${JSON.stringify(options)}`;
  const format = kept.get(name) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
  if (kept.size >= maxKept) kept.clear();
  kept.set(name, format);
  return format.format(date);
}
