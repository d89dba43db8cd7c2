// Renders the page that asks whether donations are to be erased by age, or sooner than before.

import { postForm } from "../../ui/form.ts";
import { html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { fact } from "../components/facts.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";
import { effects } from "./erasure-effects.ts";
import { settingWords } from "./privacy-page.ts";

/** `aged`: donations that the next run would erase. `hasChanged`: the setting is another than when a confirmation was asked for. */
type ReviewPage = PageContext & Readonly<{ days: number; present: number | null; aged: number; hasChanged: boolean }>;

export function retentionReviewPage(page: ReviewPage): string {
  const { site, account, days, present, aged, hasChanged } = page;
  const number = days.toLocaleString("en");
  const content = html`<input type="hidden" name="days" value="${String(days)}">
<input type="hidden" name="from" value="${String(present)}">
<button class="main">${bilingual({
    th: `ลบตามอายุหลัง ${number} วัน`,
    en: days === 1 ? "Erase donations after 1 day" : `Erase donations after ${number} days`,
  })}</button>`;
  return studioPage({
    ...page,
    here: paths.privacy,
    title: { th: "ตรวจก่อนลบตามอายุ", en: "Check before you erase by age" },
    content: html`<p data-here="${site.path(paths.privacy)}"><a href="${site.path(paths.privacy)}">${bilingual({ th: "กลับโดยไม่เปลี่ยน", en: "Back without a change" })}</a></p>
${hasChanged && html`<p class="wrong" role="alert">${bilingual(changed)}</p>`}
<section class="card" aria-labelledby="what">
<h2 id="what">${bilingual(settingWords(days))}</h2>
<dl>
${fact({ th: "ตอนนี้", en: "At present" }, bilingual(settingWords(present)))}
${fact({ th: "โดเนทที่จะลบในครั้งต่อไป", en: "Donations that the next run erases" }, html`${aged.toLocaleString("en")}`)}
</dl>
<p>${bilingual(consequences)}</p>
${effects}
${postForm({ action: site.path(paths.retention), formToken: account.formToken, content })}
</section>`,
  });
}

const changed: Bilingual = {
  th: "การตั้งค่าเปลี่ยนไปหลังจากที่คุณดู จึงยังไม่ได้บันทึก โปรดดูอีกครั้ง",
  en: "The setting has changed since you looked, so nothing has been saved. Please look again.",
};
const consequences: Bilingual = {
  th: "ครั้งแรกภายในหนึ่งชั่วโมง แล้วทุกชั่วโมง จนกว่าคุณจะปิด",
  en: "The first run is within an hour, the others every hour, until you turn this off.",
};
