// The overlay key, and the addresses that carry it.

import type { PageHandler } from "../ui/serve-pages.ts";
import { backTo, noticeOf } from "./notices.ts";
import { nameOf, overlayPage } from "./pages/overlay.ts";
import { paths } from "./paths.ts";
import type { StudioParts } from "./studio-deps.ts";

/** GET /studio/overlay */
export const showOverlay = ({ accounts, overlayKeys }: StudioParts): PageHandler =>
  accounts.page(paths.overlay, async ({ account, query }) => {
    const madeAt = await overlayKeys.madeAt(account.streamer.id);
    const html = overlayPage({ site: accounts.site, account, notice: noticeOf(query), key: null, madeAt });
    return { status: 200, html, scripted: true };
  });

/**
 * POST /studio/overlay: the key stands in the answer to this form, and nowhere else ever. The form names the key that it replaces,
 * so that a reload, which sends it again, does not end the key that was copied a moment ago.
 */
export const replaceOverlayKey = ({ accounts, overlayKeys }: StudioParts): PageHandler =>
  accounts.form(paths.overlay, async ({ account, form }) => {
    const live = await overlayKeys.madeAt(account.streamer.id);
    if (form.get("replaces") !== nameOf(live)) return backTo(accounts.site, paths.overlay, "made-already");
    const key = await overlayKeys.replace(account.streamer.id);
    const madeAt = await overlayKeys.madeAt(account.streamer.id);
    return { status: 200, html: overlayPage({ site: accounts.site, account, key, madeAt }), scripted: true };
  });
