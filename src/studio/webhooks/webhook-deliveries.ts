// What became of each event at an endpoint, with every request.

import type { Schemas } from "../../http/operations.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { exactTime } from "../../ui/times.ts";
import type { PageContext } from "../components/frame.ts";
import { paths, webhookAddress } from "../paths.ts";
import {
  type DeliveryStatus,
  statusLabels,
  typeLabels,
  type Webhook,
  type WebhookAttempt,
  type WebhookDelivery,
} from "./webhook-labels.ts";

export type DeliveriesView = PageContext &
  Readonly<{
    webhook: Webhook;
    /** The filter; null for all. */
    status: DeliveryStatus | null;
    /** Where the shown deliveries begin; null for the latest. */
    cursor: string | null;
    deliveries: Schemas["WebhookDeliveryPage"];
  }>;

export function deliveriesCard(page: DeliveriesView): Html {
  const { site, account, webhook, status, cursor, deliveries } = page;
  const { data, pagination } = deliveries;
  const fields = html`<input type="hidden" name="webhook" value="${webhook.id}">${status && html`<input type="hidden" name="status" value="${status}">`}`;
  return html`<section class="card" aria-labelledby="deliveries">
<h2 id="deliveries">${bilingual({ th: "การส่งใน 30 วัน", en: "Deliveries of 30 days" })}</h2>
${filter(page)}
${postForm({ id: "redeliveries", action: site.path(paths.redeliver), formToken: account.formToken, content: fields })}
${data.length === 0 ? nothing : html`<ul class="entries">${data.map((delivery) => entry(delivery, webhook.enabled))}</ul>`}
${(cursor !== null || pagination.nextCursor !== null) && html`<p class="marks">${cursor !== null && pageLink(page, null, { th: "ล่าสุด", en: "Latest" })}${pagination.nextCursor !== null && pageLink(page, pagination.nextCursor, { th: "เก่ากว่านี้", en: "Older" })}</p>`}
</section>`;
}

const nothing = html`<p class="note">${bilingual({ th: "ไม่มีรายการ", en: "There are none." })}</p>`;

function filter({ site, webhook, status: chosen }: DeliveriesView): Html {
  const all = { th: "ทั้งหมด", en: "All" };
  const link = (status: DeliveryStatus | null) =>
    html`<li><a href="${site.path(webhookAddress(webhook.id, status))}"${status === chosen && html` aria-current="true"`}>${bilingual(status === null ? all : statusLabels[status])}</a></li>`;
  const statuses = Object.keys(statusLabels) as DeliveryStatus[];
  return html`<nav aria-label="${bilingual({ th: "กรองตามผล", en: "Filter by outcome" })}"><ul>${[null, ...statuses].map(link)}</ul></nav>`;
}

function pageLink({ site, webhook, status }: DeliveriesView, cursor: string | null, words: { th: string; en: string }): Html {
  return html`<a href="${site.path(webhookAddress(webhook.id, status, cursor))}">${bilingual(words)}</a>`;
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
export function answerText({ answer }: Pick<WebhookAttempt, "answer">): Html | null {
  if (answer === null || answer === "") return null;
  return html`<p class="note"><bdi><code>${answer.slice(0, shownCharacters)}</code></bdi></p>`;
}

const shownCharacters = 300;
