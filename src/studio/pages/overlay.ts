import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { paths } from "../paths.ts";
import { type PageContext, studioPage } from "./frame.ts";
import { blurNote, secretField } from "./secret.ts";
import { formatDateTime } from "./words.ts";

type OverlayPage = PageContext &
  Readonly<{
    /** The key that was just created; null when there is no key to show. */
    key: string | null;
    /** When the live key was created; null when there is none. */
    createdAt: Date | null;
  }>;

/** The pages for OBS, with the path, name and suitable size of each. */
export const sources = [
  { path: "/overlay/", th: "แจ้งเตือนโดเนท", en: "Donation alerts", size: "1920 × 1080" },
  { path: "/overlay/goal", th: "แถบเป้าหมาย", en: "Goal bar", size: "450 × 140" },
  { path: "/overlay/total?span=today", th: "ยอดวันนี้", en: "Today's total", size: "400 × 130" },
  { path: "/overlay/total?span=month", th: "ยอดเดือนนี้", en: "This month's total", size: "400 × 130" },
  { path: "/overlay/total?span=all", th: "ยอดทั้งหมด", en: "All-time total", size: "400 × 130" },
  { path: "/overlay/recent", th: "โดเนทล่าสุด", en: "Latest donations", size: "400 × 460" },
  { path: "/overlay/top", th: "ผู้โดเนทสูงสุด", en: "Top donators", size: "400 × 460" },
] as const;

export function overlayPage(page: OverlayPage): string {
  const { key } = page;
  return studioPage({
    ...page,
    here: "/studio/overlay",
    title: { th: "ลิงก์ OBS", en: "OBS links" },
    content: html`<section class="card">
${key === null ? withoutKey(page) : newLinks(page, key)}
</section>
${guide}`,
  });
}

function newLinks({ site }: OverlayPage, key: string): Html {
  return html`<p class="right" role="status">${bilingual({
    th: "นี่คือลิงก์ของคุณ คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว",
    en: "Here are your links. Copy them now: they won't be shown again.",
  })}</p>
<p>${bilingual({
    th: "ใครมีลิงก์เหล่านี้จะเห็นและเล่นแจ้งเตือนของคุณได้ อย่าให้ติดไปในภาพสตรีม ลิงก์เดิม (ถ้ามี) หยุดทำงานแล้ว",
    en: "Anyone with these links can see and play your alerts, so don't show them on stream. Any previous links no longer work.",
  })}</p>
${blurNote}
${sources.map(({ path, th, en, size }, i) => secretField({ id: `source-${i}`, label: { th, en: `${en} · ${size}` }, value: `${site.baseUrl}${path}#${key}` }))}`;
}

function withoutKey(page: OverlayPage): Html {
  return page.createdAt === null ? firstKey(page) : replacement(page, page.createdAt);
}

function firstKey(page: OverlayPage): Html {
  return html`<p>${bilingual({
    th: "ลิงก์เหล่านี้แสดงแจ้งเตือนและวิดเจ็ตใน OBS ทุกลิงก์มีคีย์ลับของคุณอยู่",
    en: "These links show your alerts and widgets in OBS. Each link contains your secret key.",
  })}</p>
${makeForm(page, { th: "สร้างลิงก์", en: "Create links" })}`;
}

function replacement(page: OverlayPage, createdAt: Date): Html {
  const { th, en } = formatDateTime(createdAt);
  return html`<p>${bilingual({ th: `คีย์ที่ใช้อยู่สร้างเมื่อ ${th}`, en: `The current key was created on ${en}.` })}</p>
<p>${bilingual({
    th: "เราเก็บไว้เฉพาะลายนิ้วมือของคีย์ จึงแสดงลิงก์อีกครั้งไม่ได้ ถ้าลิงก์หายหรือรั่วไหล ให้สร้างใหม่",
    en: "We store only a fingerprint of the key, so we can't show the links again. If you lose or leak them, create new ones.",
  })}</p>
<details>
<summary>${bilingual({ th: "สร้างลิงก์ใหม่แทนของเดิม…", en: "Replace links…" })}</summary>
<p>${bilingual({
    th: "ลิงก์เดิมทุกลิงก์จะหยุดทำงานภายในหนึ่งวินาที และคุณต้องใส่ลิงก์ใหม่ใน OBS",
    en: "All existing links will stop working within a second, and you'll need to add the new ones to OBS.",
  })}</p>
${makeForm(page, { th: "สร้างใหม่แทนของเดิม", en: "Replace links" })}
</details>`;
}

/** The name by which the form identifies the live key: its time of creation, or `none`. */
export function keyNameOf(createdAt: Date | null): string {
  return createdAt?.toISOString() ?? "none";
}

function makeForm({ site, account, createdAt }: OverlayPage, words: Bilingual): Html {
  const content = html`<input type="hidden" name="replaces" value="${keyNameOf(createdAt)}">
<button class="main">${bilingual(words)}</button>`;
  return postForm({ action: site.path(paths.overlay), formToken: account.formToken, content });
}

const steps: readonly Bilingual[] = [
  { th: html`ใน OBS ที่ช่อง <b>Sources</b> กด <b>+</b> แล้วเลือก <b>Browser</b>`, en: html`In OBS, under Sources, click + and choose Browser.` },
  { th: html`วางลิงก์ในช่อง <b>URL</b>`, en: html`Paste the link into the URL field.` },
  {
    th: html`ใส่ขนาด: แจ้งเตือน <b>Width</b> 1920 <b>Height</b> 1080 ส่วนวิดเจ็ตดูขนาดข้างลิงก์ พื้นหลังโปร่งใสอยู่แล้ว`,
    en: html`Set the size: Width 1920 and Height 1080 for alerts; for widgets, the size next to the link. The background is already transparent.`,
  },
  {
    th: html`เลือก <b>Control audio via OBS</b> เพื่อให้เสียงเข้าสตรีม`,
    en: html`Select Control audio via OBS so that your stream gets the sound.`,
  },
  { th: html`กลับมาที่หน้าแจ้งเตือน แล้วส่งแจ้งเตือนทดสอบ`, en: html`Come back to the Alerts page and send a test alert.` },
];

const guide: Html = html`<section class="card" aria-labelledby="guide">
<h2 id="guide">${bilingual({ th: "วิธีเพิ่มใน OBS", en: "How to add them to OBS" })}</h2>
<ol class="steps">${steps.map((step) => html`<li>${bilingual(step)}</li>`)}</ol>
</section>`;
