// Renders what an erasure would erase, with the button that erases it.

import type { Counted } from "../../corrections/erasure/eraser.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { fact, when } from "../components/facts.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";
import { effects } from "./erasure-effects.ts";
import type { DonatorForm, Naming } from "./privacy-form.ts";

/** Why the button that erases did not. */
export type Obstacle = "changed" | "locked";

/** `id`: of the erasure that the button begins. */
type ReviewPage = PageContext & Readonly<{ id: string; donator: DonatorForm; found: Counted; obstacle?: Obstacle }>;

export function erasureReviewPage(page: ReviewPage): string {
  const { site, donator, found, obstacle } = page;
  return studioPage({
    ...page,
    here: paths.privacy,
    title: { th: "ตรวจก่อนลบ", en: "Check before you erase" },
    content: html`<p data-here="${site.path(paths.privacy)}"><a href="${site.path(paths.privacy)}">${bilingual({ th: "กลับโดยไม่ลบ", en: "Back without erasing" })}</a></p>
${obstacle && html`<p class="wrong" role="alert">${bilingual(obstacles[obstacle])}</p>`}
<section class="card" aria-labelledby="who">
<h2 id="who">${isolated(donator.who)}</h2>
${found.donations === 0 ? html`<p>${bilingual(nobody[donator.by])}</p>` : decision(page)}
</section>`,
  });
}

const obstacles: Readonly<Record<Obstacle, Bilingual>> = {
  changed: {
    th: "โดเนทของผู้โดเนทนี้เปลี่ยนไปหลังจากที่คุณดู ปุ่มนี้จึงยังไม่ได้ลบอะไร โปรดดูอีกครั้ง",
    en: "This donator's donations have changed since you looked, so the button has erased nothing. Please look again.",
  },
  locked: {
    th: "โดเนทของคุณถูกงานอื่นใช้อยู่ จึงยังลบไม่ครบ ระบบจะลบที่เหลือเองภายในไม่กี่นาที หรือกดอีกครั้งก็ได้",
    en: "Other work holds your donations at the moment, so not everything has been erased. The server erases the rest by itself within minutes; you may also press the button again.",
  },
};

const nobody: Readonly<Record<Naming, Bilingual>> = {
  identifier: {
    th: "ไม่มีโดเนทที่มีตัวระบุนี้ ตัวระบุต้องตรงทุกตัวอักษร",
    en: "No donation has this identifier. Identifiers must match exactly.",
  },
  donatorName: {
    th: "ไม่มีโดเนทชื่อนี้ที่ไม่มีตัวระบุ โดเนทที่มีตัวระบุให้ค้นด้วยตัวระบุ",
    en: "No donation under this name is without an identifier. Find those that have one by their identifier.",
  },
};

function decision({ site, account, id, donator, found }: ReviewPage): Html {
  const { donations, firstAt, lastAt } = found;
  const number = donations.toLocaleString("en");
  const hidden = (name: string, value: unknown) => html`<input type="hidden" name="${name}" value="${String(value)}">`;
  const content = html`${Object.entries({ ...donator, ...found, erasure: id }).map(([name, value]) => hidden(name, value))}
<button class="main">${bilingual({
    th: `ลบ ${number} รายการถาวร`,
    en: donations === 1 ? "Erase 1 donation for good" : `Erase ${number} donations for good`,
  })}</button>`;
  return html`<dl>
${fact({ th: "โดเนท", en: "Donations" }, html`${number}`)}
${when({ th: "รายการแรก", en: "First received" }, firstAt === null ? null : new Date(firstAt))}
${when({ th: "รายการล่าสุด", en: "Last received" }, lastAt === null ? null : new Date(lastAt))}
</dl>
${donator.by === "donatorName" && html`<p class="note">${bilingual(byName)}</p>`}
${effects}
<p>${bilingual(meanwhile)}</p>
${postForm({ action: site.path(paths.erase), formToken: account.formToken, content })}`;
}

const byName: Bilingual = {
  th: "เฉพาะโดเนทชื่อนี้ที่ไม่มีตัวระบุ",
  en: "Only donations under this name that have no identifier.",
};
const meanwhile: Bilingual = {
  th: "โดเนทที่เข้ามาระหว่างที่กำลังลบจะถูกลบด้วย หลังจากนั้นผู้โดเนทนี้นับเป็นคนใหม่",
  en: "What this donator donates while the erasure is under way is erased, too. Who donates after that is a new donator.",
};
