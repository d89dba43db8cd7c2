// Renders the page that asks whether an import is to be undone, and the link that leads there.

import type { ImportSummary } from "../../donations/import/import-store.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { fact, when } from "../components/facts.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";

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
export function undoLink({ site }: Pick<PageContext, "site">, { id, undoneAt }: ImportSummary): Html {
  const words =
    undoneAt === null
      ? { th: "ย้อนกลับการนำเข้านี้", en: "Undo this import" }
      : { th: "ย้อนกลับซ้ำ ถ้ายังมีโดเนทเหลือ", en: "Repeat the undo, if donations are left" };
  return html`<p><a href="${site.path(`${paths.undoImport}?id=${id}`)}">${bilingual(words)}</a></p>`;
}
