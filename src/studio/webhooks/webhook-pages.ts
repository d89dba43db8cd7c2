// What the pages of webhooks look like: all endpoints, one of them, and a secret that is shown once.

import type { WebhookApplication } from "../../events/webhooks/endpoints.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated, type Words } from "../../ui/layout.ts";
import { aboutText, section } from "../../ui/section.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { choiceField, faultSummary, radioField } from "../components/fields.ts";
import {
  backLink,
  blurNote,
  emptyState,
  fact,
  guideLink,
  mainAction,
  type PageContext,
  pageForm,
  secretField,
  studioPage,
  when,
} from "../components/frame.ts";
import { paths, webhookAddress } from "../paths.ts";
import {
  answerText,
  type DeliveriesView,
  deliveriesCard,
  hostOf,
  nameOf,
  stateLine,
  typeList,
  type Webhook,
  type WebhookTested,
  type WebhookWithSecret,
} from "./webhook-deliveries.ts";
import { type WebhookFormState, webhookFields, webhookForm, webhookLabels } from "./webhook-form.ts";

type WebhookPage = DeliveriesView &
  Readonly<{
    application: WebhookApplication;
    /** What became of a test that was just sent; null when none was. */
    tested: WebhookTested | null;
    form: WebhookFormState;
  }>;

export function webhookPage(page: WebhookPage): PageReply {
  const { site, application, webhook, tested, outcome, cursor } = page;
  return studioPage({
    ...page,
    here: paths.webhooks,
    title: { th: "เว็บฮุก", en: "Webhook" },
    content: html`${backLink(site, { here: webhookAddress(webhook.id, outcome, cursor), to: paths.webhooks, words: { th: "เว็บฮุกทั้งหมด", en: "All webhooks" } })}
<section class="card" aria-labelledby="state">
<h2 id="state">${isolated(nameOf(webhook))}</h2>
${tested && testResult(tested)}
${stateLine(webhook)}
<dl>
${fact(webhookForm.fields.application.label, isolated(application.name))}
${fact({ th: "เครื่องปลายทาง", en: "Host" }, html`<code>${hostOf(webhook)}</code>`)}
${when({ th: "สร้างเมื่อ", en: "Created" }, new Date(webhook.createdAt))}
${when({ th: "รหัสลับเดิมใช้ได้ถึง", en: "Previous secret works until" }, webhook.previousSecretUntil === null ? null : new Date(webhook.previousSecretUntil))}
</dl>
${typeList(webhook.types)}
<div class="buttons">
${button(page, paths.testWebhook, { th: "ส่งเหตุการณ์ทดสอบ", en: "Send a test event" })}
${toggle(page)}
</div>
</section>
${deliveriesCard(page)}
${recovery(page)}
${section("settings", { title: { th: "ตั้งค่า", en: "Settings" }, content: settings(page) })}
${rotation(page)}
${deletion(page)}`,
  });
}

