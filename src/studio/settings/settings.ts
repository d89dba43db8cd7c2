// The settings page, with which streamers change how their alerts behave.

import type { PageHandler } from "../../ui/serve-pages.ts";
import { readAlertSettings } from "../alerts/alert-settings.ts";
import { faultsByField } from "../components/field-faults.ts";
import { readVoices, voiceFaults } from "../components/voice-field.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { findContradictions } from "./settings-faults.ts";
import { readSettingsForm, toSettingsForm } from "./settings-form.ts";
import { changedSettings, mergeSettings, noteOf } from "./settings-merge.ts";
import { settingsPage } from "./settings-page.ts";

/** GET /studio/settings */
export const showSettings = ({ accounts, client, bounds, now, speech }: StudioDeps): PageHandler =>
  accounts.page(paths.settings, async ({ account, query }) => {
    const [settings, voices] = await Promise.all([readAlertSettings(client, account.streamer.id), readVoices(speech)]);
    const typed = toSettingsForm(settings, now());
    const shown = { typed, note: noteOf(typed), faults: {}, bounds, voices };
    const html = settingsPage({ site: accounts.site, account, notice: noticeOf(query), ...shown });
    return { status: 200, html, scripted: true, audio: true };
  });

/** POST /studio/settings: changes what was changed in the form, so that what was saved in another tab meanwhile stays. */
export const changeSettings = ({ accounts, client, bounds, now, speech }: StudioDeps): PageHandler =>
  accounts.form(paths.settings, async ({ account, form }) => {
    const { id } = account.streamer;
    const current = toSettingsForm(await readAlertSettings(client, id), now());
    const typed = mergeSettings(readSettingsForm(form), new URLSearchParams(form.get("shown") ?? ""), current);
    const changes = changedSettings(typed, current);
    const voices = await readVoices(speech);
    const faults = await faultsByField(async () => {
      const voice = voiceFaults("/voice", { typed: typed.voice, saved: current.voice, voices });
      client.check("updateAlertSettings", { body: changes, faults: [...voice, ...findContradictions(typed, bounds)] });
      if (Object.keys(changes).length > 0) await client.call(id, "updateAlertSettings", { body: changes });
    });
    if (!faults) return backTo(accounts.site, paths.settings, "saved");
    const html = settingsPage({ site: accounts.site, account, typed, note: noteOf(current), faults, bounds, voices });
    return { status: 400, html, scripted: true, audio: true };
  });
