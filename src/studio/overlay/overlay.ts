// The page of OBS links, with which streamers create and revoke their overlay keys.

import { TooManyKeys } from "../../auth/keys.ts";
import { defaultOverlayKeyName, type KeySound, type KeyWidget, maxOverlayKeyName, type OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import { type Fault, Problem } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated, type Words } from "../../ui/layout.ts";
import { aboutText, section } from "../../ui/section.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { type FieldFaults, faultSummary, options, sentence, textField } from "../components/fields.ts";
import { fact, type PageContext, pageForm, studioPage, time, when } from "../components/frame.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths, widgetAddress, widgetSettingsAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { inReadersLanguage, obsGuide, overlayLinksPage } from "./overlay-links.ts";
import { kindLabels, knownWidget, type WidgetKind, widgetKinds, widgetSize } from "./widget-form.ts";

/** GET /studio/overlay */
export const showOverlay = ({ accounts, overlayKeys }: StudioDeps): PageHandler =>
  accounts.page(paths.overlay, async ({ account, query }) => {
    const keys = await overlayKeys.list(account.streamer.id);
    const typed = keys.length === 0 ? defaultOverlayKeyName : "";
    return overlayPage({ site: accounts.site, account, notice: noticeOf(query), keys, typed, faults: {} });
  });

/**
 * POST /studio/overlay: shows the links with a new key in the response to this form, and never again. The form names the newest key that
 * its page knew, so that a reload, which sends the form again, makes no other key.
 */
export const createOverlayKey = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.overlay, async ({ account, form }) => {
    const { accounts, overlayKeys } = deps;
    const keys = await overlayKeys.list(account.streamer.id);
    if (form.get("newest") !== newestOf(keys)) return backTo(accounts.site, paths.overlay, "made-already");
    const typed = (form.get("name") ?? "").trim();
    const made = await makeOverlayKey(deps, account, { typed, keys, widget: null });
    if ("faults" in made) return overlayPage({ site: accounts.site, account, keys, typed, ...made });
    return overlayLinksPage({ site: accounts.site, account, name: typed, key: made.key });
  });

/** POST /studio/overlay/revoke */
export const revokeOverlayKey = ({ accounts, overlayKeys, catchUp }: StudioDeps): PageHandler =>
  accounts.form(paths.overlay, async ({ account, form }) => {
    const revoked = await overlayKeys.revoke(form.get("key") ?? "", account.streamer.id);
    await catchUp();
    return backTo(accounts.site, paths.overlay, revoked ? "revoked" : "no-key");
  });

/** POST /studio/overlay/sound */
export const changeOverlaySound = ({ accounts, overlayKeys }: StudioDeps): PageHandler =>
  accounts.form(paths.overlay, async ({ account, form }) => {
    const sound = form.get("sound") ?? "";
    if (!isSound(sound)) throw new Problem("validation_failed", `sound is one of ${Object.keys(soundLabels).join(", ")}.`);
    const saved = await overlayKeys.changeSound(account.streamer.id, form.get("key") ?? "", sound);
    return backTo(accounts.site, paths.overlay, saved ? "sound-saved" : "no-key");
  });

const soundLabels: Record<KeySound, Words> = {
  leader: { th: "ครั้งเดียว จากหน้าหลัก", en: "Once, from the page that leads" },
  always: { th: "ทุกครั้ง เช่น เครื่องที่สอง", en: "Always, such as on a second machine" },
  never: { th: "ไม่มีเสียง", en: "Never" },
};

function isSound(value: string): value is KeySound {
  return Object.hasOwn(soundLabels, value);
}

/** The key, which is never shown again; or the faults of the field `name`, and the status of the page that shows them. */
type MadeKey = Readonly<{ key: string }> | Readonly<{ status: number; faults: FieldFaults }>;

/** `keys`: those that the streamer has. `widget`: that of the new key; null: none. */
type TypedName = Readonly<{ typed: string; keys: readonly OverlayKeyEntry[] }>;
type TypedKey = TypedName & Readonly<{ widget: KeyWidget | null }>;

/** The faults of the field `name`. */
export function findKeyNameFaults({ typed, keys }: TypedName): FieldFaults {
  const wrong = (code: Fault["code"], message: string): FieldFaults => ({ name: [{ code, message }] });
  if (typed === "") return wrong("required", "is required");
  if ([...typed].length > maxOverlayKeyName) return wrong("too_long", `must have at most ${maxOverlayKeyName} characters`);
  // Two keys of one name could not be told apart when one of them has to be revoked.
  return keys.some(({ name }) => name === typed) ? wrong("not_unique", "must not be the name of another key") : {};
}

