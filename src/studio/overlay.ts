// The page of OBS links, with which streamers create and replace their overlay key.

import type { PageHandler } from "../ui/serve-pages.ts";
import { backTo, noticeOf } from "./notices.ts";
import { keyNameOf, overlayPage } from "./pages/overlay.ts";
import { paths } from "./paths.ts";
import type { StudioDeps } from "./studio-deps.ts";

/** GET /studio/overlay */
export const showOverlay = ({ accounts, overlayKeys }: StudioDeps): PageHandler =>
  accounts.page(paths.overlay, async ({ account, query }) => {
    const createdAt = await overlayKeys.findCreatedAt(account.streamer.id);
    const html = overlayPage({ site: accounts.site, account, notice: noticeOf(query), key: null, createdAt });
    return { status: 200, html, scripted: true };
  });

/**
 * POST /studio/overlay: shows the new links in the response to this form, and never again. The form names the key that it replaces, so
 * that a reload, which sends the form again, does not replace the key that was copied a moment ago.
 */
export const replaceOverlayKey = ({ accounts, overlayKeys }: StudioDeps): PageHandler =>
  accounts.form(paths.overlay, async ({ account, form }) => {
    const live = await overlayKeys.findCreatedAt(account.streamer.id);
    if (form.get("replaces") !== keyNameOf(live)) return backTo(accounts.site, paths.overlay, "made-already");
    const key = await overlayKeys.replace(account.streamer.id);
    const createdAt = await overlayKeys.findCreatedAt(account.streamer.id);
    return { status: 200, html: overlayPage({ site: accounts.site, account, key, createdAt }), scripted: true };
  });
