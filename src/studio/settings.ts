// How the streamer's alerts behave.

import type { PageHandler } from "../ui/serve-pages.ts";
import { faultsByField } from "./faults.ts";
import { backTo, noticeOf } from "./notices.ts";
import { settingsPage } from "./pages/settings.ts";
import { paths } from "./paths.ts";
import { readSettings, shownSettings } from "./settings-form.ts";
import type { StudioParts } from "./studio-deps.ts";

/** GET /studio/settings */
export const showSettings = ({ accounts, alerts, bounds, now }: StudioParts): PageHandler =>
  accounts.page(paths.settings, async ({ account, query }) => {
    const typed = shownSettings(await alerts.settings(account.streamer.id), now());
    const html = settingsPage({ site: accounts.site, account, notice: noticeOf(query), typed, faults: {}, bounds });
    return { status: 200, html, scripted: true };
  });

/** POST /studio/settings */
export const changeSettings = ({ accounts, alerts, bounds }: StudioParts): PageHandler =>
  accounts.form(paths.settings, async ({ account, form }) => {
    const { typed, settings } = readSettings(form);
    const faults = await faultsByField(() => alerts.change(account.streamer.id, settings));
    if (!faults) return backTo(accounts.site, paths.settings, "saved");
    return { status: 400, html: settingsPage({ site: accounts.site, account, typed, faults, bounds }), scripted: true };
  });
