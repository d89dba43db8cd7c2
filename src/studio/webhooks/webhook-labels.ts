// Endpoints, events and deliveries in words, in Thai and English.

import type { EventType } from "../../events/event.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { formatDateTime } from "../../ui/times.ts";

export type Webhook = Schemas["Webhook"];
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type WebhookAttempt = Schemas["WebhookAttempt"];
export type WebhookTested = Schemas["WebhookTested"];

export const typeLabels: Record<EventType, { th: string; en: string }> = {
  "donation.created": { th: "มีโดเนทใหม่", en: "A donation was recorded" },
  "donation.voided": { th: "โดเนทถูกทำให้เป็นโมฆะ", en: "A donation was voided" },
  "donation.erased": { th: "ข้อมูลผู้โดเนทถูกลบ", en: "A donator was erased" },
  "alert.started": { th: "แจ้งเตือนขึ้นจอ", en: "An alert is on screen" },
  "alert.shown": { th: "แจ้งเตือนแสดงจบ", en: "An alert has played to its end" },
  "alert.skipped": { th: "แจ้งเตือนไม่แสดงหรือถูกตัดจบ", en: "An alert was not played, or was ended" },
  "alert.held": { th: "แจ้งเตือนรออนุมัติ", en: "An alert waits for an approval" },
  "alert.approved": { th: "แจ้งเตือนได้รับอนุมัติ", en: "An alert was approved" },
  "alert.denied": { th: "แจ้งเตือนถูกปฏิเสธ", en: "An alert was denied" },
  "alert.expired": { th: "แจ้งเตือนรอนานเกินไป", en: "An alert waited too long" },
  "alert.unconfirmed": { th: "แจ้งเตือนอาจแสดงไม่ครบ", en: "An alert was possibly cut off" },
  "goal.reached": { th: "ถึงเป้าหมาย", en: "The goal was reached" },
};

const reasons: Record<NonNullable<Webhook["disabledReason"]>, { th: string; en: string }> = {
  requested: { th: "ปิดตามคำขอ", en: "Disabled by request" },
  gone: { th: "ปิดแล้ว เพราะปลายทางตอบ 410 (ไม่มีอีกต่อไป)", en: "Disabled, because the endpoint answered 410 (gone)" },
  failing: { th: "ปิดแล้ว เพราะส่งไม่สำเร็จเลยตลอดห้าวัน", en: "Disabled, because every attempt of five days failed" },
  disconnected: {
    th: "ปิดแล้ว เพราะแอปไม่มีคีย์ที่ใช้ได้หรือไม่ได้เชื่อมต่อแล้ว",
    en: "Disabled, because the application has no credential any more",
  },
};

/** Whether the endpoint gets events, and why not. */
export function stateLine({ disabledReason, failingSince }: Webhook): Html {
  if (disabledReason) return line(disabledReason === "requested" ? "paused" : "away", reasons[disabledReason]);
  if (failingSince === null) return line("good", { th: "ทำงานอยู่", en: "Enabled" });
  const { th, en } = formatDateTime(new Date(failingSince));
  return line("away", {
    th: `ส่งไม่สำเร็จตั้งแต่ ${th} ถ้าครบห้าวันจะถูกปิด`,
    en: `Every attempt has failed since ${en}. After five days the webhook is disabled.`,
  });
}

function line(kind: string, words: Bilingual): Html {
  return html`<p class="state ${kind}"><span>${bilingual(words)}</span></p>`;
}

/** A short name: what the streamer wrote, or the host. The rest of the address may be a secret. */
export function nameOf({ description, url }: Pick<Webhook, "description" | "url">): string {
  return description === "" ? hostOf({ url }) : description;
}

export function hostOf({ url }: Pick<Webhook, "url">): string {
  return URL.parse(url)?.host ?? "";
}

export function typeList(types: readonly EventType[]): Html {
  return html`<ul class="scopes">${types.map((type) => html`<li>${bilingual(typeLabels[type])}</li>`)}</ul>`;
}

export type DeliveryStatus = WebhookDelivery["status"];

export const statusLabels: Record<DeliveryStatus, { th: string; en: string }> = {
  succeeded: { th: "ส่งถึงแล้ว", en: "Delivered" },
  retrying: { th: "กำลังส่ง", en: "Being sent" },
  failed: { th: "ส่งไม่ถึง", en: "Not delivered" },
};

/** The status that a page's address asks for; null for all. */
export function deliveryStatusOf(text: string | null): DeliveryStatus | null {
  return text !== null && Object.hasOwn(statusLabels, text) ? (text as DeliveryStatus) : null;
}
