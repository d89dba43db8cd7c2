// The pages that bring donations along from a file: upload, check with columns, progress, and undoing an import.

import { type FileMember, fileMembers, maxColumns } from "../../donations/import/files/columns.ts";
import type { FileChoices } from "../../donations/import/files/table.ts";
import type { Upload } from "../../donations/import/files/uploads.ts";
import type { ImportProgress, ImportSummary } from "../../donations/import/import-store.ts";
import { Problem } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { aboutText, section } from "../../ui/section.ts";
import { type GuardedHandler, type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import { formatNumber } from "../components/donation.ts";
import { readTimeZone } from "../components/fields.ts";
import { backLink, emptyState, fact, type PageContext, pageForm, studioPage, time, when } from "../components/frame.ts";
import { backTo, noticeOf } from "../notices.ts";
import { addressOf, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { choiceLabels, tableOf } from "./import-choices.ts";
import { fileFault } from "./import-faults.ts";
import { countsList, faultList, importReviewPage } from "./import-review-page.ts";

const refreshSeconds = 2;

/** GET /studio/import */
export const showImports = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.imports, async ({ account, query }) => {
    const found = await deps.imports.list(account.streamer.id);
    return importsPage({ site: deps.accounts.site, account, notice: noticeOf(query), found });
  });

/** POST /studio/import/check: shows what the file has and what an import would do. Records nothing. */
export const checkImport = (deps: StudioDeps): GuardedHandler =>
  deps.accounts.form(paths.imports, ({ account, form }) =>
    withUpload(deps, form, async (upload) => {
      const checked = await deps.imports.check(account.streamer.id, upload);
      const status = checked.unreadable === null ? 200 : 400;
      return importReviewPage({ site: deps.accounts.site, account, status, upload, checked });
    }),
  );

/** POST /studio/import/start */
export const startImport = (deps: StudioDeps): GuardedHandler =>
  deps.accounts.form(paths.imports, ({ account, form }) =>
    withUpload(deps, form, async (upload) => {
      const id = await deps.imports.start(account.streamer.id, upload);
      return seeOther(deps.accounts.site.path(addressOf(paths.importResult, { id })));
    }),
  );

/** GET /studio/import/result: the progress, loaded again until the import has ended. */
export const showImportResult = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.imports, async ({ account, query }) => {
    const { accounts, imports } = deps;
    const id = query.get("id") ?? "";
    const [progress, found] = await Promise.all([imports.findProgress(account.streamer.id, id), imports.find(account.streamer.id, id)]);
    if (!progress || !found) return backTo(accounts.site, paths.imports, "no-import");
    const page = importResultPage({ site: accounts.site, account, found, progress });
    return { ...page, ...(progress.state === "running" && { refresh: refreshSeconds }) };
  });

/** GET /studio/import/undo: asks for a confirmation. An undo that was interrupted can be repeated. */
export const showUndoImport = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.imports, async ({ account, query }) => {
    const { accounts, imports } = deps;
    const found = await imports.find(account.streamer.id, query.get("id") ?? "");
    if (!found) return backTo(accounts.site, paths.imports, "no-import");
    return importUndoPage({ site: accounts.site, account, found });
  });

/** POST /studio/import/undo */
export const undoImport = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.imports, async ({ account, form }) => {
    const voided = await deps.imports.undo(account.streamer.id, form.get("import") ?? "");
    return backTo(deps.accounts.site, paths.imports, voided === null ? "no-import" : "undone");
  });

/** Runs `act` with the form's file. Leads back to the first page without one, and while other files are read. */
async function withUpload(
  { accounts: { site } }: StudioDeps,
  form: URLSearchParams,
  act: (upload: Upload) => Promise<PageReply>,
): Promise<PageReply> {
  const upload = readUpload(form);
  if (typeof upload === "string") return backTo(site, paths.imports, upload);
  try {
    return await act(upload);
  } catch (error) {
    if (error instanceof Problem && error.code === "rate_limited") return backTo(site, paths.imports, "reading-already");
    throw error;
  }
}

/** Of a file; the bound of the form's body leaves room for its base64. A longer list is for the API and the command line. */
export const maxFileBytes = 2 * 1_048_576;

const maxNameLetters = 200;

