// What becomes of the rows of a file: counts, and the rows at fault.

import type { Counts } from "../../donations/import/files/import-file.ts";
import type { RowFault } from "../../donations/import/import-store.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { fact } from "../components/facts.ts";
import { rowFault, rowPlace } from "./import-faults.ts";

/** `recorded`: the name of the count of those that are, or would be, recorded. */
export function countsList(counts: Counts, recorded: Bilingual): Html {
  const number = (value: number) => html`${value.toLocaleString("en")}`;
  return html`<dl>
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
${more > 0 && html`<p class="note">${bilingual({ th: `และอีก ${more.toLocaleString("en")} แถว`, en: `And ${more.toLocaleString("en")} more.` })}</p>`}`;
}
