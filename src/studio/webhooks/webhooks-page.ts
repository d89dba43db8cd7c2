// Renders the page of all webhooks.

import type { WebhookApplication } from "../../events/webhooks/endpoints.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { faultMessages, faultSummary } from "../components/fields.ts";
import { fact, guideLink, type PageContext, studioPage, when } from "../components/frame.ts";
import { paths, webhookAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { hostOf, nameOf, stateLine, typeList, type Webhook } from "./webhook-deliveries.ts";
import { type WebhookFormState, webhookFields, webhookForm, webhookLabels } from "./webhook-form.ts";

type Found = Readonly<{ application: WebhookApplication; webhooks: readonly Webhook[] }>;

type WebhooksPage = PageContext & Readonly<{ found: readonly Found[]; form: WebhookFormState; bounds: StudioDeps["bounds"] }>;

export function webhooksPage(page: WebhooksPage): string {
  const cards = page.found.flatMap(({ application, webhooks }) => webhooks.map((webhook) => card(page, application, webhook)));
  return studioPage({
    ...page,
    here: paths.webhooks,
    title: { th: "เว็บฮุก", en: "Webhooks" },
    content: html`<section class="card" aria-labelledby="all">
<h2 id="all">${bilingual({ th: "ปลายทางที่รับเหตุการณ์ของคุณ", en: "Where your events are sent" })}</h2>
${cards.length === 0 ? none : html`<ul class="cards">${cards}</ul>`}
</section>
<section class="card" aria-labelledby="new">
<h2 id="new">${bilingual({ th: "เพิ่มเว็บฮุก", en: "New webhook" })}</h2>
${guideLink(page.site, "webhooks")}
${newWebhook(page)}
</section>`,
  });
}

const none = html`<p class="note">${bilingual({ th: "ยังไม่มีเว็บฮุก", en: "You have no webhooks." })}</p>`;

/** Of somebody else's application only the host is shown: the rest of the address may be its secret. */
function card({ site }: WebhooksPage, application: WebhookApplication, webhook: Webhook): Html {
  const name = application.isOwn ? nameOf(webhook) : hostOf(webhook);
  return html`<li>
<h3>${application.isOwn ? html`<a href="${site.path(webhookAddress(webhook.id))}">${isolated(name)}</a>` : isolated(name)}</h3>
${stateLine(webhook)}
<dl>
${fact(webhookForm.fields.application.label, isolated(application.name))}
${application.isOwn && fact({ th: "เครื่องปลายทาง", en: "Host" }, html`<code>${hostOf(webhook)}</code>`)}
${when({ th: "สร้างเมื่อ", en: "Created" }, new Date(webhook.createdAt))}
</dl>
${typeList(webhook.types)}
${
  !application.isOwn &&
  html`<p class="note">${bilingual({
    th: html`แอปนี้ดูแลเอง ถ้าไม่ต้องการให้ส่งอีก ให้ยกเลิกการเชื่อมต่อที่<a href="${site.path("/oauth/connections")}">หน้าแอป</a>`,
    en: "The application manages it. To stop it, disconnect the application.",
  })}</p>`
}
</li>`;
}

/** Only an application with a live key can get events. */
function newWebhook(page: WebhooksPage): Html {
  const { site, account, found, form } = page;
  const own = found.map(({ application }) => application).filter(({ isOwn, scopes }) => isOwn && scopes.length > 0);
  if (own.length === 0) return keyFirst(page);
  const content = html`${webhookFields(form, page.bounds)}
${applicationField(own, form)}
<button class="main">${bilingual({ th: "เพิ่มเว็บฮุก", en: "Create webhook" })}</button>`;
  return html`<p class="note">${bilingual({
    th: "เมื่อมีเหตุการณ์ เซิร์ฟเวอร์จะส่งคำขอไปยังบอตหรือโปรแกรมของคุณทันที",
    en: "When something happens, the server sends a request to your own bot or program at once.",
  })}</p>
${faultSummary(form.faults, webhookLabels)}
${postForm({ action: site.path(paths.webhooks), formToken: account.formToken, content })}`;
}

function applicationField(own: readonly WebhookApplication[], { typed, faults }: WebhookFormState): Html {
  const option = ({ id, name }: WebhookApplication) =>
    html`<option value="${id}"${id === typed.application && html` selected`}>${name}</option>`;
  const isFull = {
    th: "แอปนี้มีเว็บฮุกครบจำนวนแล้ว ลบอันที่ไม่ใช้ก่อน",
    en: "This application has as many webhooks as it can have. Delete one first.",
  };
  return html`<div class="field">
<label for="field-application">${bilingual(webhookForm.fields.application.label)}</label>
<small id="field-application-hint">${bilingual({
    th: "เว็บฮุกได้เหตุการณ์ที่คีย์ของแอปนี้มีสิทธิ์ดู และหยุดเมื่อแอปไม่มีคีย์ที่ใช้ได้",
    en: "The webhook gets what the keys of this application may see, and stops when it has no active key.",
  })}</small>
<select id="field-application" name="application" aria-describedby="field-application-hint">${own.map(option)}</select>
${faultMessages("application", faults, { words: () => isFull })}
</div>`;
}

function keyFirst({ site }: WebhooksPage): Html {
  return html`<p>${bilingual({
    th: html`เว็บฮุกได้เหตุการณ์ที่คีย์ API ของแอปมีสิทธิ์ดู <a href="${site.path(paths.keys)}">สร้างคีย์ก่อน</a>`,
    en: "A webhook gets what the API keys of its application may see. Create a key first.",
  })}</p>`;
}
