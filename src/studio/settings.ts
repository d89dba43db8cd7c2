// The settings page, with which streamers change how their alerts behave.

import type { PageHandler } from "../ui/serve-pages.ts";
import { faultsByField } from "./faults.ts";
import { backTo, noticeOf } from "./notices.ts";
import { settingsPage } from "./pages/settings.ts";
import { paths } from "./paths.ts";
import { readSettingsForm, toSettingsForm } from "./settings-form.ts";
import type { StudioDeps } from "./studio-deps.ts";

/** GET /studio/settings */
export const showSettings = ({ accounts, alerts, bounds, now }: StudioDeps): PageHandler =>
  accounts.page(paths.settings, async ({ account, query }) => {
    const typed = toSettingsForm(await alerts.settings(account.streamer.id), now());
    const html = settingsPage({ site: accounts.site, account, notice: noticeOf(query), typed, faults: {}, bounds });
    return { status: 200, html, scripted: true };
  });

/** POST /studio/settings */
export const changeSettings = ({ accounts, alerts, bounds }: StudioDeps): PageHandler =>
  accounts.form(paths.settings, async ({ account, form }) => {
    const { typed, settings } = readSettingsForm(form);
    const faults = await faultsByField(() => alerts.change(account.streamer.id, settings));
    if (!faults) return backTo(accounts.site, paths.settings, "saved");
    return { status: 400, html: settingsPage({ site: accounts.site, account, typed, faults, bounds }), scripted: true };
  });
