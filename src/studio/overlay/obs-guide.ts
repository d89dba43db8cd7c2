// The steps from a link to a source in OBS, which stand on every page that shows links.

import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";

const steps: readonly Bilingual[] = [
  { th: html`ใน OBS ที่ช่อง <b>Sources</b> กด <b>+</b> แล้วเลือก <b>Browser</b>`, en: html`In OBS, under Sources, click + and choose Browser.` },
  { th: html`วางลิงก์ในช่อง <b>URL</b>`, en: html`Paste the link into the URL field.` },
  {
    th: html`ใส่ขนาด: แจ้งเตือน <b>Width</b> 1920 <b>Height</b> 1080 ส่วนวิดเจ็ตดูขนาดเหนือลิงก์ พื้นหลังโปร่งใสอยู่แล้ว`,
    en: html`Set the size: Width 1920 and Height 1080 for alerts; for widgets, the size above the link. The background is already transparent.`,
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
