// Renders the links that were just created, each with its size, to be copied and opened.

import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { blurNote, secretField } from "../components/secret.ts";
import { paths, widgetAddress } from "../paths.ts";
import { widgetKinds } from "../widgets/widget-form.ts";
import { obsGuide } from "./obs-guide.ts";
import { inReadersLanguage } from "./overlay-language.ts";
import { sources } from "./overlay-sources.ts";

type LinksPage = PageContext & Readonly<{ name: string; key: string }>;

/** The links of every page for OBS with a key. */
export function overlayLinksPage(page: LinksPage): string {
  const { site, key, name } = page;
  return studioPage({
    ...page,
    here: "/studio/overlay",
    title: { th: "ลิงก์ OBS", en: "OBS links" },
    content: html`<section class="card">
<p class="right" role="status">${bilingual({
      th: html`นี่คือลิงก์ของคีย์ ${isolated(name)} คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว`,
      en: html`Here are the links of the key ${isolated(name)}. Copy them now: they won't be shown again.`,
    })}</p>
<p>${bilingual({
      th: "ใครมีลิงก์เหล่านี้จะเห็นและเล่นแจ้งเตือนของคุณได้ อย่าให้ติดไปในภาพสตรีม ลิงก์อื่นของคุณยังใช้ได้เหมือนเดิม",
      en: "Anyone with these links can see and play your alerts, so don't show them on stream. Your other links work as before.",
    })}</p>
<p class="note">${bilingual(otherLanguage)}</p>
${blurNote}
${sources.map((source, i) => obsLink({ id: `source-${i}`, label: source, size: source.size, address: `${site.baseUrl}${inReadersLanguage(source.path)}#${key}`, preview: previewOf(page, source.path) }))}
<p><a href="${site.path(paths.overlay)}">${bilingual({ th: "เก็บลิงก์แล้ว กลับไปหน้าคีย์ทั้งหมด", en: "I've saved the links. Back to all keys" })}</a></p>
</section>
${obsGuide}`,
  });
}

const otherLanguage = {
  th: html`ข้อความในหน้าเหล่านี้เป็นภาษาไทย ถ้าอยากให้เป็นภาษาอังกฤษ เติม <code>?lang=en</code> หน้า # ในลิงก์ (หรือ <code>&amp;lang=en</code> ถ้ามี ? อยู่แล้ว)`,
  en: html`The words on these pages are in English. For Thai, change <code>lang=en</code> to <code>lang=th</code> in the link.`,
};

/** The page that previews a widget and changes its settings; null for alerts, and for a widget without settings. */
function previewOf({ site }: LinksPage, path: string): string | null {
  const { pathname, searchParams } = new URL(path, "http://x");
  const kind = widgetKinds.find((known) => pathname === `/overlay/${known}`);
  return kind === undefined ? null : site.path(widgetAddress({ kind, ...Object.fromEntries(searchParams) }));
}

type ObsLink = Readonly<{
  id: string;
  label: Readonly<{ th: string; en: string }>;
  size: string;
  address: string;
  /** Address of its preview; null for none. */
  preview: string | null;
}>;

/** A link with the size that its source in OBS needs. */
export function obsLink({ id, label: { th, en }, size, address, preview }: ObsLink): Html {
  const link = (to: string, words: Readonly<{ th: string; en: string }>, attributes: Html | null = null) =>
    html`<a href="${to}" target="_blank"${attributes} aria-label="${bilingual({ th: `${words.th}: ${th}`, en: `${words.en}: ${en}` })}">${bilingual(words)}</a>`;
  return html`${secretField({ id, label: { th: `${th} · ${size}`, en: `${en} · ${size}` }, value: address })}
<p class="note">${link(address, { th: "เปิดในแท็บใหม่", en: "Open in a new tab" }, html` rel="noopener noreferrer"`)}
${preview && link(preview, { th: "ตัวอย่างและตั้งค่า", en: "Preview and settings" })}</p>`;
}
