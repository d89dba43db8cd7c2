// The page of OBS links, with which streamers create and revoke their overlay keys.

import { defaultOverlayKeyName } from "../../auth/overlay-keys.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { makeOverlayKey } from "./make-overlay-key.ts";
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
