// What the check before an erasure, its progress, and the check before retention look like.

import type { StartedErasure } from "../../corrections/erase-donator.ts";
import type { Counted } from "../../corrections/eraser.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { formatNumber } from "../components/donation.ts";
import { backLink, fact, type PageContext, pageForm, studioPage, when } from "../components/frame.ts";
import { addressOf, paths } from "../paths.ts";
import { type DonatorForm, effects, type Naming, settingWords } from "./privacy-page.ts";

/** Why the button that erases did not. */
export type Obstacle = "changed" | "locked";

/** `id`: of the erasure that the button begins. */
type ReviewPage = PageContext & Readonly<{ id: string; donator: DonatorForm; found: Counted; obstacle?: Obstacle }>;

export function erasureReviewPage(page: ReviewPage): PageReply {
  const { site, donator, found, obstacle } = page;
  return studioPage({
    ...page,
    here: paths.privacy,
    title: { th: "ตรวจก่อนลบ", en: "Check before you erase" },
    content: html`${backLink(site, { here: paths.privacy, to: paths.privacy, words: { th: "กลับโดยไม่ลบ", en: "Back without erasing" } })}
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
  const number = formatNumber(donations);
  const hidden = (name: string, value: unknown) => html`<input type="hidden" name="${name}" value="${String(value)}">`;
  const content = html`${Object.entries({ ...donator, ...found, erasure: id }).map(([name, value]) => hidden(name, value))}
<button class="main danger">${bilingual({
    th: `ลบ ${number} รายการถาวร`,
    en: donations === 1 ? "Erase 1 donation for good" : `Erase ${number} donations for good`,
  })}</button>`;
  return html`<dl class="facts">
${fact({ th: "โดเนท", en: "Donations" }, number)}
${when({ th: "รายการแรก", en: "First received" }, firstAt === null ? null : new Date(firstAt))}
${when({ th: "รายการล่าสุด", en: "Last received" }, lastAt === null ? null : new Date(lastAt))}
</dl>
${donator.by === "donatorName" && html`<p class="note">${bilingual(byName)}</p>`}
${effects}
<p>${bilingual(meanwhile)}</p>
${pageForm({ site, account }, paths.erase, { content })}`;
}

const byName: Bilingual = {
  th: "เฉพาะโดเนทชื่อนี้ที่ไม่มีตัวระบุ",
  en: "Only donations under this name that have no identifier.",
};
const meanwhile: Bilingual = {
  th: "โดเนทที่เข้ามาระหว่างที่กำลังลบจะถูกลบด้วย หลังจากนั้นผู้โดเนทนี้นับเป็นคนใหม่",
  en: "What this donator donates while the erasure is under way is erased, too. Who donates after that is a new donator.",
};

/** `expected`: how many donations were there before; null: unknown. */
type ErasurePage = PageContext & Readonly<{ found: StartedErasure; expected: number | null }>;

export function erasurePage(page: ErasurePage): PageReply {
  const { site, found, expected } = page;
  const { id, beganAt, finishedAt, donations } = found;
  const address = addressOf(paths.erasure, { id, of: String(expected ?? "") });
  return studioPage({
    ...page,
    here: paths.privacy,
    title: { th: "การลบ", en: "Erasure" },
    content: html`${backLink(site, { here: address, to: paths.privacy, words: { th: "กลับไปหน้าความเป็นส่วนตัว", en: "Back to privacy" } })}
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

function progress(donations: number, expected: number | null): Html | string {
  const number = formatNumber(donations);
  if (expected === null || expected < donations) return number;
  const all = formatNumber(expected);
  return bilingual({ th: `${number} จาก ${all}`, en: `${number} of ${all}` });
}

const running: Bilingual = {
  th: "กำลังลบ หน้านี้จะอัปเดตเอง ปิดหน้านี้ได้ ถ้าสะดุด ระบบจะลบต่อเองภายในไม่กี่นาที",
  en: "The erasure is under way. This page is loaded again by itself; you may leave it. If it is interrupted, the server goes on by itself within minutes.",
};
const finished: Bilingual = { th: "ลบเสร็จแล้ว", en: "The donator is erased." };

/** `aged`: donations that the next run would erase. `hasChanged`: the setting is another than when a confirmation was asked for. */
type RetentionReviewPage = PageContext & Readonly<{ days: number; present: number | null; aged: number; hasChanged: boolean }>;

export function retentionReviewPage(page: RetentionReviewPage): PageReply {
  const { site, days, present, aged, hasChanged } = page;
  const number = formatNumber(days);
  const content = html`<input type="hidden" name="days" value="${String(days)}">
<input type="hidden" name="from" value="${String(present)}">
<button class="main danger">${bilingual({
    th: `ลบตามอายุหลัง ${number} วัน`,
    en: days === 1 ? "Erase donations after 1 day" : `Erase donations after ${number} days`,
  })}</button>`;
  return studioPage({
    ...page,
    here: paths.privacy,
    title: { th: "ตรวจก่อนลบตามอายุ", en: "Check before you erase by age" },
    content: html`${backLink(site, { here: paths.privacy, to: paths.privacy, words: { th: "กลับโดยไม่เปลี่ยน", en: "Back without a change" } })}
${hasChanged && html`<p class="wrong" role="alert">${bilingual(changed)}</p>`}
<section class="card" aria-labelledby="what">
<h2 id="what">${bilingual(settingWords(days))}</h2>
<dl>
${fact({ th: "ตอนนี้", en: "At present" }, bilingual(settingWords(present)))}
${fact({ th: "โดเนทที่จะลบในครั้งต่อไป", en: "Donations that the next run erases" }, formatNumber(aged))}
</dl>
<p>${bilingual(consequences)}</p>
${effects}
${pageForm(page, paths.retention, { content })}
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
