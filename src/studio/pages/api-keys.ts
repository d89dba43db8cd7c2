import type { Scope } from "../../http/operations.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { foreign, inBoth, type Words } from "../../ui/layout.ts";
import { scopeList, scopeWords } from "../../ui/scope-names.ts";
import { maxName, type NewKeyForm } from "../api-key-form.ts";
import type { FieldFaults } from "../faults.ts";
import { paths } from "../paths.ts";
import type { ApiKey } from "../studio-deps.ts";
import { checkField, dateField, faultSummary, faultText, textField } from "./fields.ts";
import { type Framed, studioPage } from "./frame.ts";
import { blurred, secretField } from "./secret.ts";
import { inWords } from "./words.ts";

type ApiKeysPage = Framed &
  Readonly<{ keys: readonly ApiKey[]; scopes: readonly Scope[]; typed: NewKeyForm; faults: FieldFaults; now: number }>;

const frame = { here: "/studio/keys", title: { th: "คีย์ API", en: "API keys" } } as const;

export function apiKeysPage(page: ApiKeysPage): string {
  const { keys, now } = page;
  const good = keys.filter((key) => isGood(key, now)).toReversed();
  const over = keys.filter((key) => !isGood(key, now)).toReversed();
  return studioPage({
    ...page,
    ...frame,
    content: html`<section class="card" aria-labelledby="live">
<h2 id="live">${inBoth({ th: "คีย์ที่ใช้ได้", en: "Live keys" })}</h2>
${good.length === 0 ? none : html`<ul class="cards">${good.map((key) => keyCard(page, key))}</ul>`}
${
  over.length > 0 &&
  html`<details>
<summary>${inBoth({ th: `คีย์ที่ใช้ไม่ได้แล้ว (${over.length})`, en: `Keys of the past (${over.length})` })}</summary>
<ul class="cards">${over.map((key) => keyCard(page, key))}</ul>
</details>`
}
</section>
<section class="card" aria-labelledby="new">
<h2 id="new">${inBoth({ th: "สร้างคีย์ใหม่", en: "New key" })}</h2>
<p class="note">${inBoth({
      th: "สำหรับบอตหรือโปรแกรมของคุณเอง ส่วนแอปของผู้อื่นให้เชื่อมต่อที่หน้าแอปนั้น",
      en: "For a bot or program of your own. Other people's applications ask to be connected instead.",
    })}</p>
${faultSummary(page.faults, labels)}
${postForm({ action: page.site.path(paths.keys), transaction: page.account.transaction, content: newKeyFields(page) })}
</section>`,
  });
}

/** The key that was just made. */
export function apiKeyPage(page: Framed & { typed: NewKeyForm; key: string }): string {
  return studioPage({
    ...page,
    ...frame,
    content: html`<section class="card">
<p class="right" role="status">${inBoth({
      th: "สร้างคีย์แล้ว คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว",
      en: "The key was made. Copy it now: it is shown only once.",
    })}</p>
${blurred}
${secretField({ id: "key", label: { th: html`คีย์ ${foreign(page.typed.name)}`, en: "API key" }, value: page.key })}
<p><a href="${page.site.path(paths.keys)}">${inBoth({ th: "เก็บคีย์แล้ว กลับไปหน้าคีย์ทั้งหมด", en: "I have kept it. Back to all keys." })}</a></p>
</section>`,
  });
}

function isGood({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > now);
}

const none = html`<p class="note">${inBoth({ th: "ยังไม่มีคีย์ที่ใช้ได้", en: "There is no live key." })}</p>`;

function keyCard(page: ApiKeysPage, key: ApiKey): Html {
  const { site, now } = page;
  return html`<li>
<h3>${key.name === "" ? html`<code>${key.publicId}</code>` : foreign(key.name)}</h3>
<p class="note"><code>${site.brand}_v1_${key.publicId}…</code></p>
<dl>
${fact({ th: "แอป", en: "Application" }, foreign(key.application))}
${when({ th: "สร้างเมื่อ", en: "Created" }, key.createdAt)}
${fact({ th: "ใช้ล่าสุด", en: "Last used" }, key.lastUsedAt ? time(key.lastUsedAt) : inBoth({ th: "ยังไม่เคยใช้", en: "Never" }))}
${when({ th: "หมดอายุ", en: "Expires" }, key.expiresAt)}
${when({ th: "เพิกถอนเมื่อ", en: "Revoked" }, key.revokedAt)}
</dl>
${scopeList(key.scopes)}
${isGood(key, now) && revocation(page, key)}
</li>`;
}

function fact(name: Words, value: Html): Html {
  return html`<div><dt>${inBoth(name)}</dt><dd>${value}</dd></div>`;
}

function when(name: Words, date: Date | null): Html | null {
  return date && fact(name, time(date));
}

function time(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${inBoth(inWords(date))}</time>`;
}

function revocation({ site, account }: ApiKeysPage, { id, name, publicId }: ApiKey): Html {
  const button = html`<input type="hidden" name="key" value="${id}">
<button aria-label="${`เพิกถอน ${name || publicId} – Revoke ${name || publicId}`}">${inBoth({ th: "เพิกถอนคีย์นี้", en: "Revoke it" })}</button>`;
  return html`<details>
<summary>${inBoth({ th: "เพิกถอน…", en: "Revoke…" })}</summary>
<p>${inBoth({
    th: "โปรแกรมที่ใช้คีย์นี้จะถูกปฏิเสธภายในหนึ่งวินาที และย้อนกลับไม่ได้",
    en: "Whatever uses this key is refused within a second. This can't be undone.",
  })}</p>
${postForm({ action: site.path(paths.revokeKey), transaction: account.transaction, content: button })}
</details>`;
}

const labels = {
  name: { th: "ชื่อคีย์", en: "Name" },
  application: { th: "แอป", en: "Application" },
  scopes: { th: "สิทธิ์", en: "Scopes" },
  expires: { th: "วันสุดท้ายที่ใช้ได้", en: "Last day" },
} as const;

function newKeyFields({ typed, scopes, faults }: ApiKeysPage): Html {
  const bounds = { maxLength: maxName };
  const box = (scope: Scope) =>
    checkField({
      name: `scope ${scope}`,
      label: scopeWords[scope],
      hint: html`<code>${scope}</code>`,
      checked: typed.scopes.includes(scope),
    });
  const field = (name: "name" | "application" | "expires") => ({ name, label: labels[name], typed: typed[name], bounds });
  return html`${textField({ ...field("name"), hint: inBoth({ th: "เพื่อให้คุณจำได้ว่าใช้ที่ไหน", en: "So that you know where it is used." }) }, faults)}
${textField({ ...field("application"), hint: inBoth(sharing) }, faults)}
<fieldset id="field-scopes"${faults["scopes"] && html` aria-describedby="field-scopes-fault"`}>
<legend>${inBoth(labels.scopes)}</legend>
${scopes.map(box)}
${faultText("scopes", faults)}
</fieldset>
${dateField({ ...field("expires"), hint: inBoth({ th: "เว้นว่างไว้ถ้าไม่ต้องการให้หมดอายุ", en: "Empty: it does not expire." }) }, faults)}
<button class="main">${inBoth({ th: "สร้างคีย์", en: "Make the key" })}</button>`;
}

const sharing = {
  th: "คีย์ของแอปเดียวกันใช้ idempotency key ร่วมกัน เปลี่ยนคีย์แล้วโดเนทไม่ซ้ำ",
  en: "Keys of one application share idempotency keys: with a new key, a repeated donation is still recorded once.",
};
