// What the check of an uploaded file looks like: how it is read, its first rows, and what its import would do, or has done.

import { fileMembers } from "../../donations/import/files/columns.ts";
import type { Counts } from "../../donations/import/files/import-file.ts";
import type { PreviewRow } from "../../donations/import/files/preview.ts";
import type { CheckedUpload } from "../../donations/import/files/uploads.ts";
import type { RowFault } from "../../donations/import/import-store.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { writeFor } from "../../ui/reader.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { formatDateTime } from "../../ui/times.ts";
import { formatAmount, formatNumber } from "../components/donation.ts";
import { choicesOf, options } from "../components/fields.ts";
import { backLink, fact, type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";
import { hasTimes, openQuestions, questionFields, type Reviewed, readingFields, tableOf } from "./import-choices.ts";
import { fileFault, importMemberLabels, rowFault, rowPlace } from "./import-faults.ts";

type ReviewPage = PageContext & Reviewed;

export function importReviewPage(page: ReviewPage): PageReply {
  const { site, upload } = page;
  return studioPage({
    ...page,
    here: paths.imports,
    title: { th: "ตรวจไฟล์ก่อนนำเข้า", en: "Check before the import" },
    content: html`${backLink(site, { here: paths.imports, to: paths.imports, words: { th: "เลือกไฟล์อื่น", en: "Choose another file" } })}
<section class="card" aria-labelledby="what">
<h2 id="what">${isolated(upload.name)}</h2>
${pageForm(page, paths.checkImport, { content: fields(page), multipart: true, id: "review" })}
</section>`,
  });
}

/** The file goes along in the form, so that the server keeps none. */
function fields(page: ReviewPage): Html {
  const { upload, checked } = page;
  const { preview, counts, faults } = checked;
  const again = { th: "ตรวจอีกครั้ง", en: "Check again" };
  const hasChoices = preview !== null || Object.values(upload.choices).some(Boolean); // a wrong choice can make a file unreadable
  return html`<input type="hidden" name="file" value="${upload.bytes.toString("base64")}">
<input type="hidden" name="file name" value="${upload.name}">
<input type="hidden" name="shown table" value="${tableOf(upload.choices)}">
${wrongs(checked)}
${questionFields(page)}
${preview && previewTable(page, preview)}
${hasChoices && html`<h3>${bilingual({ th: "อ่านไฟล์อย่างไร", en: "How the file is read" })}</h3>`}
${readingFields(page)}
${
  counts &&
  html`<h3>${bilingual({ th: "ผลของการนำเข้า", en: "What the import will do" })}</h3>${countsList(counts, { th: "จะบันทึก", en: "To be recorded" })}
${faultList(faults, counts.faulty)}`
}
<div class="buttons">
${hasChoices && html`<button data-redraws>${bilingual(again)}</button>`}
${counts && counts.recorded > 0 && html`<button class="main" formaction="${page.site.path(paths.startImport)}">${bilingual(importWords(counts.recorded))}</button>`}
</div>`;
}

function importWords(recorded: number): Bilingual {
  const count = formatNumber(recorded);
  return { th: `นำเข้า ${count} โดเนท`, en: recorded === 1 ? "Import 1 donation" : `Import ${count} donations` };
}

function wrongs(checked: CheckedUpload): Html {
  const { preview, counts, unreadable } = checked;
  if (unreadable !== null)
    return wrong(html`${bilingual({ th: "อ่านไฟล์นี้ไม่ได้", en: "The file can't be read:" })} ${bilingual(fileFault(unreadable))}`);
  if (counts === null) return openQuestions(checked).length > 0 ? html`` : wrong(bilingual(chooseColumns));
  if (addsNothing(counts)) return html`<p class="right" role="status">${bilingual(recordedWords(counts.recordedBefore))}</p>`;
  return html`${preview && !hasTimes(preview) && wrong(bilingual(noTimes))}${counts.ahead > 0 && wrong(bilingual(aheadWords(checked.ahead, counts.ahead)))}`;
}

/** What is void or unpaid in the file stands in the counts. */
const addsNothing = ({ recorded, recordedBefore, faulty }: Counts) => recordedBefore > 0 && recorded + faulty === 0;

function recordedWords(count: number): Bilingual {
  const all = formatNumber(count);
  return {
    th: `โดเนททั้ง ${all} รายการในไฟล์นี้บันทึกไว้แล้ว จะไม่มีอะไรเพิ่มเข้ามา`,
    en: `${count === 1 ? "The one donation of this file is" : `All ${all} donations of this file are`} recorded already; nothing would be added.`,
  };
}

const wrong = (words: Html): Html => html`<div class="wrong" role="alert"><p>${words}</p></div>`;

const chooseColumns: Bilingual = {
  th: "เลือกคอลัมน์ของชื่อผู้โดเนทและจำนวนเงิน แล้วตรวจอีกครั้ง",
  en: "Choose the columns of the donator's name and of the amount, then check again.",
};

const noTimes: Bilingual = {
  th: "ไม่มีคอลัมน์เวลา: ทุกโดเนทจะลงวันที่ตอนนำเข้า ถ้าไฟล์มีเวลา ให้เลือกคอลัมน์แล้วตรวจอีกครั้ง",
  en: "No column is the time: every donation will be dated now. If the file has times, choose their column, then check again.",
};

function aheadWords(places: readonly string[], count: number): Bilingual {
  const [th, en] = [places.map((place) => rowPlace(place).th).join(", "), places.join(", ")];
  return {
    th: `ลงวันที่ล่วงหน้าเกินหนึ่งวัน ${formatNumber(count)} แถว (${th}) ลำดับวันและเดือนถูกต้องหรือไม่`,
    en: `${count === 1 ? "1 row is" : `${formatNumber(count)} rows are`} dated more than a day ahead (${en}). Is the order of day and month right?`,
  };
}

type Preview = NonNullable<CheckedUpload["preview"]>;

const recorded = ["donatorName", "amount", "createdAt", "message"] as const;

/** It scrolls in a region of its own, which a keyboard reaches, so that the page stays as wide as a phone. */
function previewTable(reviewed: Reviewed, preview: Preview): Html {
  const { columns, rows } = preview;
  return html`<h3 id="rows">${bilingual({ th: "แถวแรก ๆ", en: "The first rows" })}</h3>
<p class="note">${bilingual({
    th: "ทางซ้ายคือสิ่งที่จะบันทึก ทางขวาคือไฟล์ เลือกได้ว่าแต่ละคอลัมน์คืออะไร",
    en: "On the left what will be recorded; on the right the file, where you choose what each column is.",
  })}</p>
<div class="rows" role="region" aria-labelledby="rows" tabindex="0">
<table>
<thead>
<tr><td></td><th colspan="${recorded.length}" scope="colgroup">${bilingual({ th: "จะบันทึก", en: "To be recorded" })}</th><th class="file" colspan="${columns.length}" scope="colgroup">${bilingual({ th: "ในไฟล์", en: "In the file" })}</th></tr>
<tr><th scope="col">${bilingual({ th: "แถว", en: "Row" })}</th>${recorded.map((member) => html`<th scope="col"${member === "amount" && html` class="figure"`}>${bilingual(importMemberLabels[member])}</th>`)}${columns.map(columnHead)}</tr>
</thead>
<tbody>${rows.map((row) => tableRow(row, reviewed))}</tbody>
</table>
</div>`;
}

const unused: Bilingual = { th: "ไม่ใช้", en: "Not used" };

function columnHead({ title, member }: Preview["columns"][number], place: number): Html {
  const id = `field-column-${place}`;
  return html`<th class="file" scope="col">
<label for="${id}">${title === "" ? bilingual({ th: `คอลัมน์ ${place + 1}`, en: `Column ${place + 1}` }) : isolated(title)}</label>
<select id="${id}" name="column ${place}">
${options([["", unused], ...choicesOf(fileMembers, importMemberLabels)], member ?? "")}
</select>
</th>`;
}

function tableRow(row: PreviewRow, reviewed: Reviewed): Html {
  const shown = row.donation
    ? donationCells(row.donation, reviewed.upload.timezone)
    : html`<td colspan="${recorded.length}">${notRecorded(row, reviewed.checked)}</td>`;
  return html`<tr><th scope="row">${bilingual(rowPlace(row.place.replace(/^row /, "")))}</th>${shown}${row.cells.map((cell) => html`<td class="file">${isolated(cell)}</td>`)}</tr>`;
}

function donationCells({ donatorName, amount, createdAt, message }: NonNullable<PreviewRow["donation"]>, timeZone: string): Html {
  const time = createdAt === null ? importTime : writeFor({ timeZone }, () => formatDateTime(new Date(createdAt)));
  return html`<td><strong>${isolated(donatorName)}</strong></td><td class="figure">${formatAmount(amount, "THB")}</td><td>${bilingual(time)}</td><td>${isolated(message ?? "")}</td>`;
}

const importTime: Bilingual = { th: "เวลาที่นำเข้า", en: "When it is imported" };

/** A fault that every row has while a question is open is said once, by the question. */
function notRecorded({ isVoided, isUnpaid, faults }: PreviewRow, checked: CheckedUpload): Html {
  if (isVoided) return html`<span class="label">${bilingual({ th: "เป็นโมฆะในไฟล์ ข้าม", en: "Void in the file: left out" })}</span>`;
  if (isUnpaid) return html`<span class="label">${bilingual({ th: "ไม่ได้ชำระเงิน ข้าม", en: "Not paid: left out" })}</span>`;
  const own = faults.filter((fault) => !/one of which must be chosen$/.test(fault));
  if (own.length > 0)
    return html`<span class="fault">${own.map((fault, at) => html`${at > 0 && html`<br>`}<bdi>${bilingual(rowFault(fault))}</bdi>`)}</span>`;
  return html`<span class="note">${bilingual(
    openQuestions(checked).length > 0
      ? { th: "รอคำตอบข้างบน", en: "Waits for your answer above" }
      : { th: "รอให้เลือกคอลัมน์", en: "Waits for its columns" },
  )}</span>`;
}

/** `recorded`: the name of the count of those that are, or would be, recorded. */
export function countsList(counts: Counts, recorded: Bilingual): Html {
  const number = (value: number) => html`<strong>${formatNumber(value)}</strong>`;
  return html`<dl class="figures lesser">
${fact({ th: "แถวที่อ่าน", en: "Rows read" }, number(counts.rows))}
${fact(recorded, number(counts.recorded))}
${fact({ th: "บันทึกไว้ก่อนแล้ว", en: "Recorded before" }, number(counts.recordedBefore))}
${counts.voided > 0 && fact({ th: "เป็นโมฆะในไฟล์ (ข้าม)", en: "Void in the file (left out)" }, number(counts.voided))}
${counts.unpaid > 0 && fact({ th: "ไม่ได้ชำระเงิน (ข้าม)", en: "Not paid (left out)" }, number(counts.unpaid))}
${fact({ th: "ใช้ไม่ได้", en: "Refused" }, number(counts.faulty))}
</dl>`;
}

/** The rows at fault with what is wrong with each; null when there are none. */
export function faultList(faults: readonly RowFault[], faulty: number): Html | null {
  if (faults.length === 0) return null;
  const more = faulty - faults.length;
  return html`<h3>${bilingual({ th: "แถวที่ใช้ไม่ได้", en: "Rows that are refused" })}</h3>
<ul>${faults.map(({ place, fault }) => html`<li><strong>${bilingual(rowPlace(place))}</strong>: <bdi>${bilingual(rowFault(fault))}</bdi></li>`)}</ul>
${more > 0 && html`<p class="note">${bilingual({ th: `และอีก ${formatNumber(more)} แถว`, en: `And ${formatNumber(more)} more.` })}</p>`}`;
}
