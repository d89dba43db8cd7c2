// Renders the page of imports: the form that uploads a file, and what was imported.

import type { ImportSummary } from "../../donations/import/import-store.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { fact, when } from "../components/facts.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";
import { undoLink } from "./import-undo-page.ts";

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
