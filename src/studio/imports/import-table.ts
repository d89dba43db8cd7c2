// The first rows of an uploaded file as a table: as they would be recorded, and as the file has them, with a choice above each column.

import { fileMembers } from "../../donations/import/files/columns.ts";
import type { PreviewRow } from "../../donations/import/files/preview.ts";
import type { CheckedUpload } from "../../donations/import/files/uploads.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { writeFor } from "../../ui/reader.ts";
import { formatDateTime } from "../../ui/times.ts";
import { formatAmount } from "../components/labels.ts";
import { openQuestions, type Reviewed } from "./import-choices.ts";
import { rowFault, rowPlace } from "./import-faults.ts";
import { importMemberLabels } from "./import-members.ts";

type Preview = NonNullable<CheckedUpload["preview"]>;

const recorded = ["donatorName", "amount", "createdAt", "message"] as const;

/** It scrolls in a region of its own, which a keyboard reaches, so that the page stays as wide as a phone. */
export function previewTable(reviewed: Reviewed, preview: Preview): Html {
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
  const option = (value: string, label: Bilingual, isChosen: boolean) =>
    html`<option value="${value}"${isChosen && html` selected`}>${bilingual(label)}</option>`;
  return html`<th class="file" scope="col">
<label for="${id}">${title === "" ? bilingual({ th: `คอลัมน์ ${place + 1}`, en: `Column ${place + 1}` }) : isolated(title)}</label>
<select id="${id}" name="column ${place}">
${option("", unused, member === null)}
${fileMembers.map((one) => option(one, importMemberLabels[one], one === member))}
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