function testResult({ delivered, attempt }: WebhookTested): Html {
  const { status, milliseconds, error } = attempt;
  const words = delivered
    ? { th: `ปลายทางตอบ ${status} ใน ${milliseconds} ms`, en: `The endpoint answered ${status} within ${milliseconds} ms.` }
    : { th: `ส่งไม่สำเร็จหลัง ${milliseconds} ms: ${error}`, en: `The test failed after ${milliseconds} ms: ${error}` };
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

/** `rank`: ` class="danger"` for what can't be taken back. */
function button({ site, account, webhook }: WebhookPage, path: string, words: Bilingual, fields?: Html, rank?: Html): Html {
  const content = html`<input type="hidden" name="webhook" value="${webhook.id}">${fields}<button${rank}>${bilingual(words)}</button>`;
  return pageForm({ site, account }, path, { content });
}

/** Open when what was typed is refused. The address may be a secret, so it is not shown before. */
function settings(page: WebhookPage): Html {
  const { webhook, form } = page;
  const isRefused = Object.keys(form.faults).length > 0;
  const content = html`<input type="hidden" name="webhook" value="${webhook.id}">
${webhookFields(form)}
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
  return html`<details${isRefused && html` open`}>
<summary>${bilingual({ th: "แก้ไข…", en: "Edit…" })}</summary>
${faultSummary(form.faults, webhookLabels)}
${pageForm(page, paths.changeWebhook, { content })}
</details>`;
}

/** The name by which the form identifies the secret: until when the one before it works, or `none`. */
export function secretNameOf({ previousSecretUntil }: Webhook): string {
  return previousSecretUntil ?? "none";
}

function rotation(page: WebhookPage): Html {
  const replaces = html`<input type="hidden" name="replaces" value="${secretNameOf(page.webhook)}">`;
  return section("rotate", {
    title: { th: "รหัสลับ", en: "Secret" },
    about: aboutText({
      th: "รหัสเดิมยังใช้ได้อีก 24 ชั่วโมง ใส่รหัสใหม่ที่ปลายทางภายในเวลานั้น",
      en: "The previous secret works for another 24 hours. Give the new one to your program within that time.",
    }),
    content: html`<details><summary>${bilingual({ th: "เปลี่ยนรหัสลับ…", en: "Rotate secret…" })}</summary>
${button(page, paths.rotateSecret, { th: "เปลี่ยนรหัสลับ", en: "Rotate secret" }, replaces)}</details>`,
  });
}

function deletion(page: WebhookPage): Html {
  const content = button(page, paths.deleteWebhook, { th: "ลบเว็บฮุกนี้", en: "Delete this webhook" }, html``, html` class="danger"`);
  return section("delete", {
    title: { th: "ลบ", en: "Delete" },
    about: aboutText({
      th: "จะไม่ส่งอะไรอีก และรายการส่งทั้งหมดจะถูกลบ",
      en: "Nothing will be sent any more, and all deliveries are deleted. This can't be undone.",
    }),
    content: html`<details><summary>${bilingual({ th: "ลบ…", en: "Delete…" })}</summary>${content}</details>`,
  });
}

/** Hours before now. Deliveries are kept for 30 days, so nothing older can be sent again. */
const spans: Readonly<Record<number, Words>> = {
  1: { th: "หนึ่งชั่วโมงที่ผ่านมา", en: "The last hour" },
  24: { th: "หนึ่งวันที่ผ่านมา", en: "The last day" },
  168: { th: "เจ็ดวันที่ผ่านมา", en: "The last seven days" },
  720: { th: "30 วันที่ผ่านมา", en: "The last 30 days" },
};

/** The hours that the form asks for; null when they are none of its choices. */
export function recoveryHoursOf(text: string | null): number | null {
  return text !== null && Object.hasOwn(spans, text) ? Number(text) : null;
}

/** Null for a disabled endpoint: nothing is sent to it. */
function recovery({ site, account, webhook }: PageContext & Readonly<{ webhook: Webhook }>): Html | null {
  if (!webhook.enabled) return null;
  const choice = ([value, label]: [string, Words]) =>
    radioField({ id: `field-hours-${value}`, name: "hours", value, label, checked: value === usual });
  const content = html`<input type="hidden" name="webhook" value="${webhook.id}">
<fieldset>
<legend>${bilingual({ th: "ตั้งแต่เมื่อไร", en: "Since when" })}</legend>
<div class="checks">${Object.entries(spans).map(choice)}</div>
</fieldset>
<button>${bilingual({ th: "ส่งที่ยังไม่ถึง", en: "Send missed events" })}</button>`;
  return section("missed", {
    title: { th: "เหตุการณ์ที่พลาดไป", en: "Missed events" },
    about: aboutText({
      th: "ส่งเหตุการณ์ที่ส่งไม่สำเร็จ หรือเกิดขึ้นระหว่างที่เว็บฮุกปิดอยู่ อีกครั้ง",
      en: "Sends events again of which every attempt failed, or that happened while the webhook was disabled.",
    }),
    content: pageForm({ site, account }, paths.recover, { content }),
  });
}

const usual = "24";

type SecretPage = PageContext & Readonly<{ webhook: WebhookWithSecret; isNew: boolean }>;

const created = {
  th: "สร้างเว็บฮุกแล้ว คัดลอกรหัสลับตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว",
  en: "Your webhook has been created. Copy its secret now: it won't be shown again.",
};

const rotated = {
  th: "เปลี่ยนรหัสลับแล้ว คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว รหัสเดิมยังใช้ได้อีก 24 ชั่วโมง",
  en: "The secret has been replaced. Copy it now: it won't be shown again. The previous one works for another 24 hours.",
};

export function webhookSecretPage(page: SecretPage): PageReply {
  const { site, webhook, isNew } = page;
  return studioPage({
    ...page,
    here: paths.webhooks,
    title: { th: "เว็บฮุก", en: "Webhooks" },
    content: html`<section class="card" data-here="${site.path(webhookAddress(webhook.id))}">
<p class="right" role="status">${bilingual(isNew ? created : rotated)}</p>
<p>${bilingual({
      th: "ปลายทางใช้รหัสนี้ตรวจว่าคำขอมาจากที่นี่จริง",
      en: "The endpoint uses it to check that a request really comes from here.",
    })}</p>
${blurNote}
${secretField({ id: "secret", label: { th: html`รหัสลับของ ${isolated(nameOf(webhook))}`, en: "Secret" }, value: webhook.secret })}
<p><a href="${site.path(webhookAddress(webhook.id))}">${bilingual({ th: "เก็บรหัสแล้ว ไปที่เว็บฮุกนี้", en: "I've saved the secret. Go to the webhook" })}</a></p>
</section>`,
  });
}

type Found = Readonly<{ application: WebhookApplication; webhooks: readonly Webhook[] }>;

export type WebhooksPage = PageContext & Readonly<{ found: readonly Found[]; form: WebhookFormState }>;

export function webhooksPage(page: WebhooksPage): PageReply {
  const cards = page.found.flatMap(({ application, webhooks }) => webhooks.map((webhook) => card(page, application, webhook)));
  return studioPage({
    ...page,
    here: paths.webhooks,
    title: { th: "เว็บฮุก", en: "Webhooks" },
    action: mainAction("#new", { th: "เพิ่มเว็บฮุก", en: "New webhook" }),
    content: html`${section("all", {
      title: { th: "ปลายทางที่รับเหตุการณ์ของคุณ", en: "Where your events are sent" },
      content: cards.length === 0 ? none : html`<ul class="cards">${cards}</ul>`,
    })}
${section("new", {
  title: { th: "เพิ่มเว็บฮุก", en: "New webhook" },
  about: html`${aboutText(purpose)}${guideLink(page.site, "webhooks")}`,
  content: newWebhook(page),
})}`,
  });
}

const purpose = {
  th: "เมื่อมีเหตุการณ์ เซิร์ฟเวอร์จะส่งคำขอไปยังบอตหรือโปรแกรมของคุณทันที",
  en: "When something happens, the server sends a request to your own bot or program at once.",
};

const none = emptyState(
  "webhook",
  { th: "ยังไม่มีเว็บฮุก", en: "You have no webhooks." },
  bilingual({
    th: "เพิ่มที่อยู่ของโปรแกรมของคุณด้านล่าง แล้วเหตุการณ์ใหม่จะถูกส่งไปที่นั่น",
    en: "Add your program's address below, and new events are sent there.",
  }),
);

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
  const { found, form } = page;
  const own = found.map(({ application }) => application).filter(({ isOwn, scopes }) => isOwn && scopes.length > 0);
  if (own.length === 0) return keyFirst(page);
  const content = html`${webhookFields(form)}
${applicationField(own, form)}
<button class="main">${bilingual({ th: "เพิ่มเว็บฮุก", en: "Create webhook" })}</button>`;
  return html`${faultSummary(form.faults, webhookLabels)}
${pageForm(page, paths.webhooks, { content })}`;
}

function applicationField(own: readonly WebhookApplication[], { typed, faults }: WebhookFormState): Html {
  const isFull = {
    th: "แอปนี้มีเว็บฮุกครบจำนวนแล้ว ลบอันที่ไม่ใช้ก่อน",
    en: "This application has as many webhooks as it can have. Delete one first.",
  };
  const hint = bilingual({
    th: "เว็บฮุกได้เหตุการณ์ที่คีย์ของแอปนี้มีสิทธิ์ดู และหยุดเมื่อแอปไม่มีคีย์ที่ใช้ได้",
    en: "The webhook gets what the keys of this application may see, and stops when it has no active key.",
  });
  const choices = own.map(({ id, name }) => [id, { th: name, en: name }] as const);
  const { label } = webhookForm.fields.application;
  return choiceField({ name: "application", label, hint, typed: typed.application, choices, words: () => isFull }, faults);
}

function keyFirst({ site }: WebhooksPage): Html {
  return html`<p>${bilingual({
    th: html`เว็บฮุกได้เหตุการณ์ที่คีย์ API ของแอปมีสิทธิ์ดู <a href="${site.path(paths.keys)}">สร้างคีย์ก่อน</a>`,
    en: "A webhook gets what the API keys of its application may see. Create a key first.",
  })}</p>`;
}
