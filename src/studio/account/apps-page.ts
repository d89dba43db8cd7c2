// What the pages of the streamer's applications look like: all, one with its form, and a secret that is shown once.

import type { Fault } from "../../http/problem.ts";
import type { NewClient } from "../../oauth/clients/clients.ts";
import type { OwnClient } from "../../oauth/clients/own-clients.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { scopeChoices, scopeList } from "../../ui/scope-names.ts";
import { aboutText, section } from "../../ui/section.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { type DescribedForm, describedField, labelsOf, splitLines, type Typed, toMembers, toTyped } from "../components/described-form.ts";
import { type FieldFaults, faultSummary, positionOf, radioField, sentence } from "../components/fields.ts";
import {
  backLink,
  blurNote,
  copiedCode,
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
import { appAddress, paths } from "../paths.ts";

export const appForm = {
  fields: {
    name: {
      kind: "text",
      label: { th: "ชื่อแอป", en: "Name" },
      hint: { th: "สตรีมเมอร์เห็นชื่อนี้เมื่อถูกขออนุญาต", en: "Streamers see it when they are asked for access." },
      words: nameFault,
    },
    redirectUris: {
      kind: "lines",
      label: { th: "ที่อยู่ที่จะกลับไป (redirect URI)", en: "Redirect URIs" },
      hint: {
        th: "บรรทัดละหนึ่งที่อยู่ ใช้ https ส่วน http ใช้ได้กับ 127.0.0.1, [::1] และ localhost ต้องตรงกันทุกตัวอักษร",
        en: "One on each line, with https; http is for 127.0.0.1, [::1] and localhost. They are compared exactly.",
      },
      words: urisFault,
    },
    /** `public` or `confidential`; chosen once, for a new application, as the scopes are. */
    kind: { kind: "choice", member: null, label: { th: "เก็บรหัสลับได้ไหม", en: "Can it keep a secret?" } },
    scopes: { kind: "several", label: { th: "สิทธิ์ที่แอปขอได้", en: "What it may ask for" }, choices: scopeChoices, box: "scope" },
  },
} as const satisfies DescribedForm;

/** The fields as they were typed. */
export type AppForm = Typed<typeof appForm>;

export const initialAppForm: AppForm = {
  ...{ name: "", redirectUris: "", kind: "confidential" },
  scopes: ["write:donations", "read:donations"],
};

export function toAppForm(app: OwnClient): AppForm {
  return { ...toTyped(appForm, app), kind: app.public ? "public" : "confidential" };
}

/** The members of the application that was typed. */
export function appOf(typed: AppForm): NewClient {
  return { ...(toMembers(appForm, typed) as Omit<NewClient, "public">), public: typed.kind === "public" };
}

type AppFormState = Readonly<{ typed: AppForm; faults: FieldFaults }>;

function appFields(state: AppFormState): Html {
  const shown = { form: appForm, ...state };
  const uris = splitLines(state.typed.redirectUris);
  return html`${describedField(shown, "name")}
${describedField(shown, "redirectUris", { subject: (fault) => uris[positionOf(fault) ?? -1] ?? null })}`;
}

const nameFaults: Readonly<Record<string, string>> = {
  required: "ต้องกรอกช่องนี้",
  too_long: "ยาวได้ไม่เกิน 60 ตัวอักษร",
  too_many_items: "ลงทะเบียนแอปครบจำนวนแล้ว ลบแอปที่ไม่ใช้หรือลองใหม่ภายหลัง",
};

function nameFault({ code, message }: Fault): Bilingual {
  const th = nameFaults[code] ?? "ชื่อต้องไม่มีอักขระที่มองไม่เห็น และต้องไม่เหมือนชื่อของแพลตฟอร์มหรือแอปอื่น";
  return { th, en: sentence(message) };
}

function urisFault({ code, message }: Fault): Bilingual {
  const th: Record<string, string> = { required: "กรอกอย่างน้อยหนึ่งที่อยู่", too_many_items: "ได้ไม่เกิน 10 ที่อยู่" };
  const wrong = "ต้องเป็นที่อยู่ https แบบเต็ม ไม่มี # * ชื่อผู้ใช้ หรือรหัสผ่าน";
  return { th: th[code] ?? wrong, en: sentence(message) };
}

export type AppsPage = PageContext & Readonly<{ apps: readonly OwnClient[]; form: AppFormState }>;

export function appsPage(page: AppsPage): PageReply {
  const { site, apps, form } = page;
  return studioPage({
    ...page,
    here: paths.apps,
    title: { th: "แอปของฉัน", en: "My apps" },
    action: mainAction("#new", { th: "ลงทะเบียนแอป", en: "Register an app" }),
    content: html`${section("all", {
      title: { th: "แอปที่คุณลงทะเบียน", en: "Applications that you registered" },
      content: apps.length === 0 ? none : html`<ul class="cards">${apps.map((app) => card(page, app))}</ul>`,
    })}
${section("new", {
  title: { th: "ลงทะเบียนแอปใหม่", en: "Register an application" },
  about: html`${aboutText(purpose)}${guideLink(site, "authentication#oauth-for-applications")}`,
  content: html`${faultSummary(form.faults, labelsOf(appForm))}
${pageForm(page, paths.apps, { content: newFields(page) })}`,
})}`,
  });
}

const purpose: Bilingual = {
  th: "สำหรับโปรแกรมที่สตรีมเมอร์คนอื่นจะใช้ผ่าน OAuth ส่วนบอตของคุณเองใช้คีย์ API ก็พอ หน้าขออนุญาตจะบอกว่าคุณเป็นผู้ลงทะเบียนและยังไม่มีใครตรวจสอบ",
  en: "For a program that other streamers will use, by OAuth; for your own bot an API key is enough. The page that asks for access says that you registered it and nobody has checked it.",
};

const none = emptyState(
  "blocks",
  { th: "คุณยังไม่ได้ลงทะเบียนแอป", en: "You have registered no applications." },
  bilingual({
    th: "แอปที่สตรีมเมอร์คนอื่นเชื่อมต่อได้จะอยู่ที่นี่ ลงทะเบียนได้ด้านล่าง",
    en: "Applications that other streamers can connect stand here. Register one below.",
  }),
);

/** Whether the application can keep a secret (RFC 6749 2.1). */
function kindWords({ public: isPublic }: OwnClient): Bilingual {
  return isPublic ? { th: "ไม่มีรหัสลับ (public)", en: "Without a secret (public)" } : { th: "มีรหัสลับ", en: "With a secret (confidential)" };
}

function card({ site }: AppsPage, app: OwnClient): Html {
  return html`<li>
<h3><a href="${site.path(appAddress(app.id))}">${isolated(app.name)}</a></h3>
<dl>
${fact({ th: "รหัสแอป", en: "client_id" }, copiedCode(`id-${app.id}`, app.id))}
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
${radioField({ id: "kind-confidential", name: "kind", value: "confidential", label: kinds.confidential, checked: !isPublic })}
${radioField({ id: "kind-public", name: "kind", value: "public", label: kinds.public, checked: isPublic })}
</fieldset>
${describedField({ form: appForm, ...form }, "scopes")}
<button class="main">${bilingual({ th: "ลงทะเบียนแอป", en: "Register application" })}</button>`;
}

const kinds = {
  confidential: { th: "ได้: ทำงานบนเซิร์ฟเวอร์", en: "Yes: it runs on a server" },
  public: { th: "ไม่ได้: โปรแกรมบนเครื่อง มือถือ หรือหน้าเว็บ", en: "No: a desktop, mobile or browser program" },
} as const;

export type AppPage = PageContext & Readonly<{ app: OwnClient; form: AppFormState }>;

export function appPage(page: AppPage): PageReply {
  const { site, app } = page;
  return studioPage({
    ...page,
    here: paths.apps,
    title: { th: "แอปของฉัน", en: "My apps" },
    content: html`${backLink(site, { here: appAddress(app.id), to: paths.apps, words: { th: "แอปทั้งหมด", en: "All my apps" } })}
<section class="card" aria-labelledby="state">
<h2 id="state">${isolated(app.name)}</h2>
<dl class="facts">
${fact({ th: "รหัสแอป", en: "client_id" }, copiedCode(`id-${app.id}`, app.id))}
${fact({ th: "ชนิด", en: "Kind" }, bilingual(kindWords(app)))}
${when({ th: "ลงทะเบียนเมื่อ", en: "Registered" }, app.createdAt)}
${when({ th: "รหัสลับล่าสุด", en: "Newest secret" }, app.secretSince)}
${fact(appForm.fields.redirectUris.label, html`${app.redirectUris.map((uri) => html`<div><code>${uri}</code></div>`)}`)}
</dl>
</section>
${section("scopes", { title: appForm.fields.scopes.label, content: scopeList(app.scopes) })}
${section("settings", { title: { th: "ชื่อและที่อยู่", en: "Name and redirect URIs" }, content: changeForm(page) })}
${!app.public && rotation(page)}
${deletion(page)}`,
  });
}

/** The name by which the form identifies the secret that it replaces: when that was made. */
export function secretNameOf({ secretSince }: OwnClient): string {
  return secretSince?.toISOString() ?? "none";
}

function changeForm(page: AppPage): Html {
  const fields = html`${appFields(page.form)}
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
  return html`${faultSummary(page.form.faults, labelsOf(appForm))}
${formOf(page, paths.changeApp, fields)}`;
}

function rotation(page: AppPage): Html {
  const fields = html`<input type="hidden" name="replaces" value="${secretNameOf(page.app)}">
<button>${bilingual({ th: "เปลี่ยนรหัสลับ", en: "Rotate secret" })}</button>`;
  return section("rotate", {
    title: { th: "รหัสลับ", en: "Secret" },
    about: aboutText(rotationWords),
    content: html`<details><summary>${bilingual({ th: "เปลี่ยนรหัสลับ…", en: "Rotate secret…" })}</summary>
${formOf(page, paths.rotateAppSecret, fields)}</details>`,
  });
}

const rotationWords: Bilingual = {
  th: "รหัสเดิมยังใช้ได้จนกว่าจะเปลี่ยนครั้งถัดไป เพื่อให้โปรแกรมมีเวลาเปลี่ยนตาม ถ้ารหัสรั่ว ให้เปลี่ยนสองครั้ง",
  en: "The previous secret works until the next rotation, so that your program can be changed without a gap. If it leaked, rotate twice.",
};

function deletion(page: AppPage): Html {
  const button = html`<button class="danger">${bilingual({ th: "ลบแอปนี้", en: "Delete this application" })}</button>`;
  return section("delete", {
    title: { th: "ลบ", en: "Delete" },
    about: aboutText({
      th: "โทเคนทั้งหมดของแอปใช้ไม่ได้ทันที สำหรับสตรีมเมอร์ทุกคน ย้อนกลับไม่ได้",
      en: "All its tokens stop working at once, for every streamer. This can't be undone.",
    }),
    content: html`<details><summary>${bilingual({ th: "ลบ…", en: "Delete…" })}</summary>
${formOf(page, paths.deleteApp, button)}</details>`,
  });
}

function formOf({ site, account, app }: AppPage, path: string, fields: Html): Html {
  const content = html`<input type="hidden" name="app" value="${app.id}">${fields}`;
  return pageForm({ site, account }, path, { content });
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

export function appSecretPage(page: AppSecretPage): PageReply {
  const { site, name, clientId, clientSecret, isNew } = page;
  return studioPage({
    ...page,
    here: paths.apps,
    title: { th: "แอปของฉัน", en: "My apps" },
    content: html`<section class="card" data-here="${site.path(appAddress(clientId))}">
<p class="right" role="status">${bilingual(isNew ? created : rotated)}</p>
<p>${bilingual({ th: html`client_id ของ ${isolated(name)}`, en: html`The client_id of ${isolated(name)}` })}: ${copiedCode("client-id", clientId)}</p>
${blurNote}
${secretField({ id: "secret", label: { th: "รหัสลับ (client_secret)", en: "Secret (client_secret)" }, value: clientSecret })}
<p><a href="${site.path(appAddress(clientId))}">${bilingual({ th: "เก็บรหัสแล้ว ไปที่แอปนี้", en: "I've saved the secret. Go to the application" })}</a></p>
</section>`,
  });
}
