// Endpoints, events and deliveries in words, and what became of each event with every request.

import type { EventType } from "../../events/event.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual, type Words } from "../../ui/layout.ts";
import { exactTime, formatDateTime } from "../../ui/times.ts";
import { emptyState, type PageContext, pageForm } from "../components/frame.ts";
import { paths, webhookAddress } from "../paths.ts";

export type Webhook = Schemas["Webhook"];
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type WebhookAttempt = Schemas["WebhookAttempt"];
export type WebhookTested = Schemas["WebhookTested"];

export const typeLabels: Record<EventType, Words> = {
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
  "timer.started": { th: "เริ่มตัวจับเวลา", en: "The timer was started" },
  "timer.changed": { th: "ตัวจับเวลาเปลี่ยน", en: "The timer has changed" },
  "timer.ended": { th: "ตัวจับเวลาจบแล้ว", en: "The timer has ended" },
  "goal.reached": { th: "ถึงเป้าหมาย", en: "The goal was reached" },
};

const reasons: Record<NonNullable<Webhook["disabledReason"]>, Words> = {
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
export function nameOf(webhook: Webhook): string {
  return webhook.description || hostOf(webhook);
}

export function hostOf({ url }: Webhook): string {
  return URL.parse(url)?.host ?? "";
}

export function typeList(types: readonly EventType[]): Html {
  return html`<ul class="ticks">${types.map((type) => html`<li>${icon("check")}${bilingual(typeLabels[type])}</li>`)}</ul>`;
}

type DeliveryStatus = WebhookDelivery["status"];

const statusLabels: Record<DeliveryStatus, Words> = {
  succeeded: { th: "ส่งถึงแล้ว", en: "Delivered" },
  retrying: { th: "กำลังส่ง", en: "Being sent" },
  failed: { th: "ส่งไม่ถึง", en: "Not delivered" },
};

/** The status that a page's address asks for; null for all. */
export function deliveryStatusOf(text: string | null): DeliveryStatus | null {
  return text !== null && Object.hasOwn(statusLabels, text) ? (text as DeliveryStatus) : null;
}

export type DeliveriesView = PageContext &
  Readonly<{
    webhook: Webhook;
    /** The filter; null for all. */
    outcome: DeliveryStatus | null;
    /** Where the shown deliveries begin; null for the latest. */
    cursor: string | null;
    deliveries: Schemas["WebhookDeliveryPage"];
  }>;

export function deliveriesCard(page: DeliveriesView): Html {
  const { webhook, outcome, cursor, deliveries } = page;
  const { data, pagination } = deliveries;
  const fields = html`<input type="hidden" name="webhook" value="${webhook.id}">${outcome && html`<input type="hidden" name="status" value="${outcome}">`}`;
  return html`<section class="card" aria-labelledby="deliveries">
<h2 id="deliveries">${bilingual({ th: "การส่งใน 30 วัน", en: "Deliveries of 30 days" })}</h2>
${filter(page)}
${pageForm(page, paths.redeliver, { content: fields, id: "redeliveries" })}
${data.length === 0 ? nothing : html`<ul class="entries">${data.map((delivery) => entry(delivery, webhook.enabled))}</ul>`}
${(cursor !== null || pagination.nextCursor !== null) && html`<p class="marks">${cursor !== null && pageLink(page, null, { th: "ล่าสุด", en: "Latest" })}${pagination.nextCursor !== null && pageLink(page, pagination.nextCursor, { th: "เก่ากว่านี้", en: "Older" })}</p>`}
</section>`;
}

const nothing = emptyState(
  "send",
  { th: "ไม่มีรายการ", en: "There are none." },
  bilingual({ th: "เหตุการณ์ที่ส่งไปยังที่อยู่นี้จะอยู่ที่นี่", en: "Events that are sent to this address stand here." }),
);

function filter({ site, webhook, outcome }: DeliveriesView): Html {
  const all = { th: "ทั้งหมด", en: "All" };
  const link = (status: DeliveryStatus | null) =>
    html`<li><a href="${site.path(webhookAddress(webhook.id, status))}"${status === outcome && html` aria-current="true"`}>${bilingual(status === null ? all : statusLabels[status])}</a></li>`;
  const statuses = Object.keys(statusLabels) as DeliveryStatus[];
  return html`<nav aria-label="${bilingual({ th: "กรองตามผล", en: "Filter by outcome" })}"><ul>${[null, ...statuses].map(link)}</ul></nav>`;
}

function pageLink({ site, webhook, outcome }: DeliveriesView, cursor: string | null, words: Words): Html {
  return html`<a href="${site.path(webhookAddress(webhook.id, outcome, cursor))}">${bilingual(words)}</a>`;
}

function entry({ id, type, timestamp, status, attempts, nextAttemptAt }: WebhookDelivery, canRepeat: boolean): Html {
  const words = typeLabels[type];
  const next = nextAttemptAt !== null && html`<span>${bilingual({ th: "ครั้งต่อไป", en: "Next attempt" })} ${exactTime(nextAttemptAt)}</span>`;
  return html`<li><div class="entry">
<p><strong>${bilingual(words)}</strong></p>
<p class="marks"><span class="label ${status}">${bilingual(statusLabels[status])}</span><code>${type}</code>${exactTime(timestamp)}${next}</p>
${attemptsOf(attempts)}
</div>${canRepeat && html`<button class="small" form="redeliveries" name="delivery" value="${id}" aria-label="${bilingual({ th: `ส่งอีกครั้ง: ${words.th}, ${timestamp}`, en: `Send again: ${words.en}, ${timestamp}` })}">${bilingual({ th: "ส่งอีกครั้ง", en: "Send again" })}</button>`}</li>`;
}

function attemptsOf(attempts: readonly WebhookAttempt[]): Html {
  const count = attempts.length;
  if (count === 0) return html`<p class="note">${bilingual({ th: "ยังไม่ได้ส่ง", en: "Not sent yet." })}</p>`;
  return html`<details>
<summary>${bilingual({ th: `ส่ง ${count} ครั้ง`, en: count === 1 ? "1 attempt" : `${count} attempts` })}</summary>
<ol class="steps">${attempts.map(attemptItem)}</ol>
</details>`;
}

function attemptItem(attempt: WebhookAttempt): Html {
  const { at, status, milliseconds, error } = attempt;
  const answered = status === null ? { th: "ไม่มีคำตอบ", en: "No answer" } : { th: `ตอบ ${status}`, en: `Answered ${status}` };
  return html`<li><p class="marks">${exactTime(at)}<span>${bilingual(answered)}</span><span>${milliseconds} ms</span></p>
${error !== null && html`<p class="fault" lang="en">${error}</p>`}
${answerText(attempt)}</li>`;
}

/** The beginning of the answer, as the endpoint wrote it; null when it wrote nothing. */
export function answerText({ answer }: WebhookAttempt): Html | null {
  if (answer === null || answer === "") return null;
  return html`<p class="note"><bdi><code>${answer.slice(0, shownCharacters)}</code></bdi></p>`;
}

const shownCharacters = 300;
