// What the pages of the streamer's applications look like: all, one, and a secret that is shown once.

import type { OwnClient } from "../../oauth/clients/own-clients.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { scopeList } from "../../ui/scope-names.ts";
import { describedField, labelsOf } from "../components/described-form.ts";
import { faultSummary } from "../components/fields.ts";
import { blurNote, fact, guideLink, type PageContext, secretField, studioPage, when } from "../components/frame.ts";
import { appAddress, paths } from "../paths.ts";
import { type AppFormState, appFields, appForm } from "./app-form.ts";

type AppsPage = PageContext & Readonly<{ apps: readonly OwnClient[]; form: AppFormState }>;

export function appsPage(page: AppsPage): string {
  const { site, account, apps, form } = page;
  return studioPage({
    ...page,
    here: paths.apps,
    title: { th: "แอปของฉัน", en: "My apps" },
    content: html`<section class="card" aria-labelledby="all">
<h2 id="all">${bilingual({ th: "แอปที่คุณลงทะเบียน", en: "Applications that you registered" })}</h2>
${apps.length === 0 ? none : html`<ul class="cards">${apps.map((app) => card(page, app))}</ul>`}
</section>
<section class="card" aria-labelledby="new">
<h2 id="new">${bilingual({ th: "ลงทะเบียนแอปใหม่", en: "Register an application" })}</h2>
<p class="note">${bilingual(purpose)}</p>
${guideLink(site, "authentication#oauth-for-applications")}
${faultSummary(form.faults, labelsOf(appForm))}
${postForm({ action: site.path(paths.apps), formToken: account.formToken, content: newFields(page) })}
</section>`,
  });
}

const purpose: Bilingual = {
  th: "สำหรับโปรแกรมที่สตรีมเมอร์คนอื่นจะใช้ผ่าน OAuth ส่วนบอตของคุณเองใช้คีย์ API ก็พอ หน้าขออนุญาตจะบอกว่าคุณเป็นผู้ลงทะเบียนและยังไม่มีใครตรวจสอบ",
  en: "For a program that other streamers will use, by OAuth; for your own bot an API key is enough. The page that asks for access says that you registered it and nobody has checked it.",
};

const none = html`<p class="note">${bilingual({ th: "คุณยังไม่ได้ลงทะเบียนแอป", en: "You have registered no applications." })}</p>`;

/** Whether the application can keep a secret (RFC 6749 2.1). */
function kindWords({ public: isPublic }: Pick<OwnClient, "public">): Bilingual {
  return isPublic ? { th: "ไม่มีรหัสลับ (public)", en: "Without a secret (public)" } : { th: "มีรหัสลับ", en: "With a secret (confidential)" };
}

function card({ site }: AppsPage, app: OwnClient): Html {
  return html`<li>
<h3><a href="${site.path(appAddress(app.id))}">${isolated(app.name)}</a></h3>
<dl>
${fact({ th: "รหัสแอป", en: "client_id" }, html`<code>${app.id}</code>`)}
${fact({ th: "ชนิด", en: "Kind" }, bilingual(kindWords(app)))}
${when({ th: "ลงทะเบียนเมื่อ", en: "Registered" }, app.createdAt)}
</dl>
</li>`;
}

function newFields({ form }: AppsPage): Html {
  const isPublic = form.typed.kind === "public";
  return html`${appFields(form)}
<fieldset>
<legend>${bilingual(appForm.fields.kind.label)}</legend>
${kindChoice("confidential", !isPublic)}
${kindChoice("public", isPublic)}
</fieldset>
${describedField({ form: appForm, ...form }, "scopes")}
<button class="main">${bilingual({ th: "ลงทะเบียนแอป", en: "Register application" })}</button>`;
}

const kinds = {
  confidential: { th: "ได้: ทำงานบนเซิร์ฟเวอร์", en: "Yes: it runs on a server" },
  public: { th: "ไม่ได้: โปรแกรมบนเครื่อง มือถือ หรือหน้าเว็บ", en: "No: a desktop, mobile or browser program" },
} as const;

function kindChoice(kind: keyof typeof kinds, chosen: boolean): Html {
  return html`<div class="check">
<input type="radio" id="kind-${kind}" name="kind" value="${kind}"${chosen && html` checked`}>
<label for="kind-${kind}">${bilingual(kinds[kind])}</label>
</div>`;
}

type AppPage = PageContext & Readonly<{ app: OwnClient; form: AppFormState }>;

