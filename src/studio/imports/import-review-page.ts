// Renders how an uploaded file is read, each guess as a choice, its first rows, and what its import would do.

import type { CheckedUpload } from "../../donations/import/files/uploads.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";
import { hasTimes, openQuestions, questionFields, type Reviewed, readingFields } from "./import-choices.ts";
import { countsList, faultList } from "./import-counts.ts";
import { fileFault, rowPlace } from "./import-faults.ts";
import { tableOf } from "./import-form.ts";
import { previewTable } from "./import-table.ts";

type ReviewPage = PageContext & Reviewed;

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
${postForm({ ...form, content: fields(page) })}
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
  const count = recorded.toLocaleString("en");
  return { th: `นำเข้า ${count} โดเนท`, en: recorded === 1 ? "Import 1 donation" : `Import ${count} donations` };
}

function wrongs(checked: CheckedUpload): Html {
  const { preview, counts, unreadable } = checked;
  if (unreadable !== null)
    return wrong(html`${bilingual({ th: "อ่านไฟล์นี้ไม่ได้", en: "The file can't be read:" })} ${bilingual(fileFault(unreadable))}`);
  if (counts === null) return openQuestions(checked).length > 0 ? html`` : wrong(bilingual(chooseColumns));
  return html`${preview && !hasTimes(preview) && wrong(bilingual(noTimes))}${counts.ahead > 0 && wrong(bilingual(aheadWords(checked.ahead, counts.ahead)))}`;
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
    th: `ลงวันที่ล่วงหน้าเกินหนึ่งวัน ${count.toLocaleString("en")} แถว (${th}) ลำดับวันและเดือนถูกต้องหรือไม่`,
    en: `${count === 1 ? "1 row is" : `${count.toLocaleString("en")} rows are`} dated more than a day ahead (${en}). Is the order of day and month right?`,
  };
}