export async function makeOverlayKey(
  { overlayKeys }: StudioDeps,
  { streamer }: Account,
  { typed, keys, widget }: TypedKey,
): Promise<MadeKey> {
  const faults = findKeyNameFaults({ typed, keys });
  if (Object.keys(faults).length > 0) return { status: 400, faults };
  try {
    return { key: await overlayKeys.create(streamer.id, typed, widget) };
  } catch (error) {
    if (!(error instanceof TooManyKeys)) throw error;
    return { status: 429, faults: { name: [{ code: "too_many_items", message: error.message }] } };
  }
}

type OverlayPage = PageContext &
  Readonly<{
    keys: readonly OverlayKeyEntry[];
    /** The name that was typed for a new key. */
    typed: string;
    faults: FieldFaults;
  }>;

function overlayPage(page: OverlayPage): PageReply {
  const { keys } = page;
  return studioPage({
    ...page,
    here: "/studio/overlay",
    frames: true,
    title: { th: "ลิงก์ OBS", en: "OBS links" },
    content: html`${keys.length > 0 && keyList(page)}
${section("new", {
  title: keys.length > 0 ? { th: "สร้างลิงก์เพิ่ม", en: "More links" } : { th: "สร้างลิงก์", en: "Create links" },
  about: aboutText({
    th: "ลิงก์เหล่านี้แสดงแจ้งเตือนและวิดเจ็ตใน OBS ทุกลิงก์มีคีย์ลับของคุณอยู่ ลิงก์ใหม่มีคีย์ใหม่ ลิงก์ที่ใส่ใน OBS ไว้แล้วยังใช้ได้เหมือนเดิม",
    en: "These links show your alerts and widgets in OBS. Each link contains a secret key. New links have a key of their own: those that are in OBS already keep working.",
  }),
  content: html`${faultSummary(page.faults, labels)}
${pageForm(page, paths.overlay, { content: newKeyFields(page) })}`,
})}
${widgetGallery(page)}
${obsGuide}`,
  });
}

/** What the form names the newest key of its page by: its id, or `none`. */
export function newestOf(keys: readonly OverlayKeyEntry[]): string {
  return keys.at(-1)?.id ?? "none";
}

function keyList(page: OverlayPage): Html {
  return section("live", {
    title: { th: "คีย์ที่ใช้ได้", en: "Keys in use" },
    about: aboutText({
      th: "เราเก็บไว้เฉพาะลายนิ้วมือของคีย์ จึงแสดงลิงก์อีกครั้งไม่ได้ ถ้าลิงก์หาย ให้สร้างเพิ่ม ถ้ารั่วไหล ให้เพิกถอนคีย์นั้น",
      en: "We store only a fingerprint of a key, so we can't show its links again. If you lose them, create more; if they leak, revoke their key.",
    }),
    content: html`<ul class="cards">${page.keys.toReversed().map((key) => keyCard(page, key))}</ul>`,
  });
}

/** Every widget as it looks with example figures. A frame is drawn in its own size, and shown smaller. */
function widgetGallery({ site }: OverlayPage): Html {
  const entry = (kind: WidgetKind) => {
    const { width, height } = widgetSize({ kind, values: { count: "3" } });
    const address = site.path(inReadersLanguage(`/overlay/${kind}?preview&count=3`));
    const name = bilingual(kindLabels[kind]);
    return html`<li><div class="preview"><iframe src="${address}" width="${width}" height="${height}" loading="lazy" tabindex="-1" aria-hidden="true" title="${name}"></iframe></div>
<a href="${site.path(widgetAddress({ kind }))}">${name}</a></li>`;
  };
  return html`<section class="card" aria-labelledby="widgets">
<h2 id="widgets">${bilingual({ th: "วิดเจ็ต", en: "Widgets" })}</h2>
${aboutText({
  th: "เลือกแบบ ตั้งช่วงเวลา จำนวนแถว หัวข้อ และสี แล้วสร้างลิงก์ที่มีคีย์ของตัวเอง แก้ไขภายหลังได้โดยไม่ต้องเปลี่ยนลิงก์ใน OBS",
  en: "Choose one, its period, rows, title and colours, and create a link with a key of its own. You can change them later without another link in OBS.",
})}
<ul class="widgets">${widgetKinds.map(entry)}</ul>
</section>`;
}

