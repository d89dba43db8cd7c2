// Renders the page of one webhook endpoint.

import type { WebhookApplication } from "../../events/webhooks/endpoints/applications.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { fact, when } from "../components/facts.ts";
import { faultSummary } from "../components/fields.ts";
import { studioPage } from "../components/frame.ts";
import { paths, webhookAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { answerText, type DeliveriesView, deliveriesCard } from "./webhook-deliveries.ts";
import { type WebhookFormState, webhookFields, webhookLabels } from "./webhook-fields.ts";
import { hostOf, nameOf, stateLine, typeList, type Webhook, type WebhookTested } from "./webhook-labels.ts";
import { recoveryForm } from "./webhook-recovery.ts";

type WebhookPage = DeliveriesView &
  Readonly<{
    application: WebhookApplication;
    /** What became of a test that was just sent; null when none was. */
    tested: WebhookTested | null;
    form: WebhookFormState;
    bounds: StudioDeps["bounds"];
  }>;

export function webhookPage(page: WebhookPage): string {
  const { site, application, webhook, tested, status, cursor } = page;
  return studioPage({
    ...page,
    here: paths.webhooks,
    title: { th: "เว็บฮุก", en: "Webhook" },
    content: html`<p data-here="${site.path(webhookAddress(webhook.id, status, cursor))}"><a href="${site.path(paths.webhooks)}">${bilingual({ th: "เว็บฮุกทั้งหมด", en: "All webhooks" })}</a></p>
<section class="card" aria-labelledby="state">
<h2 id="state">${isolated(nameOf(webhook))}</h2>
${tested && testResult(tested)}
${stateLine(webhook)}
<dl>
${fact(webhookLabels.application, isolated(application.name))}
${fact({ th: "เครื่องปลายทาง", en: "Host" }, html`<code>${hostOf(webhook)}</code>`)}
${when({ th: "สร้างเมื่อ", en: "Created" }, new Date(webhook.createdAt))}
${when({ th: "รหัสลับเดิมใช้ได้ถึง", en: "Previous secret works until" }, webhook.previousSecretUntil === null ? null : new Date(webhook.previousSecretUntil))}
</dl>
${typeList(webhook.types)}
<div class="buttons">
${button(page, paths.testWebhook, { th: "ส่งเหตุการณ์ทดสอบ", en: "Send a test event" })}
${toggle(page)}
</div>
${recoveryForm(page)}
${settings(page)}
${rotation(page)}
${deletion(page)}
</section>
${deliveriesCard(page)}`,
  });
}

function testResult({ delivered, attempt }: WebhookTested): Html {
  const { status, milliseconds, error } = attempt;
  const words = delivered
    ? { th: `ปลายทางตอบ ${status} ใน ${milliseconds} ms`, en: `The endpoint answered ${status} within ${milliseconds} ms.` }
    : { th: `ส่งไม่สำเร็จหลัง ${milliseconds} ms`, en: `The test failed after ${milliseconds} ms: ${error}` };
  return html`<div class="${delivered ? "right" : "wrong"}" role="status"><p>${bilingual(words)}</p>
${answerText(attempt)}</div>`;
}

/** An endpoint of an application without a key would be disabled again at once. */
function toggle(page: WebhookPage): Html | null {
  const field = (enabled: boolean) => html`<input type="hidden" name="enabled" value="${String(enabled)}">`;
  if (page.webhook.enabled) return button(page, paths.enableWebhook, { th: "ปิด", en: "Disable" }, field(false));
  if (page.application.scopes.length > 0) return button(page, paths.enableWebhook, { th: "เปิด", en: "Enable" }, field(true));
  return html`<p class="note"><a href="${page.site.path(paths.keys)}">${bilingual({ th: "สร้างคีย์ของแอปนี้ก่อนจึงเปิดได้", en: "Create a key of this application to enable it." })}</a></p>`;
}

function button({ site, account, webhook }: WebhookPage, path: string, words: Bilingual, fields?: Html): Html {
  const content = html`<input type="hidden" name="webhook" value="${webhook.id}">${fields}<button>${bilingual(words)}</button>`;
  return postForm({ action: site.path(path), formToken: account.formToken, content });
}

/** Open when what was typed is refused. The address may be a secret, so it is not shown before. */
function settings(page: WebhookPage): Html {
  const { site, account, webhook, form, bounds } = page;
  const isRefused = Object.keys(form.faults).length > 0;
  const content = html`<input type="hidden" name="webhook" value="${webhook.id}">
${webhookFields(form, bounds)}
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
  return html`<details${isRefused && html` open`}>
<summary>${bilingual({ th: "แก้ไข…", en: "Edit…" })}</summary>
${faultSummary(form.faults, webhookLabels)}
${postForm({ action: site.path(paths.changeWebhook), formToken: account.formToken, content })}
</details>`;
}

/** The name by which the form identifies the secret: until when the one before it works, or `none`. */
export function secretNameOf({ previousSecretUntil }: Webhook): string {
  return previousSecretUntil ?? "none";
}

function rotation(page: WebhookPage): Html {
  const replaces = html`<input type="hidden" name="replaces" value="${secretNameOf(page.webhook)}">`;
  return html`<details>
<summary>${bilingual({ th: "เปลี่ยนรหัสลับ…", en: "Rotate secret…" })}</summary>
<p>${bilingual({
    th: "รหัสเดิมยังใช้ได้อีก 24 ชั่วโมง ใส่รหัสใหม่ที่ปลายทางภายในเวลานั้น",
    en: "The previous secret works for another 24 hours. Give the new one to your program within that time.",
  })}</p>
${button(page, paths.rotateSecret, { th: "เปลี่ยนรหัสลับ", en: "Rotate secret" }, replaces)}
</details>`;
}

function deletion(page: WebhookPage): Html {
  return html`<details>
<summary>${bilingual({ th: "ลบ…", en: "Delete…" })}</summary>
<p>${bilingual({ th: "จะไม่ส่งอะไรอีก และรายการส่งทั้งหมดจะถูกลบ", en: "Nothing will be sent any more, and all deliveries are deleted. This can't be undone." })}</p>
${button(page, paths.deleteWebhook, { th: "ลบเว็บฮุกนี้", en: "Delete this webhook" })}
</details>`;
}
