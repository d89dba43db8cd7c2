// Renders how far an import is, and what became of its rows.

import type { ImportProgress, ImportSummary } from "../../donations/import/import-store.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths } from "../paths.ts";
import { countsList, faultList } from "./import-counts.ts";
import { fileFault } from "./import-faults.ts";
import { undoLink } from "./import-undo-page.ts";

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
