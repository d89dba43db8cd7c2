// What the pages of imports look like: the upload, the outcome, and the question before an undo.

import type { Counts } from "../../donations/import/files/import-file.ts";
import type { ImportProgress, ImportSummary, RowFault } from "../../donations/import/import-store.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { fact, type PageContext, studioPage, when } from "../components/frame.ts";
import { paths } from "../paths.ts";
import { fileFault, rowFault, rowPlace } from "./import-faults.ts";

type ImportsPage = PageContext & Readonly<{ found: readonly ImportSummary[] }>;

export function importsPage(page: ImportsPage): string {
  const { site, account, found } = page;
  return studioPage({
    ...page,
    here: paths.imports,
    title: { th: "นำเข้าโดเนท", en: "Import donations" },
    content: html`<section class="card" aria-labelledby="new">
<h2 id="new">${bilingual({ th: "เลือกไฟล์", en: "Choose a file" })}</h2>
<p class="note">${bilingual({
      th: "ไฟล์ CSV, XLSX หรือ NDJSON จากบริการอื่นหรือจากที่นี่ ไม่เกิน 2 MiB และ 20,000 แถว ขั้นต่อไปให้ตรวจก่อน ยังไม่บันทึกอะไร และเลือกเขตเวลาของไฟล์ได้",
      en: "CSV, XLSX or NDJSON, from another service or from here, up to 2 MiB and 20,000 rows. The next step checks the file, where you choose the time zone of its times, and records nothing.",
    })}</p>
${postForm({ action: site.path(paths.checkImport), formToken: account.formToken, content: fileField, multipart: true })}
</section>
<section class="card" aria-labelledby="all">
<h2 id="all">${bilingual({ th: "ที่นำเข้าแล้ว", en: "Imports" })}</h2>
${found.length === 0 ? none : html`<ul class="cards">${found.map((one) => card(page, one))}</ul>`}
</section>`,
  });
}

const fileField = html`<div class="field">
<label for="field-file">${bilingual({ th: "ไฟล์", en: "File" })}</label>
<input type="file" id="field-file" name="file" accept=".csv,.tsv,.txt,.xlsx,.ndjson,.jsonl" required>
</div>
<button class="main">${bilingual({ th: "ตรวจไฟล์", en: "Check the file" })}</button>`;

const none = html`<p class="note">${bilingual({ th: "ยังไม่เคยนำเข้า", en: "Nothing has been imported." })}</p>`;

function card(page: ImportsPage, one: ImportSummary): Html {
  const { name, startedAt, undoneAt, donations } = one;
  return html`<li>
<h3>${name === null ? bilingual({ th: "ผ่าน API", en: "Through the API" }) : isolated(name)}</h3>
<dl>
${fact({ th: "โดเนท", en: "Donations" }, html`${donations.toLocaleString("en")}`)}
${when({ th: "นำเข้าเมื่อ", en: "Imported" }, new Date(startedAt))}
${when({ th: "ย้อนกลับเมื่อ", en: "Undone" }, undoneAt === null ? null : new Date(undoneAt))}
</dl>
${undoLink(page, one)}
</li>`;
}

type ResultPage = PageContext & Readonly<{ found: ImportSummary; progress: ImportProgress }>;

const states: Readonly<Record<ImportProgress["state"], Bilingual>> = {
  running: {
    th: "กำลังนำเข้า หน้านี้จะอัปเดตเอง ปิดหน้านี้ได้",
    en: "The import is under way. This page is loaded again by itself; you may leave it.",
  },
  done: { th: "นำเข้าเสร็จแล้ว", en: "The import is complete." },
  stopped: {
    th: "การนำเข้าหยุดก่อนจบ ที่บันทึกแล้วยังอยู่ นำเข้าไฟล์เดิมอีกครั้งได้ ไม่มีรายการซ้ำ",
    en: "The import stopped early. What was recorded stays; import the same file again, and nothing is recorded twice.",
  },
};

