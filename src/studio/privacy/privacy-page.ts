// What the page of erasure and retention looks like, and its forms. The server keeps no donator's name between two forms.

import type { StartedErasure } from "../../corrections/erase-donator.ts";
import type { Counted } from "../../corrections/eraser.ts";
import { maxRetentionDays } from "../../corrections/retention.ts";
import { boundsOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, type Words } from "../../ui/layout.ts";
import { aboutText, section } from "../../ui/section.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { type DescribedForm, describedField, labelsOf } from "../components/described-form.ts";
import { formatNumber } from "../components/donation.ts";
import { type FieldFaults, faultSummary, radioField, textField } from "../components/fields.ts";
import { emptyState, fact, type PageContext, pageForm, studioPage, time } from "../components/frame.ts";
import { addressOf, paths } from "../paths.ts";

/** What the forms show: as it was typed, with its faults, or as it is. */
export type PrivacyForms = Readonly<{ donator: DonatorForm; typedDays: string; faults: FieldFaults }>;

type PrivacyPage = PageContext & PrivacyForms & Readonly<{ days: number | null; erasures: readonly StartedErasure[] }>;

export function privacyPage(page: PrivacyPage): PageReply {
  const { erasures } = page;
  return studioPage({
    ...page,
    here: paths.privacy,
    title: { th: "ความเป็นส่วนตัว", en: "Privacy" },
    content: html`${section("erase", {
      title: { th: "ลบข้อมูลผู้โดเนท", en: "Erase a donator" },
      about: aboutText(forgotten),
      content: html`${page.faults["who"] && faultSummary(page.faults, labels)}
${pageForm(page, paths.checkErasure, { content: donatorFields(page) })}
<details>
<summary>${bilingual({ th: "ลบอะไร เหลืออะไร", en: "What goes and what stays" })}</summary>
${effects}
</details>`,
    })}
${section("keep", {
  title: { th: "ลบตามอายุ", en: "Erase by age" },
  about: aboutText(byAge),
  content: html`<dl>${fact({ th: "ตอนนี้", en: "At present" }, bilingual(settingWords(page.days)))}</dl>
${page.faults["days"] && faultSummary(page.faults, labels)}
${pageForm(page, paths.retention, { content: daysFields(page) })}`,
})}
${section("all", {
  title: { th: "การลบล่าสุด", en: "Latest erasures" },
  content: erasures.length === 0 ? none : html`<ul class="cards">${erasures.map((one) => card(page, one))}</ul>`,
})}`,
  });
}

const forgotten: Bilingual = {
  th: "เมื่อผู้โดเนทขอให้ลบข้อมูลของตน (PDPA, GDPR) ขั้นต่อไปแสดงก่อนว่ามีกี่รายการ ยังไม่ลบอะไร",
  en: "For a donator who asks to be forgotten (PDPA, GDPR). The next step shows how many donations that is, and erases nothing yet.",
};

const byAge: Bilingual = {
  th: "ลบชื่อ ข้อความ และตัวระบุในโดเนทที่ได้รับมาแล้วเกินจำนวนวันนี้ ทุกชั่วโมง ยอดเงินยังอยู่ นับจากวันที่ระบบได้รับ โดเนทที่นำเข้าจึงเก็บไว้นานเท่ารายการอื่น",
  en: "Every hour, erases names, messages and identifiers of donations that were received more than this many days ago. Amounts stay. It goes by when a donation was received here, so that imported ones are kept as long as others.",
};

/** Retention in words. */
export function settingWords(days: number | null): Words {
  if (days === null) return { th: "ปิดอยู่ เก็บไว้ตลอด", en: "Off: kept for ever" };
  const number = formatNumber(days);
  return { th: `เก็บไว้ ${number} วัน`, en: days === 1 ? "Kept for 1 day" : `Kept for ${number} days` };
}

const namingWords: Readonly<Record<Naming, { label: Bilingual; hint: Bilingual }>> = {
  identifier: {
    label: { th: "ตัวระบุ", en: "Identifier" },
    hint: { th: "ต้องตรงทุกตัวอักษร ดูได้ในไฟล์ส่งออกหรือแอปที่ส่งโดเนท", en: "Exactly as your export or the donating application has it." },
  },
  donatorName: {
    label: { th: "ชื่อ", en: "Name" },
    hint: {
      th: "เฉพาะโดเนทที่ไม่มีตัวระบุ ไม่สนตัวพิมพ์เล็กใหญ่และช่องว่าง",
      en: "Only donations without an identifier. Letter case and blanks don't matter.",
    },
  },
};

function donatorFields({ donator: { by, who }, faults }: PrivacyPage): Html {
  return html`<fieldset>
<legend>${bilingual({ th: "ค้นด้วย", en: "Find by" })}</legend>
${namings.map((value) => radioField({ id: `by-${value}`, name: "by", value, ...namingWords[value], checked: value === by }))}
</fieldset>
${textField({ name: "who", label: labels.who, typed: who, bounds: boundsOf("DonatorErasure", by) }, faults)}
<button class="main">${bilingual({ th: "ดูว่ามีกี่รายการ", en: "Count the donations" })}</button>`;
}

const maxDays = formatNumber(maxRetentionDays);

