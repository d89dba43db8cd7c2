// Uploads an image or a sound from the page of a variation, which has it from then on, while whatever else was typed stays.

import type { GuardedHandler } from "../../ui/serve-pages.ts";
import { type Notice, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { readShown, showForm } from "./variation.ts";

/** POST /studio/designer/attach: saves the file, and nothing of the variation. */
export const attachFile = (deps: StudioDeps): GuardedHandler =>
  deps.accounts.form(paths.designer, async ({ account, form }) => {
    const { alertFiles } = deps;
    const { id } = account.streamer;
    const shown = { account, ...readShown(form) };
    const refuse = async (note: string) => ({ ...(await showForm(deps, { ...shown, notice: named(note) })), status: 400 });
    const name = form.get("file name") ?? "";
    if (name === "") return refuse("no-file");
    const added = await alertFiles.add(id, { name, bytes: Buffer.from(form.get("file") ?? "", "base64") });
    if ("refused" in added) return refuse(`file-${added.refused}`);
    const typed = { ...shown.typed, [added.kind]: added.id };
    return showForm(deps, { ...shown, typed, notice: named("file-attached") });
  });

function named(note: string): Notice | null {
  return noticeOf(new URLSearchParams({ note }));
}
