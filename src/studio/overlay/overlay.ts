// The page of OBS links, with which streamers create and revoke their overlay keys.

import { TooManyKeys } from "../../auth/keys.ts";
import { defaultOverlayKeyName, type KeyWidget, maxOverlayKeyName, type OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import type { Fault } from "../../http/problem.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import type { FieldFaults } from "../components/fields.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { overlayLinksPage } from "./overlay-links.ts";
import { newestOf, overlayPage } from "./overlay-page.ts";

/** GET /studio/overlay */
export const showOverlay = ({ accounts, overlayKeys }: StudioDeps): PageHandler =>
  accounts.page(paths.overlay, async ({ account, query }) => {
    const keys = await overlayKeys.list(account.streamer.id);
    const typed = keys.length === 0 ? defaultOverlayKeyName : "";
    const html = overlayPage({ site: accounts.site, account, notice: noticeOf(query), keys, typed, faults: {} });
    return { status: 200, html, scripted: true };
  });

/**
 * POST /studio/overlay: shows the links with a new key in the response to this form, and never again. The form names the newest key that
 * its page knew, so that a reload, which sends the form again, makes no other key.
 */
export const createOverlayKey = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.overlay, async ({ account, form }) => {
    const { accounts, overlayKeys } = deps;
    const keys = await overlayKeys.list(account.streamer.id);
    if (form.get("newest") !== newestOf(keys)) return backTo(accounts.site, paths.overlay, "made-already");
    const typed = (form.get("name") ?? "").trim();
    const made = await makeOverlayKey(deps, account, { typed, keys, widget: null });
    if ("faults" in made) {
      const html = overlayPage({ site: accounts.site, account, keys, typed, faults: made.faults });
      return { status: made.status, html, scripted: true };
    }
    return { status: 200, html: overlayLinksPage({ site: accounts.site, account, name: typed, key: made.key }), scripted: true };
  });

/** POST /studio/overlay/revoke */
export const revokeOverlayKey = ({ accounts, overlayKeys, catchUp }: StudioDeps): PageHandler =>
  accounts.form(paths.overlay, async ({ account, form }) => {
    const revoked = await overlayKeys.revoke(form.get("key") ?? "", account.streamer.id);
    await catchUp();
    return backTo(accounts.site, paths.overlay, revoked ? "revoked" : "no-key");
  });

/** The key, which is never shown again; or the faults of the field `name`, and the status of the page that shows them. */
type MadeKey = Readonly<{ key: string }> | Readonly<{ status: number; faults: FieldFaults }>;

/** `keys`: those that the streamer has. `widget`: that of the new key; null: none. */
type TypedKey = Readonly<{ typed: string; keys: readonly OverlayKeyEntry[]; widget: KeyWidget | null }>;

/** The faults of the field `name`. */
export function findKeyNameFaults({ typed, keys }: Pick<TypedKey, "typed" | "keys">): FieldFaults {
  const wrong = (code: Fault["code"], message: string): FieldFaults => ({ name: [{ code, message }] });
  if (typed === "") return wrong("required", "is required");
  if ([...typed].length > maxOverlayKeyName) return wrong("too_long", `must have at most ${maxOverlayKeyName} characters`);
  // Two keys of one name could not be told apart when one of them has to be revoked.
  return keys.some(({ name }) => name === typed) ? wrong("not_unique", "must not be the name of another key") : {};
}

export async function makeOverlayKey(
  { overlayKeys }: StudioDeps,
  { streamer }: Account,
  { typed, keys, widget }: TypedKey,
): Promise<MadeKey> {
  const faults = findKeyNameFaults({ typed, keys });
  if (Object.keys(faults).length > 0) return { status: 400, faults };
  try {
    return { key: await overlayKeys.create(streamer.id, typed, widget) };
  } catch (error) {
    if (!(error instanceof TooManyKeys)) throw error;
    return { status: 429, faults: { name: [{ code: "too_many_items", message: error.message }] } };
  }
}