export function importResultPage(page: ResultPage): string {
  const { site, found, progress } = page;
  const { state, counts, faults, failure } = progress;
  return studioPage({
    ...page,
    here: paths.imports,
    title: { th: "การนำเข้า", en: "Import" },
    content: html`<p data-here="${site.path(`${paths.importResult}?id=${found.id}`)}"><a href="${site.path(paths.imports)}">${bilingual({ th: "กลับไปหน้านำเข้า", en: "Back to imports" })}</a></p>
<section class="card" aria-labelledby="what">
<h2 id="what">${isolated(found.name ?? "")}</h2>
${stateLine(state, failure)}
${countsList(counts, { th: "บันทึกแล้ว", en: "Recorded" })}
${faultList(faults, counts.faulty)}
${state !== "running" && found.donations > 0 && undoLink(page, found)}
</section>`,
  });
}

function stateLine(state: ImportProgress["state"], failure: string | null): Html {
  const words = bilingual(states[state]);
  if (state === "running") return html`<p role="status">${words}</p>`;
  if (state === "done") return html`<p class="right" role="status">${words}</p>`;
  return html`<div class="wrong" role="alert"><p>${words}</p>${failure !== null && html`<p>${bilingual(fileFault(failure))}</p>`}</div>`;
}

export function importUndoPage(page: PageContext & Readonly<{ found: ImportSummary }>): string {
  const { site, account, found } = page;
  const { id, name, donations, startedAt, undoneAt } = found;
  const content = html`<input type="hidden" name="import" value="${id}">
<button class="main">${bilingual({ th: "ทำให้ทั้งหมดเป็นโมฆะ", en: "Void all of them" })}</button>`;
  return studioPage({
    ...page,
    here: paths.imports,
    title: { th: "ย้อนกลับการนำเข้า", en: "Undo an import" },
    content: html`<p data-here="${site.path(`${paths.undoImport}?id=${id}`)}"><a href="${site.path(paths.imports)}">${bilingual({ th: "กลับไปหน้านำเข้า", en: "Back to imports" })}</a></p>
<section class="card" aria-labelledby="which">
<h2 id="which">${name === null ? bilingual({ th: "ผ่าน API", en: "Through the API" }) : isolated(name)}</h2>
<dl>
${fact({ th: "โดเนท", en: "Donations" }, html`${donations.toLocaleString("en")}`)}
${when({ th: "นำเข้าเมื่อ", en: "Imported" }, new Date(startedAt))}
${when({ th: "ย้อนกลับเมื่อ", en: "Undone" }, undoneAt === null ? null : new Date(undoneAt))}
</dl>
${undoneAt !== null && interrupted}
<p>${bilingual({
      th: "โดเนททั้งหมดของการนำเข้านี้จะเป็นโมฆะ ยังอยู่ในประวัติ แต่ไม่นับในยอดใดอีก หลังจากนั้นนำเข้าไฟล์เดิมที่แก้แล้วได้",
      en: "Every donation of this import becomes void: it stays in the history and counts nowhere. This can't be undone. The same file can be imported again afterwards.",
    })}</p>
${postForm({ action: site.path(paths.undoImport), formToken: account.formToken, content })}
</section>`,
  });
}

const interrupted = html`<p>${bilingual({
  th: "การนำเข้านี้ถูกย้อนกลับแล้ว ถ้าครั้งนั้นหยุดก่อนจบ โดเนทบางรายการอาจยังนับอยู่ ทำซ้ำได้",
  en: "This import was undone. If that was interrupted, some of its donations may still count: repeat it.",
})}</p>`;

/** An import that is undone keeps the link: only repeating an undo tells whether it had come to its end. */
function undoLink({ site }: Pick<PageContext, "site">, { id, undoneAt }: ImportSummary): Html {
  const words =
    undoneAt === null
      ? { th: "ย้อนกลับการนำเข้านี้", en: "Undo this import" }
      : { th: "ย้อนกลับซ้ำ ถ้ายังมีโดเนทเหลือ", en: "Repeat the undo, if donations are left" };
  return html`<p><a href="${site.path(`${paths.undoImport}?id=${id}`)}">${bilingual(words)}</a></p>`;
}

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
