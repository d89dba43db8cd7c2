// The pages for OBS: their links with a key, each with its size, and how a link becomes a source.

import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated, type Words } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { blurNote, type PageContext, secretField, studioPage } from "../components/frame.ts";
import { paths, widgetAddress } from "../paths.ts";
import { widgetKinds } from "./widget-form.ts";

/** The path, name and suitable size of each. */
export const sources = [
  { path: "/overlay/", th: "แจ้งเตือนโดเนท", en: "Donation alerts", size: "1920 × 1080" },
  { path: "/overlay/goal", th: "แถบเป้าหมาย", en: "Goal bar", size: "450 × 140" },
  { path: "/overlay/total?span=today", th: "ยอดวันนี้", en: "Today's total", size: "400 × 130" },
  { path: "/overlay/total?span=month", th: "ยอดเดือนนี้", en: "This month's total", size: "400 × 130" },
  { path: "/overlay/total?span=all", th: "ยอดทั้งหมด", en: "All-time total", size: "400 × 130" },
  { path: "/overlay/recent", th: "โดเนทล่าสุด", en: "Latest donations", size: "400 × 460" },
  { path: "/overlay/top", th: "ผู้โดเนทสูงสุด", en: "Top donators", size: "400 × 460" },
  { path: "/overlay/donator", th: "ผู้โดเนทล่าสุด", en: "Latest donator", size: "400 × 130" },
  { path: "/overlay/donator?show=largest", th: "โดเนทสูงสุด", en: "Largest donation", size: "400 × 130" },
  { path: "/overlay/timer", th: "ตัวจับเวลา", en: "Timer", size: "400 × 130" },
] as const;

/** The path of a page for OBS with `lang`, unless the reader's language is the one that a page has without it. */
export function inReadersLanguage(path: string): string {
  const { language } = currentReader();
  return language === "th" ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${language}`;
}

type LinksPage = PageContext & Readonly<{ name: string; key: string }>;

/** The links of every page for OBS with a key. */
export function overlayLinksPage(page: LinksPage): PageReply {
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
  label: Words;
  size: string;
  address: string;
  /** Address of its preview; null for none. */
  preview: string | null;
}>;

/** A link with the size that its source in OBS needs. */
export function obsLink({ id, label: { th, en }, size, address, preview }: ObsLink): Html {
  const link = (to: string, words: Words, attributes: Html | null = null) =>
    html`<a href="${to}" target="_blank"${attributes} aria-label="${bilingual({ th: `${words.th}: ${th}`, en: `${words.en}: ${en}` })}">${bilingual(words)}</a>`;
  const open = link(address, { th: "เปิด", en: "Open" }, html` class="button" rel="noopener noreferrer"`);
  return html`${secretField({ id, label: { th: `${th} · ${size}`, en: `${en} · ${size}` }, value: address, more: open })}
${preview && html`<p class="note">${link(preview, { th: "ตัวอย่างและตั้งค่า", en: "Preview and settings" })}</p>`}`;
}

const steps: readonly Bilingual[] = [
  { th: html`ใน OBS ที่ช่อง <b>Sources</b> กด <b>+</b> แล้วเลือก <b>Browser</b>`, en: html`In OBS, under Sources, click + and choose Browser.` },
  { th: html`วางลิงก์ในช่อง <b>URL</b>`, en: html`Paste the link into the URL field.` },
  {
    th: html`ใส่ขนาด: แจ้งเตือน <b>Width</b> 1920 <b>Height</b> 1080 (สตรีมแนวตั้ง 1080 และ 1920) ส่วนวิดเจ็ตดูขนาดเหนือลิงก์ พื้นหลังโปร่งใสอยู่แล้ว`,
    en: html`Set the size: Width 1920 and Height 1080 for alerts, or 1080 and 1920 on a vertical stream; for widgets, the size above the link. The background is already transparent.`,
  },
  {
    th: html`เลือก <b>Control audio via OBS</b> เพื่อให้เสียงเข้าสตรีม`,
    en: html`Select Control audio via OBS so that your stream gets the sound.`,
  },
  { th: html`กลับมาที่หน้าแจ้งเตือน แล้วส่งแจ้งเตือนทดสอบ`, en: html`Come back to the Alerts page and send a test alert.` },
];

/** How a link becomes a source in OBS. */
export const obsGuide: Html = html`<section class="card" aria-labelledby="guide">
<h2 id="guide">${bilingual({ th: "วิธีเพิ่มใน OBS", en: "How to add them to OBS" })}</h2>
<ol class="steps">${steps.map((step) => html`<li>${bilingual(step)}</li>`)}</ol>
</section>`;