export function appPage(page: AppPage): string {
  const { site, app } = page;
  return studioPage({
    ...page,
    here: paths.apps,
    title: { th: "แอปของฉัน", en: "My apps" },
    content: html`<p data-here="${site.path(appAddress(app.id))}"><a href="${site.path(paths.apps)}">${bilingual({ th: "แอปทั้งหมด", en: "All my apps" })}</a></p>
<section class="card" aria-labelledby="state">
<h2 id="state">${isolated(app.name)}</h2>
<dl>
${fact({ th: "รหัสแอป", en: "client_id" }, html`<code>${app.id}</code>`)}
${fact({ th: "ชนิด", en: "Kind" }, bilingual(kindWords(app)))}
${when({ th: "ลงทะเบียนเมื่อ", en: "Registered" }, app.createdAt)}
${when({ th: "รหัสลับล่าสุด", en: "Newest secret" }, app.secretSince)}
${fact(appForm.fields.redirectUris.label, html`${app.redirectUris.map((uri) => html`<code>${uri}</code> `)}`)}
</dl>
<p class="lead">${bilingual(appForm.fields.scopes.label)}</p>
${scopeList(app.scopes)}
${changeForm(page)}
${!app.public && rotation(page)}
${deletion(page)}
</section>`,
  });
}

/** The name by which the form identifies the secret that it replaces: when that was made. */
export function secretNameOf({ secretSince }: OwnClient): string {
  return secretSince?.toISOString() ?? "none";
}

/** Open when what was typed is refused. */
function changeForm(page: AppPage): Html {
  const isRefused = Object.keys(page.form.faults).length > 0;
  const fields = html`${appFields(page.form)}
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
  return html`<details${isRefused && html` open`}>
<summary>${bilingual({ th: "แก้ไขชื่อและที่อยู่…", en: "Edit name and redirect URIs…" })}</summary>
${faultSummary(page.form.faults, labelsOf(appForm))}
${formOf(page, paths.changeApp, fields)}
</details>`;
}

function rotation(page: AppPage): Html {
  const fields = html`<input type="hidden" name="replaces" value="${secretNameOf(page.app)}">
<button>${bilingual({ th: "เปลี่ยนรหัสลับ", en: "Rotate secret" })}</button>`;
  return html`<details>
<summary>${bilingual({ th: "เปลี่ยนรหัสลับ…", en: "Rotate secret…" })}</summary>
<p>${bilingual(rotationWords)}</p>
${formOf(page, paths.rotateAppSecret, fields)}
</details>`;
}

const rotationWords: Bilingual = {
  th: "รหัสเดิมยังใช้ได้จนกว่าจะเปลี่ยนครั้งถัดไป เพื่อให้โปรแกรมมีเวลาเปลี่ยนตาม ถ้ารหัสรั่ว ให้เปลี่ยนสองครั้ง",
  en: "The previous secret works until the next rotation, so that your program can be changed without a gap. If it leaked, rotate twice.",
};

function deletion(page: AppPage): Html {
  const button = html`<button>${bilingual({ th: "ลบแอปนี้", en: "Delete this application" })}</button>`;
  return html`<details>
<summary>${bilingual({ th: "ลบ…", en: "Delete…" })}</summary>
<p>${bilingual({
    th: "โทเคนทั้งหมดของแอปใช้ไม่ได้ทันที สำหรับสตรีมเมอร์ทุกคน ย้อนกลับไม่ได้",
    en: "All its tokens stop working at once, for every streamer. This can't be undone.",
  })}</p>
${formOf(page, paths.deleteApp, button)}
</details>`;
}

function formOf({ site, account, app }: AppPage, path: string, fields: Html): Html {
  const content = html`<input type="hidden" name="app" value="${app.id}">${fields}`;
  return postForm({ action: site.path(path), formToken: account.formToken, content });
}

type AppSecretPage = PageContext & Readonly<{ name: string; clientId: string; clientSecret: string; isNew: boolean }>;

const created = {
  th: "ลงทะเบียนแอปแล้ว คัดลอกรหัสลับตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว",
  en: "Your application has been registered. Copy its secret now: it won't be shown again.",
};

const rotated = {
  th: "เปลี่ยนรหัสลับแล้ว คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว รหัสเดิมยังใช้ได้จนกว่าจะเปลี่ยนครั้งถัดไป",
  en: "There is a new secret. Copy it now: it won't be shown again. The previous one works until the next rotation.",
};

export function appSecretPage(page: AppSecretPage): string {
  const { site, name, clientId, clientSecret, isNew } = page;
  return studioPage({
    ...page,
    here: paths.apps,
    title: { th: "แอปของฉัน", en: "My apps" },
    content: html`<section class="card" data-here="${site.path(appAddress(clientId))}">
<p class="right" role="status">${bilingual(isNew ? created : rotated)}</p>
<p>${bilingual({ th: html`client_id ของ ${isolated(name)}`, en: html`The client_id of ${isolated(name)}` })}: <code>${clientId}</code></p>
${blurNote}
${secretField({ id: "secret", label: { th: "รหัสลับ (client_secret)", en: "Secret (client_secret)" }, value: clientSecret })}
<p><a href="${site.path(appAddress(clientId))}">${bilingual({ th: "เก็บรหัสแล้ว ไปที่แอปนี้", en: "I've saved the secret. Go to the application" })}</a></p>
</section>`,
  });
}
