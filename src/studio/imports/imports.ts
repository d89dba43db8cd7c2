// The pages that bring donations along from a file: upload, check with columns, progress, and undoing an import.

import { type FileMember, fileMembers } from "../../donations/import/files/columns.ts";
import type { FileChoices } from "../../donations/import/files/table.ts";
import type { Upload } from "../../donations/import/files/uploads.ts";
import { Problem } from "../../http/problem.ts";
import { currentReader } from "../../ui/reader.ts";
import { type GuardedHandler, type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import { readTimeZone } from "../components/fields.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { choiceLabels, tableOf } from "./import-choices.ts";
import { importReviewPage } from "./import-review-page.ts";
import { importResultPage, importsPage, importUndoPage } from "./imports-page.ts";

const refreshSeconds = 2;

/** GET /studio/import */
export const showImports = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.imports, async ({ account, query }) => {
    const found = await deps.imports.list(account.streamer.id);
    const html = importsPage({ site: deps.accounts.site, account, notice: noticeOf(query), found });
    return { status: 200, html, scripted: true };
  });

/** POST /studio/import/check: shows what the file has and what an import would do. Records nothing. */
export const checkImport = (deps: StudioDeps): GuardedHandler =>
  deps.accounts.form(paths.imports, ({ account, form }) =>
    withUpload(deps, form, async (upload) => {
      const checked = await deps.imports.check(account.streamer.id, upload);
      const html = importReviewPage({ site: deps.accounts.site, account, upload, checked });
      return { status: checked.unreadable === null ? 200 : 400, html, scripted: true };
    }),
  );

/** POST /studio/import/start */
export const startImport = (deps: StudioDeps): GuardedHandler =>
  deps.accounts.form(paths.imports, ({ account, form }) =>
    withUpload(deps, form, async (upload) => {
      const id = await deps.imports.start(account.streamer.id, upload);
      return seeOther(deps.accounts.site.path(`${paths.importResult}?id=${id}`));
    }),
  );

/** GET /studio/import/result: the progress, loaded again until the import has ended. */
export const showImportResult = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.imports, async ({ account, query }) => {
    const { accounts, imports } = deps;
    const id = query.get("id") ?? "";
    const [progress, found] = await Promise.all([imports.findProgress(account.streamer.id, id), imports.find(account.streamer.id, id)]);
    if (!progress || !found) return backTo(accounts.site, paths.imports, "no-import");
    const html = importResultPage({ site: accounts.site, account, found, progress });
    return { status: 200, html, scripted: true, ...(progress.state === "running" && { refresh: refreshSeconds }) };
  });

/** GET /studio/import/undo: asks for a confirmation. An undo that was interrupted can be repeated. */
export const showUndoImport = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.imports, async ({ account, query }) => {
    const { accounts, imports } = deps;
    const found = await imports.find(account.streamer.id, query.get("id") ?? "");
    if (!found) return backTo(accounts.site, paths.imports, "no-import");
    return { status: 200, html: importUndoPage({ site: accounts.site, account, found }), scripted: true };
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
  act: (upload: Required<Upload>) => Promise<PageReply>,
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
const maxColumns = 200;

/** The file of the form, with what was chosen; the time zone is the reader's before a choice. Else why there is none. */
function readUpload(form: URLSearchParams): Required<Upload> | "no-file" | "large-file" {
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
