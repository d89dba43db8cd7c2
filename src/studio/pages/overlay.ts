import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { inBoth, type Words } from "../../ui/layout.ts";
import { paths } from "../paths.ts";
import { type Framed, studioPage } from "./frame.ts";
import { blurred, secretField } from "./secret.ts";
import { inWords } from "./words.ts";

type OverlayPage = Framed &
  Readonly<{
    /** Just made; null: there is nothing to show. */
    key: string | null;
    /** When the live key was made; null: there is none. */
    madeAt: Date | null;
  }>;

/** Pages for OBS: their path, what they show, and a size that suits them. */
const sources = [
  { path: "/overlay/", th: "แจ้งเตือนโดเนท", en: "Donation alerts", size: "1920 × 1080" },
  { path: "/overlay/goal", th: "แถบเป้าหมาย", en: "Goal bar", size: "450 × 140" },
  { path: "/overlay/total?span=today", th: "ยอดวันนี้", en: "Total of today", size: "400 × 130" },
  { path: "/overlay/total?span=month", th: "ยอดเดือนนี้", en: "Total of this month", size: "400 × 130" },
  { path: "/overlay/total?span=all", th: "ยอดทั้งหมด", en: "Total of all time", size: "400 × 130" },
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
${key === null ? withoutKey(page) : addresses(page, key)}
</section>
${guide}`,
  });
}

function addresses({ site }: OverlayPage, key: string): Html {
  return html`<p class="right" role="status">${inBoth({
    th: "นี่คือลิงก์ของคุณ คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว",
    en: "These are your links. Copy them now: they are shown only once.",
  })}</p>
<p>${inBoth({
    th: "ใครมีลิงก์เหล่านี้จะเห็นและเล่นแจ้งเตือนของคุณได้ อย่าให้ติดไปในภาพสตรีม ลิงก์เดิม (ถ้ามี) หยุดทำงานแล้ว",
    en: "Whoever has them can see and play your alerts, so keep them off your stream. Links from before, if any, work no longer.",
  })}</p>
${blurred}
${sources.map(({ path, th, en, size }, i) => secretField({ id: `source-${i}`, label: { th, en: `${en} · ${size}` }, value: `${site.baseUrl}${path}#${key}` }))}`;
}

function withoutKey(page: OverlayPage): Html {
  return page.madeAt === null ? firstKey(page) : replacement(page, page.madeAt);
}

function firstKey(page: OverlayPage): Html {
  return html`<p>${inBoth({
    th: "ลิงก์เหล่านี้แสดงแจ้งเตือนและวิดเจ็ตใน OBS ทุกลิงก์มีคีย์ลับของคุณอยู่",
    en: "These links show alerts and widgets in OBS. Each carries a secret key of yours.",
  })}</p>
${makeForm(page, { th: "สร้างลิงก์", en: "Make the links" })}`;
}

function replacement(page: OverlayPage, madeAt: Date): Html {
  const { th, en } = inWords(madeAt);
  return html`<p>${inBoth({ th: `คีย์ที่ใช้อยู่สร้างเมื่อ ${th}`, en: `The live key was made on ${en}.` })}</p>
<p>${inBoth({
    th: "เราเก็บไว้เฉพาะลายนิ้วมือของคีย์ จึงแสดงลิงก์อีกครั้งไม่ได้ ถ้าลิงก์หายหรือรั่วไหล ให้สร้างใหม่",
    en: "We keep only its fingerprint, so the links can't be shown again. If they are lost or leaked, make new ones.",
  })}</p>
<details>
<summary>${inBoth({ th: "สร้างลิงก์ใหม่แทนของเดิม…", en: "Replace the links…" })}</summary>
<p>${inBoth({
    th: "ลิงก์เดิมทุกลิงก์จะหยุดทำงานภายในหนึ่งวินาที และคุณต้องใส่ลิงก์ใหม่ใน OBS",
    en: "Every link from before stops within a second, and you have to put the new ones into OBS.",
  })}</p>
${makeForm(page, { th: "สร้างใหม่แทนของเดิม", en: "Replace them" })}
</details>`;
}

/** What the form calls the live key by. */
export function nameOf(madeAt: Date | null): string {
  return madeAt?.toISOString() ?? "none";
}

function makeForm({ site, account, madeAt }: OverlayPage, words: Words): Html {
  const content = html`<input type="hidden" name="replaces" value="${nameOf(madeAt)}">
<button class="main">${inBoth(words)}</button>`;
  return postForm({ action: site.path(paths.overlay), transaction: account.transaction, content });
}

const steps: readonly Words[] = [
  { th: html`ใน OBS ที่ช่อง <b>Sources</b> กด <b>+</b> แล้วเลือก <b>Browser</b>`, en: html`In OBS under Sources press +, then choose Browser.` },
  { th: html`วางลิงก์ในช่อง <b>URL</b>`, en: html`Paste the link into URL.` },
  {
    th: html`ใส่ขนาด: แจ้งเตือน <b>Width</b> 1920 <b>Height</b> 1080 ส่วนวิดเจ็ตดูขนาดข้างลิงก์ พื้นหลังโปร่งใสอยู่แล้ว`,
    en: html`Set Width and Height: 1920 and 1080 for alerts, for widgets what stands beside their link. The background is transparent already.`,
  },
  {
    th: html`เลือก <b>Control audio via OBS</b> เพื่อให้เสียงเข้าสตรีม`,
    en: html`Tick Control audio via OBS, so that the sound goes to your stream.`,
  },
  { th: html`กลับมาที่หน้าแจ้งเตือน แล้วส่งแจ้งเตือนทดสอบ`, en: html`Come back to Alerts and send a test alert.` },
];

const guide: Html = html`<section class="card" aria-labelledby="guide">
<h2 id="guide">${inBoth({ th: "วิธีเพิ่มใน OBS", en: "How to add them to OBS" })}</h2>
<ol class="steps">${steps.map((step) => html`<li>${inBoth(step)}</li>`)}</ol>
</section>`;
