// Renders the page that asks whether an import is to be undone.

import { postForm } from "../../ui/form.ts";
import { html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { fact, when } from "../components/facts.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";
import type { ImportSummary } from "./imports-deps.ts";

export function importUndoPage(page: PageContext & Readonly<{ found: ImportSummary }>): string {
  const { site, account, found } = page;
  const { id, name, donations, startedAt } = found;
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
</dl>
<p>${bilingual({
      th: "โดเนททั้งหมดของการนำเข้านี้จะเป็นโมฆะ ยังอยู่ในประวัติ แต่ไม่นับในยอดใดอีก และนำเข้าไฟล์เดิมซ้ำไม่ได้ผล",
      en: "Every donation of this import becomes void: it stays in the history and counts nowhere. This can't be undone, and importing the same file again records nothing.",
    })}</p>
${postForm({ action: site.path(paths.undoImport), formToken: account.formToken, content })}
</section>`,
  });
}