/** The file of the form, with what was chosen; the time zone is the reader's before a choice. Else why there is none. */
function readUpload(form: URLSearchParams): Upload | "no-file" | "large-file" {
  const name = (form.get("file name") ?? "").slice(-maxNameLetters).toWellFormed(); // the end has the kind of file
  const bytes = Buffer.from(form.get("file") ?? "", "base64");
  if (name === "") return "no-file";
  if (bytes.length > maxFileBytes) return "large-file";
  const timezone = readTimeZone(form) ?? currentReader().timeZone;
  const choices = readChoices(form);
  if (form.has("shown table") && form.get("shown table") !== tableOf(choices))
    return { name, bytes, places: null, timezone, choices: { ...choices, dateOrder: null, decimal: null } };
  return { name, bytes, places: form.has("column 0") ? readPlaces(form) : null, timezone, choices };
}

function readChoices(form: URLSearchParams): FileChoices {
  const pick = <Value extends string>(name: string, labels: Readonly<Record<Value, unknown>>) =>
    (Object.keys(labels) as Value[]).find((value) => value === form.get(name)) ?? null;
  return {
    encoding: pick("encoding", choiceLabels.encoding),
    separator: pick("separator", choiceLabels.separator),
    sheet: form.get("sheet")?.slice(0, maxNameLetters).toWellFormed() || null,
    dateOrder: pick("dateOrder", choiceLabels.dateOrder),
    decimal: pick("decimal", choiceLabels.decimal),
    withUnpaid: form.has("withUnpaid"),
  };
}

/** Of two columns for the same member the first counts. */
function readPlaces(form: URLSearchParams): NonNullable<Upload["places"]> {
  const places: Partial<Record<FileMember, number>> = {};
  for (let place = 0; place < maxColumns && form.has(`column ${place}`); place += 1) {
    const member = fileMembers.find((one) => one === form.get(`column ${place}`));
    if (member) places[member] ??= place;
  }
  return places;
}

type ImportsPage = PageContext & Readonly<{ found: readonly ImportSummary[] }>;

function importsPage(page: ImportsPage): PageReply {
  const { found } = page;
  return studioPage({
    ...page,
    here: paths.imports,
    title: { th: "นำเข้าโดเนท", en: "Import donations" },
    content: html`${section("new", {
      title: { th: "เลือกไฟล์", en: "Choose a file" },
      about: aboutText({
        th: "ไฟล์ CSV, XLSX หรือ NDJSON จากบริการอื่นหรือจากที่นี่ ไม่เกิน 2 MiB และ 20,000 แถว ขั้นต่อไปให้ตรวจก่อน ยังไม่บันทึกอะไร และเลือกเขตเวลาของไฟล์ได้",
        en: "CSV, XLSX or NDJSON, from another service or from here, up to 2 MiB and 20,000 rows. The next step checks the file, where you choose the time zone of its times, and records nothing.",
      }),
      content: pageForm(page, paths.checkImport, { content: fileField, multipart: true }),
    })}
${section("all", {
  title: { th: "ที่นำเข้าแล้ว", en: "Imports" },
  content: found.length === 0 ? none : html`<ul class="entries">${found.map((one) => card(page, one))}</ul>`,
})}`,
  });
}

const fileField = html`<div class="field">
<label for="field-file">${bilingual({ th: "ไฟล์", en: "File" })}</label>
<input type="file" id="field-file" name="file" accept=".csv,.tsv,.txt,.xlsx,.ndjson,.jsonl" required>
</div>
<button class="main">${bilingual({ th: "ตรวจไฟล์", en: "Check the file" })}</button>`;

const none = emptyState(
  "upload",
  { th: "ยังไม่เคยนำเข้า", en: "Nothing has been imported." },
  bilingual({
    th: "เลือกไฟล์โดเนทเดิมของคุณ ดูก่อนได้ และย้อนกลับได้ทั้งหมด",
    en: "Choose a file with your earlier donations. You see it before it counts, and can undo it as a whole.",
  }),
);

function card(page: ImportsPage, one: ImportSummary): Html {
  const { name, startedAt, undoneAt, donations } = one;
  return html`<li><div class="entry">
<p><strong>${importName(name)}</strong></p>
<p class="marks">${time(new Date(startedAt))}${undoneAt !== null && html`<span class="label">${bilingual({ th: "ย้อนกลับเมื่อ", en: "Undone" })} ${time(new Date(undoneAt))}</span>`}</p>
</div>
<span class="figure"><strong>${formatNumber(donations)}</strong> ${bilingual({ th: "โดเนท", en: donations === 1 ? "donation" : "donations" })}</span>
${undoLink(page, one)}</li>`;
}

