// The pages that bring donations along from a file: upload, check with columns, progress, and undoing an import.

import type { Upload } from "../../donations/import/files/uploads.ts";
import { Problem } from "../../http/problem.ts";
import { type GuardedHandler, type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { readUpload } from "./import-form.ts";
import { importResultPage } from "./import-result-page.ts";
import { importReviewPage } from "./import-review-page.ts";
import { importUndoPage } from "./import-undo-page.ts";
import { importsPage } from "./imports-page.ts";

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
