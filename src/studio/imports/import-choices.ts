// How an uploaded file is read: what it shows by itself, each as a choice, and the questions that only the streamer can answer.

import type { FileMember } from "../../donations/import/files/columns.ts";
import type { FileReading } from "../../donations/import/files/reading.ts";
import type { FileChoices } from "../../donations/import/files/table.ts";
import type { CheckedUpload, Upload } from "../../donations/import/files/uploads.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { type Choices, checkField, choiceField, timeZones } from "../components/fields.ts";

type Choice = "encoding" | "separator" | "dateOrder" | "decimal";
type Labels = { readonly [Name in Choice]: Readonly<Record<NonNullable<FileChoices[Name]>, Bilingual>> };

export const choiceLabels: Labels = {
  encoding: {
    "utf-8": { th: "UTF-8", en: "UTF-8" },
    "utf-16le": { th: "UTF-16", en: "UTF-16" },
    "utf-16be": { th: "UTF-16 (big endian)", en: "UTF-16 (big endian)" },
    "windows-874": { th: "ไทย, windows-874", en: "Thai, windows-874" },
    "windows-1252": { th: "ยุโรปตะวันตก, windows-1252", en: "Western, windows-1252" },
  },
  separator: {
    ",": { th: "จุลภาค ,", en: "Comma ," },
    ";": { th: "อัฒภาค ;", en: "Semicolon ;" },
    "\t": { th: "แท็บ", en: "Tab" },
    "|": { th: "ขีดตั้ง |", en: "Bar |" },
  },
  dateOrder: {
    "day-first": { th: "วันก่อน: 31/12/2026", en: "Day first: 31/12/2026" },
    "month-first": { th: "เดือนก่อน: 12/31/2026", en: "Month first: 12/31/2026" },
    "year-first": { th: "ปีก่อน: 26/12/31", en: "Year first: 26/12/31" },
  },
  decimal: {
    point: { th: "จุด: 1,234.56", en: "Point: 1,234.56" },
    comma: { th: "จุลภาค: 1.234,56", en: "Comma: 1.234,56" },
  },
};

const names: Readonly<Record<Choice | "sheet" | "timeZone", Bilingual>> = {
  encoding: { th: "รหัสตัวอักษร", en: "Text encoding" },
  separator: { th: "ตัวคั่นคอลัมน์", en: "Separator of columns" },
  sheet: { th: "ชีต", en: "Sheet" },
  dateOrder: { th: "ลำดับของวันที่", en: "Order of dates" },
  decimal: { th: "เครื่องหมายทศนิยม", en: "Decimal sign" },
  timeZone: { th: "เขตเวลาของเวลาที่ไม่ระบุไว้", en: "Time zone of times without one" },
};

export type Reviewed = Readonly<{ upload: Upload; checked: CheckedUpload }>;

/** Names the table that these choices show. What was chosen about its columns says nothing of another table. */
export function tableOf({ encoding, separator, sheet }: FileChoices): string {
  return JSON.stringify([encoding, separator, sheet]);
}

/** The question to answer first: another sheet has other dates and amounts. */
export function openQuestions({ preview }: CheckedUpload): FileReading["questions"] {
  const questions = preview?.reading.questions ?? [];
  return questions.includes("sheet") ? ["sheet"] : questions;
}

/** A field for each open question, with what the file has there; null when there is none. */
export function questionFields(reviewed: Reviewed): Html | null {
  const questions = openQuestions(reviewed.checked);
  if (questions.length === 0) return null;
  return html`<div class="wrong" role="alert"><p>${bilingual({
    th: "ไฟล์นี้อ่านได้หลายแบบ โปรดตอบก่อนนำเข้า",
    en: "This file can be read in more than one way. Please answer before the import:",
  })}</p></div>
${questions.map((question) => questionField(question, reviewed))}`;
}

const unanswered: Bilingual = { th: "โปรดเลือก…", en: "Please choose …" };
const askedMembers: Readonly<Record<"dateOrder" | "decimal", FileMember>> = { dateOrder: "createdAt", decimal: "amount" };

function questionField(question: FileReading["questions"][number], { checked: { preview } }: Reviewed): Html {
  if (question === "sheet")
    return choiceField({ ...asked("sheet", sheetsOf(preview?.reading)), hint: sheetHint(preview?.reading.sheet ?? "") }, {});
  const member = askedMembers[question];
  const place = preview?.columns.findIndex((column) => column.member === member) ?? -1;
  const values = [...new Set(preview?.rows.map(({ cells }) => cells[place] ?? "").filter(Boolean))].slice(0, 3).join(" · ");
  const hint = html`${bilingual({ th: "ในไฟล์:", en: "In the file:" })} <bdi>${values}</bdi>`;
  return choiceField({ ...asked(question, labelled(question)), hint }, {});
}