export const retentionForm = {
  fields: {
    days: {
      kind: "number",
      empty: null,
      label: { th: "จำนวนวัน", en: "Days" },
      words: () => ({ th: `ต้องเป็นจำนวนเต็มตั้งแต่ 1 ถึง ${maxDays}`, en: `Must be a whole number from 1 to ${maxDays}.` }),
    },
  },
} as const satisfies DescribedForm;

const labels = { who: { th: "ตัวระบุหรือชื่อ", en: "Identifier or name" }, ...labelsOf(retentionForm) };

function daysFields({ typedDays, faults }: PrivacyPage): Html {
  const hint = bilingual({ th: `1–${maxDays} เว้นว่างเพื่อเก็บไว้ตลอด`, en: `1–${maxDays}. Leave empty to keep everything for ever.` });
  return html`${describedField({ form: retentionForm, typed: { days: typedDays }, faults }, "days", { hint })}
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
}

const none = emptyState(
  "shield",
  { th: "ยังไม่เคยลบใคร", en: "Nobody has been erased." },
  bilingual({ th: "การลบแต่ละครั้งจะอยู่ที่นี่ โดยไม่มีชื่อ", en: "Each erasure stands here, without a name." }),
);

function card({ site }: PrivacyPage, { id, beganAt, finishedAt, donations }: StartedErasure): Html {
  return html`<li>
<h3>${time(new Date(beganAt))}</h3>
<dl>${fact({ th: "โดเนทที่ลบแล้ว", en: "Donations erased" }, formatNumber(donations))}</dl>
${finishedAt === null && html`<p><a href="${site.path(addressOf(paths.erasure, { id }))}">${bilingual({ th: "กำลังลบ ดูความคืบหน้า", en: "Under way: see how far it is" })}</a></p>`}
</li>`;
}

/** How a donator is named: members of the contract's DonatorErasure. */
const namings = ["identifier", "donatorName"] as const;
export type Naming = (typeof namings)[number];

/** The fields of the first form as they were typed. */
export type DonatorForm = Readonly<{ by: Naming; who: string }>;

export const initialDonatorForm: DonatorForm = { by: "identifier", who: "" };

export function readDonatorForm(form: URLSearchParams): DonatorForm {
  return { by: namings.find((naming) => naming === form.get("by")) ?? initialDonatorForm.by, who: form.get("who") ?? "" };
}

/** The member that the contract will check. */
export function donatorOf({ by, who }: DonatorForm): Schemas["DonatorErasure"] {
  return { [by]: who };
}

/** Faults of the member, as faults of the field that it was typed into. */
export function donatorFaults(faults: FieldFaults): FieldFaults {
  return { who: Object.values(faults).flat() };
}

/** What the page showed when its reader decided. */
type Decided = Readonly<{ id: string; found: Counted }>;

export function readDecided(form: URLSearchParams): Decided {
  const number = (name: string) => Number(form.get(name) || Number.NaN);
  return { id: form.get("erasure") ?? "", found: { donations: number("donations"), firstAt: number("firstAt"), lastAt: number("lastAt") } };
}

export function isSame(a: Counted, b: Counted): boolean {
  return a.donations === b.donations && a.firstAt === b.firstAt && a.lastAt === b.lastAt;
}

const goes: Bilingual = {
  th: "ชื่อ (หน้าเว็บจะแสดงว่าไม่ประสงค์ออกนาม ไฟล์และแอปได้ “(erased)” วิดเจ็ตไม่แสดง) ข้อความ ตัวระบุ เสียงอ่าน บันทึกข้างโดเนทที่เป็นโมฆะ และสิ่งที่ค้นหาได้",
  en: "The name (pages show “anonymous”, files and programs get “(erased)”; widgets leave the donator out), messages, the identifier, speech, notes beside void donations, and what a search finds.",
};
const stays: Bilingual = {
  th: "จำนวนเงิน เวลา และช่องทาง ยอดรวม รายงาน และเป้าหมายเท่าเดิม",
  en: "Amounts, times and channels: totals, reports and the goal are the same as before.",
};
const lasts: Bilingual = {
  th: "ย้อนกลับไม่ได้ ถ้ากู้คืนข้อมูลสำรองที่เก่ากว่า ระบบจะลบซ้ำตามสมุดบันทึกการลบ ซึ่งไม่มีชื่อใคร",
  en: "It can't be undone. When an older backup is restored, the server erases again: its journal of erasures, which has no names, tells it what.",
};
const elsewhere: Bilingual = {
  th: "ไฟล์ที่คุณส่งออกไว้และแอปที่ได้รับโดเนทไปแล้วไม่ถูกลบ แอปที่รับเหตุการณ์จะได้รับแจ้งให้ลบสำเนา",
  en: "Files that you have exported and programs that got the donations keep their copies. Programs that follow your events are told to erase theirs.",
};

export const effects: Html = html`<dl class="facts">
${fact({ th: "ถูกลบ", en: "Goes" }, bilingual(goes))}
${fact({ th: "ยังอยู่", en: "Stays" }, bilingual(stays))}
${fact({ th: "ถาวร", en: "For good" }, bilingual(lasts))}
${fact({ th: "ที่อื่น", en: "Elsewhere" }, bilingual(elsewhere))}
</dl>`;
