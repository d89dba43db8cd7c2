// Renders what an uploaded file has, with a choice for each column, and what its import would do.

import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { choiceField } from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { timeZones } from "../components/time-zones.ts";
import { paths } from "../paths.ts";
import { countsList, faultList } from "./import-counts.ts";
import { fileFault } from "./import-faults.ts";
import { importMemberLabels } from "./import-members.ts";
import { type CheckedUpload, type ImportMember, importMembers, type Upload } from "./imports-deps.ts";

type ReviewPage = PageContext & Readonly<{ upload: Upload; checked: CheckedUpload }>;

const unused: Bilingual = { th: "ไม่ใช้", en: "Not used" };

export function importReviewPage(page: ReviewPage): string {
  const { site, account, upload } = page;
  const form = { action: site.path(paths.checkImport), formToken: account.formToken, multipart: true, id: "review" };
  return studioPage({
    ...page,
    here: paths.imports,
    title: { th: "ตรวจไฟล์ก่อนนำเข้า", en: "Check before the import" },
    content: html`<p data-here="${site.path(paths.imports)}"><a href="${site.path(paths.imports)}">${bilingual({ th: "เลือกไฟล์อื่น", en: "Choose another file" })}</a></p>
<section class="card" aria-labelledby="what">
<h2 id="what">${isolated(upload.name)}</h2>
${result(page)}
${postForm({ ...form, content: fields(page) })}
</section>`,
  });
}

function result({ upload, checked: { preview, counts, faults, unreadable } }: ReviewPage): Html {
  if (unreadable !== null)
    return html`<div class="wrong" role="alert"><p>${bilingual({ th: "อ่านไฟล์นี้ไม่ได้", en: "The file can't be read:" })} ${bilingual(fileFault(unreadable))}</p></div>`;
  if (counts === null)
    return html`<div class="wrong" role="alert"><p>${bilingual({
      th: "เลือกคอลัมน์ของชื่อผู้โดเนทและจำนวนเงิน แล้วตรวจอีกครั้ง",
      en: "Choose the columns of the donator's name and of the amount, then check again.",
    })}</p></div>`;
  return html`${preview && !hasTimes(upload, preview) && noTimes}${countsList(counts, { th: "จะบันทึก", en: "To be recorded" })}
${faultList(faults, counts.faulty)}`;
}

function hasTimes({ places }: Upload, { columns }: NonNullable<CheckedUpload["preview"]>): boolean {
  return places ? places.createdAt !== undefined : columns.some(({ member }) => member === "createdAt");
}

const noTimes = html`<div class="wrong" role="alert"><p>${bilingual({
  th: "ไม่มีคอลัมน์เวลา: ทุกโดเนทจะลงวันที่ตอนนำเข้า ถ้าไฟล์มีเวลา ให้เลือกคอลัมน์แล้วตรวจอีกครั้ง",
  en: "No column is the time: every donation will be dated now. If the file has times, choose their column, then check again.",
})}</p></div>`;

/** The file goes along in the form, so that the server keeps none. */
function fields({ site, upload, checked }: ReviewPage): Html {
  const { preview, counts } = checked;
  const { name, bytes, places } = upload;
  const memberAt = (place: number) =>
    places ? (importMembers.find((member) => places[member] === place) ?? null) : (preview?.columns[place]?.member ?? null);
  return html`<input type="hidden" name="file" value="${bytes.toString("base64")}">
<input type="hidden" name="file name" value="${name}">
${
  preview &&
  html`<h3>${bilingual({ th: "คอลัมน์", en: "Columns" })}</h3>
${preview.columns.map(({ title }, place) => columnField({ title, place, member: memberAt(place), rows: preview.rows.map(({ cells }) => cells) }))}`
}
${zoneField({ upload, checked })}
<div class="buttons">
${preview && html`<button>${bilingual({ th: "ตรวจอีกครั้ง", en: "Check again" })}</button>`}
${counts && counts.recorded > 0 && html`<button class="main" formaction="${site.path(paths.startImport)}">${bilingual({ th: `นำเข้า ${counts.recorded.toLocaleString("en")} โดเนท`, en: counts.recorded === 1 ? "Import 1 donation" : `Import ${counts.recorded.toLocaleString("en")} donations` })}</button>`}
</div>`;
}

/** What the header says comes first. The choice is in the form even then: another column may be chosen for the time. */
function zoneField({ upload, checked: { preview } }: Pick<ReviewPage, "upload" | "checked">): Html {
  const headerZone = preview && preview.reading.zone.from !== "choice" ? preview.reading.zone.name : null;
  if (headerZone !== null || !preview || !hasTimes(upload, preview))
    return html`<input type="hidden" name="timeZone" value="${upload.timezone}">
${headerZone !== null && html`<p class="note">${bilingual({ th: `เวลาในไฟล์เป็นของ ${headerZone} ตามชื่อคอลัมน์`, en: `Times are in ${headerZone}, as the name of their column says.` })}</p>`}`;
  const label = { th: "เขตเวลาของเวลาที่ไม่ระบุไว้", en: "Time zone of times without one" };
  const choices = [...new Set([upload.timezone, ...timeZones])].sort().map((zone) => [zone, { th: zone, en: zone }] as const);
  return choiceField({ name: "timeZone", label, typed: upload.timezone, choices, hint: html`${bilingual(zoneHint)}` }, {});
}

const zoneHint = {
  th: "ถ้าจะนำเข้าไฟล์เดิมอีกครั้งให้เลือกเขตเวลาเดิม ไม่เช่นนั้นโดเนทที่ไม่มีเลขรายการจะถูกบันทึกซ้ำในเวลาอื่น",
  en: "Choose the same one when you import the file again: donations without a transaction number would be recorded twice, at other times.",
};

type Column = Readonly<{ title: string; place: number; member: ImportMember | null; rows: readonly (readonly string[])[] }>;

/** One column under the other, because a table with many columns does not fit on a phone. */
function columnField({ title, place, member, rows }: Column): Html {
  const id = `field-column-${place}`;
  const option = (value: string, label: Bilingual, isChosen: boolean) =>
    html`<option value="${value}"${isChosen && html` selected`}>${bilingual(label)}</option>`;
  const values = rows.map((row) => row[place] ?? "").filter((value) => value !== "");
  return html`<div class="field">
<label for="${id}">${title === "" ? bilingual({ th: `คอลัมน์ ${place + 1}`, en: `Column ${place + 1}` }) : isolated(title)}</label>
<small id="${id}-hint">${values.length === 0 ? bilingual({ th: "ว่าง", en: "Empty" }) : values.map((value, at) => html`${at > 0 && ", "}${isolated(value)}`)}</small>
<select id="${id}" name="column ${place}" aria-describedby="${id}-hint">
${option("", unused, member === null)}
${importMembers.map((one) => option(one, importMemberLabels[one], one === member))}
</select>
</div>`;
}
