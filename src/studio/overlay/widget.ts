// The pages that set up a widget with a key of its own, and that change the settings of one.

import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Goal } from "../../alerts/settings/goals.ts";
import type { KeyWidget, OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import { type PageHandler, seeOther } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { backTo, noticeOf, notices } from "../notices.ts";
import { paths, widgetAddress, widgetSettingsAddress } from "../paths.ts";
import { readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { findKeyNameFaults, makeOverlayKey, newestOf } from "./overlay.ts";
import { findWidgetFaults, knownWidget, readWidgetForm, toKeyWidget, toWidgetForm, type WidgetForm } from "./widget-form.ts";
import { widgetLinkPage, widgetPage, widgetSettingsPage } from "./widget-page.ts";

/** GET /studio/overlay/widget: the settings stand in the address, and the name of the key while no key has it. */
export const showWidget = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.overlay, async ({ account, query }) => {
    const { accounts, overlayKeys } = deps;
    const form = readWidgetForm(query);
    const goals = await goalsFor(deps, account, form);
    const faults = findWidgetFaults(form);
    const keys = await overlayKeys.list(account.streamer.id);
    const name = query.get("name");
    const typed = keys.some((key) => key.name === name) ? null : name;
    const status = Object.keys(faults).length > 0 ? 400 : 200;
    return widgetPage({ site: accounts.site, account, status, form, faults, goals, keys, typed, nameFaults: {} });
  });

/**
 * POST /studio/overlay/widget: shows the link with a new key in the response to this form, and never again; the button `preview` shows the
 * preview instead.
 */
export const createWidgetLink = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.overlay, async ({ account, form: fields }) => {
    const { accounts, overlayKeys } = deps;
    const { site } = accounts;
    const form = readWidgetForm(fields);
    const typed = (fields.get("name") ?? "").trim();
    if (fields.has("preview")) return seeOther(site.path(widgetAddress({ kind: form.kind, ...form.values, name: typed })));
    const faults = findWidgetFaults(form);
    const keys = await overlayKeys.list(account.streamer.id);
    if (fields.get("newest") !== newestOf(keys)) return backTo(site, paths.overlay, "made-already");
    const goals = await goalsFor(deps, account, form);
    const shown = { site, account, form, faults, goals, keys, typed };
    if (Object.keys(faults).length > 0) return widgetPage({ ...shown, status: 400, nameFaults: findKeyNameFaults({ typed, keys }) });
    const made = await makeOverlayKey(deps, account, { typed, keys, widget: toKeyWidget(form) });
    if ("faults" in made) return widgetPage({ ...shown, status: made.status, nameFaults: made.faults });
    return widgetLinkPage({ site, account, form, name: typed, key: made.key });
  });

/** GET /studio/overlay/widget/settings: what is stored with the key, or what the address has of a form that was previewed. */
export const showWidgetSettings = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.overlay, async ({ account, query }) => {
    const { site } = deps.accounts;
    const found = await findWidget(deps, account, query.get("key"));
    if (!found) return backTo(site, paths.overlay, "no-key");
    const { key, widget } = found;
    const isTyped = query.has("version");
    const form = isTyped ? readWidgetForm(query, widget.kind) : toWidgetForm(widget);
    const version = query.get("version") ?? versionOf(widget);
    const goals = await goalsFor(deps, account, form);
    const faults = findWidgetFaults(form);
    const status = Object.keys(faults).length > 0 ? 400 : 200;
    return widgetSettingsPage({ site, account, notice: noticeOf(query), status, key, form, version, isTyped, goals, faults });
  });

/**
 * POST /studio/overlay/widget/settings: saves what was typed, unless the settings were changed elsewhere since the page was loaded; the button
 * `preview` shows the preview instead.
 */
export const changeWidgetSettings = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.overlay, async ({ account, form: fields }) => {
    const { site } = deps.accounts;
    const found = await findWidget(deps, account, fields.get("key"));
    if (!found) return backTo(site, paths.overlay, "no-key");
    const { key, widget } = found;
    const form = readWidgetForm(fields, widget.kind);
    const version = fields.get("version") ?? "";
    if (fields.has("preview")) return seeOther(site.path(widgetSettingsAddress(key.id, { version, ...form.values })));
    const faults = findWidgetFaults(form);
    const shown = { site, account, key, form, isTyped: true, goals: await goalsFor(deps, account, form), faults };
    if (Object.keys(faults).length > 0) return widgetSettingsPage({ ...shown, status: 400, version });
    const change = { from: widget, to: toKeyWidget(form) };
    // A form that is sent again finds what it has saved.
    const isCurrent = version === versionOf(widget) || isDeepStrictEqual(change.to, widget);
    if (isCurrent && (await deps.overlayKeys.changeWidget(account.streamer.id, key.id, change)))
      return backTo(site, widgetSettingsAddress(key.id), "widget-saved");
    const now = await findWidget(deps, account, key.id);
    if (!now) return backTo(site, paths.overlay, "no-key");
    return widgetSettingsPage({ ...shown, status: 409, version: versionOf(now.widget), notice: notices["widget-changed"] });
  });

/** The goals that the form of a goal bar offers. */
async function goalsFor({ client }: StudioDeps, { streamer }: Account, { kind }: WidgetForm): Promise<readonly Goal[]> {
  return kind === "goal" ? (await readAlertSettings(client, streamer.id)).goals : [];
}

type Found = Readonly<{ key: OverlayKeyEntry; widget: KeyWidget }>;

/** A key of the streamer with its widget; null when there is no such key, it was revoked or it has no widget. */
async function findWidget({ overlayKeys }: StudioDeps, { streamer }: Account, keyId: string | null): Promise<Found | null> {
  const key = (await overlayKeys.list(streamer.id)).find(({ id }) => id === keyId);
  const widget = key && knownWidget(key);
  return widget ? { key, widget } : null;
}

/** Names the stored settings: another version means that they were changed meanwhile. */
function versionOf(widget: KeyWidget): string {
  return hash("sha256", JSON.stringify(widget), "base64url").slice(0, 8);
}