const asked = (name: Choice | "sheet", values: Choices) => ({
  name,
  label: names[name],
  typed: "",
  choices: [["", unanswered], ...values] as const,
});

const sheetHint = (name: string): Html => bilingual({ th: `ข้างล่างคือแถวของ “${name}”`, en: `The rows below are those of “${name}”.` });

const labelled = (name: Choice): Choices => Object.entries(choiceLabels[name]);

function sheetsOf(reading: FileReading | undefined): Choices {
  const hidden = { th: "ซ่อนอยู่", en: "hidden" };
  return (reading?.sheets ?? []).map(({ name, isHidden }) => [
    name,
    isHidden ? { th: `${name} (${hidden.th})`, en: `${name} (${hidden.en})` } : { th: name, en: name },
  ]);
}

/** How the file is read, each as a choice that is made by the file or by the streamer. */
export function readingFields(reviewed: Reviewed): Html {
  const { upload, checked } = reviewed;
  const reading = checked.preview?.reading;
  const { choices } = upload;
  const open = openQuestions(checked);
  const field = (name: Choice) =>
    guessField({ name, guess: reading?.[name] ?? null, chosen: choices[name] ?? null, values: labelled(name) });
  const sheets = sheetsOf(reading);
  const isSheetShown = (sheets.length > 1 || choices.sheet) && !open.includes("sheet");
  return html`<div class="pair">
${field("encoding")}
${field("separator")}
${isSheetShown && guessField({ name: "sheet", guess: reading?.sheet ?? null, chosen: choices.sheet ?? null, values: sheets })}
${!open.includes("dateOrder") && field("dateOrder")}
${!open.includes("decimal") && field("decimal")}
</div>
${zoneField(reviewed)}
${unpaidField(reviewed)}`;
}

type Guess = Readonly<{ name: Choice | "sheet"; guess: string | null; chosen: string | null; values: Choices }>;

/** Null where the file needs no such decision. The first value leaves it to the file. */
function guessField({ name, guess, chosen, values }: Guess): Html | null {
  if (guess === null && chosen === null) return null;
  const found = values.find(([value]) => value === guess)?.[1];
  const byFile: Bilingual =
    chosen === null && found ? { th: `${found.th} (ตามไฟล์)`, en: `${found.en} (found)` } : { th: "ตามไฟล์", en: "As the file shows" };
  const others = values.filter(([value]) => chosen !== null || value !== guess);
  const known: Choices = chosen === null || others.some(([value]) => value === chosen) ? [] : [[chosen, { th: chosen, en: chosen }]];
  return choiceField({ name, label: names[name], typed: chosen ?? "", choices: [["", byFile], ...others, ...known] }, {});
}

/** What the header or a column says comes first. The choice is in the form even then: another column may be chosen for the time. */
function zoneField({ upload, checked: { preview } }: Reviewed): Html {
  const zone = preview?.reading.zone;
  if (zone === undefined || zone.from !== "choice" || !hasTimes(preview))
    return html`<input type="hidden" name="timeZone" value="${upload.timezone}">
${zone && zone.from !== "choice" && html`<p class="note">${bilingual(zoneWords(zone))}</p>`}`;
  const choices = [...new Set([upload.timezone, ...timeZones])].sort().map((name) => [name, { th: name, en: name }] as const);
  return choiceField({ name: "timeZone", label: names.timeZone, typed: upload.timezone, choices, hint: bilingual(zoneHint) }, {});
}

function zoneWords({ name, from }: FileReading["zone"]): Bilingual {
  return from === "header"
    ? { th: `เวลาในไฟล์เป็นของ ${name} ตามชื่อคอลัมน์`, en: `Times are in ${name}, as the name of their column says.` }
    : { th: `เขตเวลาอยู่ในคอลัมน์ ${name}`, en: `The column ${name} has the time zone of each row.` };
}

const zoneHint = {
  th: "ถ้าจะนำเข้าไฟล์เดิมอีกครั้งให้เลือกเขตเวลาเดิม ไม่เช่นนั้นโดเนทที่ไม่มีเลขรายการจะถูกบันทึกซ้ำในเวลาอื่น",
  en: "Choose the same one when you import the file again: donations without a transaction number would be recorded twice, at other times.",
};

export function hasTimes(preview: CheckedUpload["preview"]): boolean {
  return preview?.columns.some(({ member }) => member === "createdAt") ?? false;
}

function unpaidField({ upload: { choices }, checked: { preview, counts } }: Reviewed): Html | null {
  const hasSome = (counts?.unpaid ?? 0) > 0 || (preview?.rows.some(({ isUnpaid }) => isUnpaid) ?? false);
  if (!choices.withUnpaid && !hasSome) return null;
  const label = { th: "บันทึกแถวที่ยังไม่ได้ชำระหรือคืนเงินแล้วด้วย", en: "Also record rows that were not paid, or were refunded" };
  return checkField({ name: "withUnpaid", label, checked: choices.withUnpaid });
}
