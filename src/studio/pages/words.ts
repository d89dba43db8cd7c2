// What alerts, amounts and times are called, for streamers.

import type { Schemas } from "../../http/operations.ts";
import type { Currency } from "../../http/summed-currency.ts";
import { type Html, html } from "../../ui/html.ts";
import { inBoth, type Words } from "../../ui/layout.ts";

type AlertState = Schemas["AlertState"];

const statuses: Record<AlertState["status"], Words> = {
  preparing: { th: "กำลังเตรียม", en: "Preparing" },
  queued: { th: "รอคิว", en: "Waiting" },
  leased: { th: "กำลังจะแสดง", en: "About to play" },
  playing: { th: "กำลังแสดง", en: "Playing" },
  shown: { th: "แสดงแล้ว", en: "Shown" },
  skipped: { th: "ไม่แสดง", en: "Not shown" },
  expired: { th: "หมดเวลารอ", en: "Expired" },
  unconfirmed: { th: "อาจแสดงไม่ครบ", en: "Perhaps cut off" },
};

const reasons: Record<NonNullable<AlertState["reason"]>, Words> = {
  skip_alert: { th: "ขอไม่ให้แจ้งเตือน", en: "No alert wanted" },
  below_minimum: { th: "ต่ำกว่าขั้นต่ำ", en: "Below your minimum" },
  filtered: { th: "มีคำต้องห้าม", en: "Blocked word" },
  control: { th: "ข้ามแล้ว", en: "Skipped by hand" },
};

/** Which of them wait or play, so that they can't be replayed now. */
const open: readonly AlertState["status"][] = ["preparing", "queued", "leased", "playing"];

export function isOpen({ status }: Pick<AlertState, "status">): boolean {
  return open.includes(status);
}

/** How far an alert has come, as a small label. */
export function stateLabel({ status, reason }: Pick<AlertState, "status" | "reason">): Html {
  return html`<span class="label ${status}">${inBoth(reason ? reasons[reason] : statuses[status])}</span>`;
}

/** A currency of the contract without a sign and a smallest coin does not compile. */
const coins: Readonly<Record<Currency, Readonly<{ sign: string; smallest: number }>>> = { THB: { sign: "฿", smallest: 0.01 } };

/** Amounts below the smallest coin are shown as they are. */
export function money(amount: number, currency: Currency): string {
  const { sign, smallest } = coins[currency];
  if (amount < smallest) return `${sign}${amount}`;
  return new Intl.NumberFormat("th-TH", { style: "currency", currency, minimumFractionDigits: 0 }).format(amount);
}

const timeZone = "Asia/Bangkok";
const short = new Intl.DateTimeFormat("en-GB", { day: "2-digit", month: "2-digit", hour: "2-digit", minute: "2-digit", timeZone });
const [thai, english] = ["th-TH", "en-GB"].map(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone }),
);

/** Day, month and time, the same in both languages. */
export function moment(instant: string): Html {
  return html`<time datetime="${instant}">${short.format(new Date(instant))}</time>`;
}

/** A date and time in each language. */
export function inWords(date: Date): { th: string; en: string } {
  return { th: thai?.format(date) ?? "", en: english?.format(date) ?? "" };
}

/** The local day of an instant, `2026-11-21`. */
export function localDay(ms: number): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone }).format(ms);
}