function keyCard(page: OverlayPage, key: OverlayKeyEntry): Html {
  const { site } = page;
  return html`<li>
<h3>${isolated(key.name)}</h3>
<p class="note"><code>${site.brand}_o1_${key.publicId}…</code></p>
<dl>
${when({ th: "สร้างเมื่อ", en: "Created" }, key.createdAt)}
${fact({ th: "ใช้ล่าสุด", en: "Last used" }, key.lastUsedAt ? time(key.lastUsedAt) : bilingual({ th: "ยังไม่เคยใช้", en: "Never" }))}
${widgetFact(key)}
</dl>
${settingsLink(page, key)}
${soundChoice(page, key)}
${revocation(page, key)}
</li>`;
}

function widgetFact(key: OverlayKeyEntry): Html | null {
  const widget = knownWidget(key);
  return widget && fact({ th: "วิดเจ็ต", en: "Widget" }, bilingual(kindLabels[widget.kind]));
}

function settingsLink({ site }: OverlayPage, key: OverlayKeyEntry): Html | null {
  const { id, name } = key;
  return (
    knownWidget(key) &&
    html`<p><a href="${site.path(widgetSettingsAddress(id))}" aria-label="${bilingual({ th: `การตั้งค่า: ${name}`, en: `Settings: ${name}` })}">${bilingual({ th: "การตั้งค่า", en: "Settings" })}</a></p>`
  );
}

/** Of a link to alerts: a key with a widget of its own shows none. */
function soundChoice({ site, account }: OverlayPage, key: OverlayKeyEntry): Html | false {
  const content = html`<input type="hidden" name="key" value="${key.id}">
<label for="sound-${key.id}">${bilingual({ th: "เสียงแจ้งเตือนของลิงก์นี้", en: "Sound of alerts on this link" })}</label>
<select id="sound-${key.id}" name="sound">${options(Object.entries(soundLabels), key.sound)}</select>
<button class="small" aria-label="${bilingual({ th: `บันทึก: เสียงของ ${key.name}`, en: `Save the sound: ${key.name}` })}">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
  return knownWidget(key) === null && pageForm({ site, account }, paths.overlaySound, { content });
}

function revocation({ site, account }: OverlayPage, { id, name }: OverlayKeyEntry): Html {
  const button = html`<input type="hidden" name="key" value="${id}">
<button class="danger" aria-label="${bilingual({ th: `เพิกถอนคีย์นี้: ${name}`, en: `Revoke this key: ${name}` })}">${bilingual({ th: "เพิกถอนคีย์นี้", en: "Revoke this key" })}</button>`;
  return html`<details>
<summary>${bilingual({ th: "เพิกถอน…", en: "Revoke…" })}</summary>
<p>${bilingual({
    th: "ลิงก์ที่มีคีย์นี้หยุดทำงานภายในหนึ่งวินาที และย้อนกลับไม่ได้ ลิงก์ของคีย์อื่นยังใช้ได้",
    en: "Links with this key stop working within a second. This can't be undone. Links with other keys keep working.",
  })}</p>
${pageForm({ site, account }, paths.revokeOverlayKey, { content: button })}
</details>`;
}

export const keyNameLabel = { th: "ชื่อคีย์", en: "Name of the key" } as const;
const labels = { name: keyNameLabel } as const;

/** The field for the name of a new key. */
export function keyNameField(typed: string, faults: FieldFaults): Html {
  const hint = bilingual({ th: "ที่ที่คุณจะใช้ เช่น OBS หรือ มือถือ", en: "Where you will use it, such as OBS or Phone." });
  return textField({ name: "name", label: labels.name, typed, hint, bounds: { maxLength: maxOverlayKeyName }, words: faultWords }, faults);
}

function newKeyFields({ keys, typed, faults }: OverlayPage): Html {
  return html`<input type="hidden" name="newest" value="${newestOf(keys)}">
${keyNameField(typed, faults)}
<button class="main">${bilingual({ th: "สร้างลิงก์", en: "Create links" })}</button>`;
}

function faultWords({ code, message }: Fault) {
  if (code === "not_unique") return { th: "มีคีย์ชื่อนี้แล้ว", en: "There is a key of this name already." };
  return code === "too_many_items" ? { th: "มีคีย์มากเกินไป เพิกถอนคีย์ที่ไม่ใช้ก่อน", en: sentence(message) } : null;
}
