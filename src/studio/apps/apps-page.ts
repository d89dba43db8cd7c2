// Renders the page of the applications that the streamer registered.

import type { Scope } from "../../http/operations.ts";
import type { OwnClient } from "../../oauth/clients/own-clients.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { scopeLabels } from "../../ui/scope-names.ts";
import { fact, when } from "../components/facts.ts";
import { checkField, faultMessages, faultSummary } from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { guideLink } from "../components/guide-link.ts";
import { appAddress, paths } from "../paths.ts";
import { type AppFormState, appFields, appLabels } from "./app-fields.ts";

type AppsPage = PageContext & Readonly<{ apps: readonly OwnClient[]; scopes: readonly Scope[]; form: AppFormState }>;

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
${faultSummary(form.faults, appLabels)}
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
export function kindWords({ public: isPublic }: Pick<OwnClient, "public">): Bilingual {
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

function newFields({ form, scopes }: AppsPage): Html {
  const { typed, faults } = form;
  const box = (scope: Scope) => {
    const hint = html`<code>${scope}</code>`;
    return checkField({ name: `scope ${scope}`, label: scopeLabels[scope], hint, checked: typed.scopes.includes(scope) });
  };
  return html`${appFields(form)}
<fieldset>
<legend>${bilingual({ th: "เก็บรหัสลับได้ไหม", en: "Can it keep a secret?" })}</legend>
${kindChoice("confidential", !typed.isPublic)}
${kindChoice("public", typed.isPublic)}
</fieldset>
<fieldset id="field-scopes"${faults["scopes"] && html` aria-describedby="field-scopes-fault"`}>
<legend>${bilingual(appLabels.scopes)}</legend>
${scopes.map(box)}
${faultMessages("scopes", faults)}
</fieldset>
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