function importName(file: string | null): Html {
  return file === null ? bilingual({ th: "ผ่าน API", en: "Through the API" }) : isolated(file);
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

function importResultPage(page: ResultPage): PageReply {
  const { site, found, progress } = page;
  const { state, counts, faults, failure } = progress;
  return studioPage({
    ...page,
    here: paths.imports,
    title: { th: "การนำเข้า", en: "Import" },
    content: html`${backLink(site, { here: addressOf(paths.importResult, { id: found.id }), to: paths.imports, words: { th: "กลับไปหน้านำเข้า", en: "Back to imports" } })}
<section class="card" aria-labelledby="what">
<h2 id="what">${importName(found.name)}</h2>
${stateLine(state, failure)}
${countsList(counts, { th: "บันทึกแล้ว", en: "Recorded" })}
${faultList(faults, counts.faulty)}
${state !== "running" && found.donations > 0 && html`<p class="buttons">${undoLink(page, found)}</p>`}
</section>`,
  });
}

function stateLine(state: ImportProgress["state"], failure: string | null): Html {
  const words = bilingual(states[state]);
  if (state === "running") return html`<p role="status">${words}</p>`;
  if (state === "done") return html`<p class="right" role="status">${words}</p>`;
  return html`<div class="wrong" role="alert"><p>${words}</p>${failure !== null && html`<p>${bilingual(fileFault(failure))}</p>`}</div>`;
}

function importUndoPage(page: PageContext & Readonly<{ found: ImportSummary }>): PageReply {
  const { site, found } = page;
  const { id, name, donations, startedAt, undoneAt } = found;
  const count = formatNumber(donations);
  const content = html`<input type="hidden" name="import" value="${id}">
<button class="main danger">${bilingual({ th: `ทำให้ ${count} โดเนทเป็นโมฆะ`, en: donations === 1 ? "Void 1 donation" : `Void ${count} donations` })}</button>`;
  return studioPage({
    ...page,
    here: paths.imports,
    title: { th: "ย้อนกลับการนำเข้า", en: "Undo an import" },
    content: html`${backLink(site, { here: addressOf(paths.undoImport, { id }), to: paths.imports, words: { th: "กลับไปหน้านำเข้า", en: "Back to imports" } })}
<section class="card" aria-labelledby="which">
<h2 id="which">${importName(name)}</h2>
<dl class="facts">
${fact({ th: "โดเนท", en: "Donations" }, count)}
${when({ th: "นำเข้าเมื่อ", en: "Imported" }, new Date(startedAt))}
${when({ th: "ย้อนกลับเมื่อ", en: "Undone" }, undoneAt === null ? null : new Date(undoneAt))}
</dl>
${undoneAt !== null && interrupted}
<p>${bilingual({
      th: "โดเนททั้งหมดของการนำเข้านี้จะเป็นโมฆะ ยังอยู่ในประวัติ แต่ไม่นับในยอดใดอีก หลังจากนั้นนำเข้าไฟล์เดิมที่แก้แล้วได้",
      en: "Every donation of this import becomes void: it stays in the history and counts nowhere. This can't be undone. The same file can be imported again afterwards.",
    })}</p>
${pageForm(page, paths.undoImport, { content })}
</section>`,
  });
}

const interrupted = html`<p>${bilingual({
  th: "การนำเข้านี้ถูกย้อนกลับแล้ว ถ้าครั้งนั้นหยุดก่อนจบ โดเนทบางรายการอาจยังนับอยู่ ทำซ้ำได้",
  en: "This import was undone. If that was interrupted, some of its donations may still count: repeat it.",
})}</p>`;

/** An import that is undone keeps the link: only repeating an undo tells whether it had come to its end. */
function undoLink({ site }: PageContext, { id, undoneAt }: ImportSummary): Html {
  const words =
    undoneAt === null
      ? { th: "ย้อนกลับการนำเข้านี้", en: "Undo this import" }
      : { th: "ย้อนกลับซ้ำ ถ้ายังมีโดเนทเหลือ", en: "Repeat the undo, if donations are left" };
  return html`<a${undoneAt === null && html` class="button small danger"`} href="${site.path(addressOf(paths.undoImport, { id }))}">${bilingual(words)}</a>`;
}
