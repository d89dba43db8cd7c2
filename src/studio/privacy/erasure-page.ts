// Renders how far an erasure is, and how many donations it has erased.

import type { StartedErasure } from "../../corrections/erasure/started-erasures.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { fact, when } from "../components/facts.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";

/** `expected`: how many donations were there before; null: unknown. */
type ErasurePage = PageContext & Readonly<{ found: StartedErasure; expected: number | null }>;

export function erasurePage(page: ErasurePage): string {
  const { site, found, expected } = page;
  const { id, beganAt, finishedAt, donations } = found;
  const address = `${paths.erasure}?id=${id}${expected === null ? "" : `&of=${expected}`}`;
  return studioPage({
    ...page,
    here: paths.privacy,
    title: { th: "การลบ", en: "Erasure" },
    content: html`<p data-here="${site.path(address)}"><a href="${site.path(paths.privacy)}">${bilingual({ th: "กลับไปหน้าความเป็นส่วนตัว", en: "Back to privacy" })}</a></p>
<section class="card" aria-labelledby="what">
<h2 id="what">${bilingual({ th: "ลบข้อมูลผู้โดเนท", en: "Erase a donator" })}</h2>
${finishedAt === null ? html`<p role="status">${bilingual(running)}</p>` : html`<p class="right" role="status">${bilingual(finished)}</p>`}
<dl>
${fact({ th: "โดเนทที่ลบแล้ว", en: "Donations erased" }, progress(donations, finishedAt === null ? expected : null))}
${when({ th: "เริ่มเมื่อ", en: "Began" }, new Date(beganAt))}
${when({ th: "เสร็จเมื่อ", en: "Finished" }, finishedAt === null ? null : new Date(finishedAt))}
</dl>
</section>`,
  });
}

function progress(donations: number, expected: number | null): Html {
  const number = donations.toLocaleString("en");
  if (expected === null || expected < donations) return html`${number}`;
  const all = expected.toLocaleString("en");
  return bilingual({ th: `${number} จาก ${all}`, en: `${number} of ${all}` });
}

const running: Bilingual = {
  th: "กำลังลบ หน้านี้จะอัปเดตเอง ปิดหน้านี้ได้ ถ้าสะดุด ระบบจะลบต่อเองภายในไม่กี่นาที",
  en: "The erasure is under way. This page is loaded again by itself; you may leave it. If it is interrupted, the server goes on by itself within minutes.",
};
const finished: Bilingual = { th: "ลบเสร็จแล้ว", en: "The donator is erased." };
