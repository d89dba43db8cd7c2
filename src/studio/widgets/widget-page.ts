// Renders the page that sets up a widget, and the one with its link.

import { maxOverlayKeyName, type OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import { enterButton, faultSummary } from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { blurNote } from "../components/secret.ts";
import { obsGuide } from "../overlay/obs-guide.ts";
import { obsLink } from "../overlay/overlay-links.ts";
import { keyNameField, keyNameLabel, newestOf } from "../overlay/overlay-page.ts";
import { paths, widgetAddress } from "../paths.ts";
import { sizeText, widgetFields, widgetPreview } from "./widget-fields.ts";
import { type WidgetForm, type WidgetKind, widgetKinds, widgetPath } from "./widget-form.ts";
import { kindLabels, parameterLabels } from "./widget-labels.ts";

type WidgetPage = PageContext &
  Readonly<{
    form: WidgetForm;
    faults: FieldFaults;
    keys: readonly OverlayKeyEntry[];
    /** The name that was typed for the key; null before. */
    typed: string | null;
    nameFaults: FieldFaults;
  }>;

const frame = { here: "/studio/overlay", title: { th: "ตั้งค่าวิดเจ็ต", en: "Set up a widget" } } as const;

export function widgetPage(page: WidgetPage): string {
  const { site, account } = page;
  const content = settings(page);
  return studioPage({ ...page, ...frame, content: postForm({ action: site.path(paths.widget), formToken: account.formToken, content }) });
}

const createLink = { th: "สร้างลิงก์", en: "Create the link" };

/** One form, so that the link has what was typed, whether it was previewed or not. */
function settings(page: WidgetPage): Html {
  const { site, form, faults } = page;
  return html`${enterButton(createLink)}
<div class="columns" data-here="${site.path(widgetAddress({ kind: form.kind, ...form.values }))}">
<section class="card" aria-labelledby="settings">
<h2 id="settings">${bilingual(kindLabels[form.kind])}</h2>
<nav aria-label="${bilingual({ th: "วิดเจ็ต", en: "Widgets" })}"><ul>${widgetKinds.map((kind) => kindLink(page, kind))}</ul></nav>
${faultSummary({ ...faults, ...page.nameFaults }, { ...parameterLabels, name: keyNameLabel })}
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
  })} <code>${site.baseUrl}${widgetPath(form)}</code></p>`;
}

/** Shows the link that was just created. */
export function widgetLinkPage(page: PageContext & Readonly<{ form: WidgetForm; name: string; key: string }>): string {
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
