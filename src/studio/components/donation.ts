// A donation or an alert in words and as an entry of a list.

import type { Currency } from "../../base/summed-currency.ts";
import { erasedName } from "../../base/text.ts";
import { enumOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { type IconName, icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual, isolated, type Words } from "../../ui/layout.ts";

export type Donation = Schemas["Donation"];
export type VoidReason = Schemas["VoidReason"];

export const voidReasons = enumOf("VoidReason");
export const channels = enumOf("Channel");
export const sources = enumOf("Source");

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

export const voidReasonLabels: Record<Schemas["VoidReason"], Words> = {
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

export function isUnfinished({ status }: AlertState): boolean {
  return unfinishedStatuses.includes(status);
}

/** The state of an alert as a small label. The contract has no status of its own for a held alert: it is `queued`. */
export function stateLabel({ status, reason }: Pick<AlertState, "status" | "reason">, isHeld = false): Html {
  if (isHeld && status === "queued") return chip("held", "shield", { th: "รออนุมัติ", en: "To approve" });
  return chip(status, statusIcons[status], reason ? skipReasonLabels[reason] : statuses[status]);
}

const statusIcons: Record<AlertState["status"], IconName> = {
  ...{ preparing: "clock", queued: "clock", leased: "play", playing: "play" },
  ...{ shown: "check", skipped: "eye-off", expired: "clock", unconfirmed: "triangle-alert" },
};

/** A small label whose icon says the same. */
function chip(kind: string, name: IconName, words: Bilingual): Html {
  return html`<span class="label ${kind}">${icon(name)}${bilingual(words)}</span>`;
}

/** Says that name and message are hidden on stream. */
export const maskLabel = html`<span class="label">${bilingual({ th: "แสดงแต่ยอด", en: "Amount only" })}</span>`;

/** Sign and smallest coin of each currency; a currency of the contract that is missing here does not compile. */
const coins: Readonly<Record<Currency, Readonly<{ sign: string; smallest: number }>>> = { THB: { sign: "฿", smallest: 0.01 } };

/** An amount with its currency sign: whole, or to the coin. Amounts below the smallest coin are shown unrounded, where widgets show `< ฿0.01`. */
export function formatAmount(amount: number, currency: Currency): string {
  const { sign, smallest } = coins[currency];
  if (amount < smallest) return `${sign}${amount}`;
  return new Intl.NumberFormat("th-TH", { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" }).format(amount);
}

export function formatNumber(value: number): string {
  return value.toLocaleString("en");
}

/** A number of donations in words. */
export function countWords(count: number): Words {
  const number = formatNumber(count);
  return { th: `${number} รายการ`, en: count === 1 ? "1 donation" : `${number} donations` };
}

/** `href`: of the donation's page, for the name to lead to. */
type Entry = Pick<Donation, "donatorName" | "amount" | "currency" | "message"> & { marks: readonly (Html | false)[]; href?: string };

export function renderEntry({ donatorName, amount, currency, message, marks, href }: Entry): Html {
  const name = shownName(donatorName);
  return html`<div class="entry">
<p><strong>${href === undefined ? name : html`<a href="${href}">${name}</a>`}</strong> <span class="amount">${formatAmount(amount, currency)}</span></p>
${message !== "" && html`<p class="said">${isolated(message)}</p>`}
<p class="marks">${marks}</p>
</div>`;
}

export const anonymous = { th: "ไม่ประสงค์ออกนาม", en: "anonymous" };

/** A donator's name in the content of an element; who was erased is anonymous in the reader's language. */
export function shownName(donatorName: string): Html {
  return donatorName === erasedName ? bilingual(anonymous) : isolated(donatorName);
}

/** The same for attributes: what is done, and to whose donation. */
export function aboutDonator({ th, en }: Words, donatorName: string): Html {
  const name = donatorName === erasedName ? anonymous : { th: donatorName, en: donatorName };
  return bilingual({ th: `${th} ${name.th}`, en: `${en} ${name.en}` });
}

export function voidMark(reason: VoidReason): Html {
  const { th, en } = voidReasonLabels[reason];
  return chip("failed", "ban", { th: `โมฆะ: ${th}`, en: `Void: ${en}` });
}

export const testMark = html`<span class="label">${bilingual({ th: "ทดสอบ", en: "Test" })}</span>`;
