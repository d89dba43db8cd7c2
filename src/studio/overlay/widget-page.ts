// What the pages of a widget look like: fields, preview and link.

import type { Goal } from "../../alerts/settings/goals.ts";
import { maxOverlayKeyName, type OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { aboutText } from "../../ui/section.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { describedField, fieldOf, labelsOf, type Typed } from "../components/described-form.ts";
import { type Choices, enterButton, type FieldFaults, faultSummary } from "../components/fields.ts";
import { blurNote, copiedCode, type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { sampleField } from "../components/sample-field.ts";
import { fontSamples } from "../designer/library-choices.ts";
import { paths, widgetAddress, widgetSettingsAddress } from "../paths.ts";
import { keyNameField, keyNameLabel, newestOf } from "./overlay.ts";
import { obsGuide, obsLink } from "./overlay-links.ts";
import {
  kindLabels,
  parametersOf,
  proposedValue,
  type WidgetForm,
  type WidgetKind,
  type WidgetParameter,
  widgetForm,
  widgetKinds,
  widgetPath,
  widgetSize,
} from "./widget-form.ts";

type WidgetPage = PageContext &
  Readonly<{
    form: WidgetForm;
    faults: FieldFaults;
    goals: readonly Goal[];
    keys: readonly OverlayKeyEntry[];
    /** The name that was typed for the key; null before. */
    typed: string | null;
    nameFaults: FieldFaults;
  }>;

const frame = { here: "/studio/overlay", title: { th: "ตั้งค่าวิดเจ็ต", en: "Set up a widget" } } as const;

export function widgetPage(page: WidgetPage): PageReply {
  const content = settings(page);
  return studioPage({
    ...page,
    ...frame,
    frames: true,
    content: pageForm(page, paths.widget, { content }),
  });
}

const createLink = { th: "สร้างลิงก์", en: "Create the link" };

/** One form, so that the link has what was typed, whether it was previewed or not. */
function settings(page: WidgetPage): Html {
  const { site, form, faults } = page;
  return html`${enterButton(createLink)}
<nav aria-label="${bilingual({ th: "วิดเจ็ต", en: "Widgets" })}"><ul>${widgetKinds.map((kind) => kindLink(page, kind))}</ul></nav>
<div class="columns previewed" data-here="${site.path(widgetAddress({ kind: form.kind, ...form.values }))}">
<section class="card" aria-labelledby="settings">
<h2 id="settings">${bilingual(kindLabels[form.kind])}</h2>
${faultSummary({ ...faults, ...page.nameFaults }, { ...labelsOf(widgetForm), name: keyNameLabel })}
<input type="hidden" name="kind" value="${form.kind}">
${widgetFields(page)}
</section>
<div>${widgetPreview(page, paths.widget, addressPart(page))}${linkFields(page)}</div>
</div>`;
}

/** For links whose key has no widget of its own, such as those with the links of all pages. */
function addressPart({ site, form }: WidgetPage): Html {
  return html`<p class="note" id="part" data-follows>${bilingual({
    th: "ลิงก์ที่คีย์ไม่มี “การตั้งค่า” ในหน้าลิงก์ OBS ให้เปลี่ยนส่วนที่อยู่หน้า # เป็น",
    en: "For a link whose key has no “Settings” on the page OBS links, change the part before # to",
  })} ${copiedCode("part-address", `${site.baseUrl}${widgetPath(form)}`)}</p>`;
}

/** Shows the link that was just created. */
export function widgetLinkPage(page: PageContext & Readonly<{ form: WidgetForm; name: string; key: string }>): PageReply {
  const { site, form, name, key } = page;
  const address = `${site.baseUrl}/overlay/${form.kind}#${key}`;
  return studioPage({
    ...page,
    ...frame,
    content: html`<section class="card">
<p class="right" role="status">${bilingual({
      th: html`นี่คือลิงก์ของคีย์ ${isolated(name)} คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว`,
      en: html`Here is the link of the key ${isolated(name)}. Copy it now: it won't be shown again.`,
    })}</p>
${blurNote}
${obsLink({ id: "source-0", label: kindLabels[form.kind], size: sizeText(form), address, preview: null })}
<p class="note">${bilingual(changedLater)}</p>
<p><a href="${site.path(paths.overlay)}">${bilingual({ th: "เก็บลิงก์แล้ว กลับไปหน้าคีย์ทั้งหมด", en: "I've saved the link. Back to all keys" })}</a></p>
</section>
${obsGuide}`,
  });
}

const changedLater = {
  th: "แก้ไขการตั้งค่าได้ตลอดที่หน้าลิงก์ OBS วิดเจ็ตที่เปิดอยู่จะเปลี่ยนตาม ไม่ต้องเปลี่ยนลิงก์",
  en: "You can change its settings at any time on the page OBS links. The open widget follows; its link stays.",
};

function kindLink({ site, form }: WidgetPage, kind: WidgetKind): Html {
  return html`<li><a href="${site.path(widgetAddress({ kind }))}"${kind === form.kind && html` aria-current="true"`}>${bilingual(kindLabels[kind])}</a></li>`;
}

function linkFields({ form, keys, typed, nameFaults }: WidgetPage): Html {
  return html`<section class="card" aria-labelledby="link">
<h2 id="link">${bilingual({ th: "ลิงก์สำหรับ OBS", en: "Link for OBS" })}</h2>
<p class="note">${bilingual({
    th: "ลิงก์มีคีย์ใหม่ของตัวเอง ลิงก์ที่ใส่ใน OBS ไว้แล้วยังใช้ได้เหมือนเดิม",
    en: "The link gets a key of its own; those that are in OBS already keep working.",
  })}</p>
<input type="hidden" name="newest" value="${newestOf(keys)}">
${keyNameField(typed ?? freeName(kindLabels[form.kind][currentReader().language], keys), nameFaults)}
<button class="main">${bilingual(createLink)}</button>
</section>`;
}

/** A name that no key has yet, in the reader's language: `Goal bar`, `Goal bar 2`. */
function freeName(label: string, keys: readonly OverlayKeyEntry[]): string {
  const taken = new Set(keys.map(({ name }) => name));
  const numbered = Array.from({ length: keys.length + 1 }, (_, index) => (index === 0 ? label : `${label} ${index + 1}`));
  return (numbered.find((name) => !taken.has(name)) ?? label).slice(0, maxOverlayKeyName);
}

type WidgetSettingsPage = PageContext &
  Readonly<{
    key: OverlayKeyEntry;
    form: WidgetForm;
    faults: FieldFaults;
    goals: readonly Goal[];
    /** Names the settings that are replaced. */
    version: string;
    /** The form shows what was typed, and not what is stored. */
    isTyped: boolean;
  }>;

export function widgetSettingsPage(page: WidgetSettingsPage): PageReply {
  const { site } = page;
  const content = fields(page);
  return studioPage({
    ...page,
    here: "/studio/overlay",
    frames: true,
    title: { th: "การตั้งค่าวิดเจ็ต", en: "Widget settings" },
    content: html`${pageForm(page, paths.widgetSettings, { content })}
<p><a href="${site.path(paths.overlay)}">${bilingual({ th: "กลับไปหน้าคีย์ทั้งหมด", en: "Back to all keys" })}</a></p>`,
  });
}

const save = { th: "บันทึก", en: "Save" };

function fields(page: WidgetSettingsPage): Html {
  const { site, key, form, faults, version, isTyped } = page;
  const address = widgetSettingsAddress(key.id, isTyped ? { version, ...form.values } : {});
  return html`${enterButton(save)}
<input type="hidden" name="key" value="${key.id}">
<input type="hidden" name="version" value="${version}">
<div class="columns previewed" data-here="${site.path(address)}">
<section class="card" aria-labelledby="settings">
<h2 id="settings">${bilingual(kindLabels[form.kind])}</h2>
<p class="note">${bilingual({ th: html`คีย์ ${isolated(key.name)}`, en: html`Key ${isolated(key.name)}` })}</p>
${faultSummary(faults, labelsOf(widgetForm))}
${widgetFields(page)}
</section>
<div>${widgetPreview(page, paths.widgetSettings, aboutText(whatFollows))}</div>
</div>
<div class="buttons save"><button class="main">${bilingual(save)}</button></div>`;
}

const whatFollows = {
  th: "บันทึกแล้ววิดเจ็ตที่เปิดอยู่จะเปลี่ยนตาม ยกเว้นค่าที่อยู่ในลิงก์เอง (หลัง ?) ซึ่งใช้ก่อนเสมอ",
  en: "When you save, the open widget follows, except for values in its link itself (after ?), which come first.",
};

type Shown = Readonly<{ site: Site; form: WidgetForm; faults: FieldFaults; goals: readonly Goal[] }>;

/** Every parameter of the widget, and the button of the preview, which a browser without scripts needs. */
function widgetFields(shown: Shown): Html {
  const { form } = shown;
  return html`${form.kind === "goal" && goalNote(shown)}${form.kind === "timer" && timerNote(shown)}
${parametersOf(form.kind).map((name) => parameterField(shown, name))}
<button name="preview" value="now" data-previews>${bilingual({ th: "ดูตัวอย่าง", en: "Show the preview" })}</button>`;
}

/** The widget itself, with example figures, in the size that it is made for. `action`: where the form is sent. `note`: below. */
function widgetPreview({ site, form }: Shown, action: string, note: Html | null): Html {
  const { width, height } = widgetSize(form);
  const path = widgetPath(form);
  const address = site.path(`${path}${path.includes("?") ? "&" : "?"}preview`);
  return html`<section class="card" aria-labelledby="preview">
<h2 id="preview">${bilingual({ th: "ตัวอย่าง", en: "Preview" })}</h2>
<div class="preview"><iframe data-preview="${site.path(action)}" src="${address}" width="${width}" height="${height}" title="${bilingual({ th: "ตัวอย่างวิดเจ็ต", en: "Preview of the widget" })}"></iframe></div>
<p class="note" id="size" data-follows>${bilingual({ th: `ขนาดใน OBS: ${sizeText(form)}`, en: `Size in OBS: ${sizeText(form)}` })}</p>
${note}
</section>`;
}

function sizeText(form: WidgetForm): string {
  const { width, height } = widgetSize(form);
  return `${width} × ${height}`;
}

function goalNote({ site }: Shown): Html {
  return html`<p class="note">${bilingual({ th: "ชื่อ ยอด และวันของเป้าหมายอยู่ในหน้าเป้าหมาย", en: "Goals have a page of their own: titles, targets, days." })} <a href="${site.path(paths.goals)}">${bilingual({ th: "ไปที่เป้าหมาย", en: "Go to the goals" })}</a></p>`;
}

function timerNote({ site }: Shown): Html {
  return html`<p class="note">${bilingual({ th: "เริ่ม หยุดพัก และตั้งกติกาได้ในหน้าตัวจับเวลา", en: "Start, pause and set its rules on the page Timer." })} <a href="${site.path(paths.timer)}">${bilingual({ th: "ไปที่ตัวจับเวลา", en: "Go to the timer" })}</a></p>`;
}

function parameterField({ form, faults, goals }: Shown, name: WidgetParameter): Html {
  const typed = Object.fromEntries(parametersOf(form.kind).map((one) => [one, form.values[one] || proposedValue(one)]));
  const shown = { form: widgetForm, typed: typed as Typed<typeof widgetForm>, faults };
  if (name === "font") return sampleField({ ...fieldOf(shown, name), choices: fontSamples(widgetForm.fields.font.choices) }, faults);
  const ofGoal = name === "goal" && { choices: goalChoices(goals, form.values.goal ?? "") };
  const ofLargest = name === "period" && form.kind === "donator" && { hint: bilingual(forLargest) };
  return html`${name === "card" && html`<p class="note">${bilingual(anyColour)}</p>`}${describedField(shown, name, ofGoal || ofLargest || {})}`;
}

/** A goal that was deleted stays chosen until another one is. */
function goalChoices(goals: readonly Goal[], chosen: string): Choices {
  const isGone = chosen !== "" && goals.every(({ id }) => id !== chosen);
  return [
    ["", { th: "เป้าหมายแรก", en: "The first goal" }],
    ...goals.map(({ id, title }) => [id, { th: title, en: title }] as const),
    ...(isGone ? [[chosen, { th: `${chosen} (ลบแล้ว)`, en: `${chosen} (deleted)` }] as const] : []),
  ];
}

const forLargest = { th: "ใช้กับโดเนทสูงสุด", en: "For the largest donation." };

/** Once, above the first of the colours. */
const anyColour = {
  th: "สีใดก็ได้ของ CSS เช่น #27c7a5, teal หรือ rgb(39, 199, 165) เว้นว่างถ้าใช้สีของธีม",
  en: "Any CSS colour, such as #27c7a5, teal or rgb(39, 199, 165). Empty: the theme's.",
};
