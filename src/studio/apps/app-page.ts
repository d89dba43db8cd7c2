// Renders the page of one application that the streamer registered.

import type { OwnClient } from "../../oauth/clients/own-clients.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { scopeList } from "../../ui/scope-names.ts";
import { fact, when } from "../components/facts.ts";
import { faultSummary } from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { appAddress, paths } from "../paths.ts";
import { type AppFormState, appFields, appLabels } from "./app-fields.ts";
import { kindWords } from "./apps-page.ts";

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
${fact(appLabels.redirectUris, html`${app.redirectUris.map((uri) => html`<code>${uri}</code> `)}`)}
</dl>
<p class="lead">${bilingual(appLabels.scopes)}</p>
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
${faultSummary(page.form.faults, appLabels)}
${appForm(page, paths.changeApp, fields)}
</details>`;
}

function rotation(page: AppPage): Html {
  const fields = html`<input type="hidden" name="replaces" value="${secretNameOf(page.app)}">
<button>${bilingual({ th: "เปลี่ยนรหัสลับ", en: "Rotate secret" })}</button>`;
  return html`<details>
<summary>${bilingual({ th: "เปลี่ยนรหัสลับ…", en: "Rotate secret…" })}</summary>
<p>${bilingual(rotationWords)}</p>
${appForm(page, paths.rotateAppSecret, fields)}
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
${appForm(page, paths.deleteApp, button)}
</details>`;
}

function appForm({ site, account, app }: AppPage, path: string, fields: Html): Html {
  const content = html`<input type="hidden" name="app" value="${app.id}">${fields}`;
  return postForm({ action: site.path(path), formToken: account.formToken, content });
}
