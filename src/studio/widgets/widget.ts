// The page that sets up a widget: shows a preview of its settings, and makes a link whose key has them.

import { type PageHandler, seeOther } from "../../ui/serve-pages.ts";
import { backTo } from "../notices.ts";
import { findKeyNameFaults, makeOverlayKey } from "../overlay/make-overlay-key.ts";
import { newestOf } from "../overlay/overlay-page.ts";
import { paths, widgetAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { findWidgetFaults, readWidgetForm, toKeyWidget } from "./widget-form.ts";
import { widgetLinkPage, widgetPage } from "./widget-page.ts";

/** GET /studio/overlay/widget: the settings stand in the address, and the name of the key while no key has it. */
export const showWidget = ({ accounts, overlayKeys }: StudioDeps): PageHandler =>
  accounts.page(paths.widget, async ({ account, query }) => {
    const form = readWidgetForm(query);
    const faults = findWidgetFaults(form);
    const keys = await overlayKeys.list(account.streamer.id);
    const name = query.get("name");
    const typed = keys.some((key) => key.name === name) ? null : name;
    const html = widgetPage({ site: accounts.site, account, form, faults, keys, typed, nameFaults: {} });
    return { status: Object.keys(faults).length > 0 ? 400 : 200, html, scripted: true, frames: true };
  });

/**
 * POST /studio/overlay/widget: shows the link with a new key in the response to this form, and never again; the button `preview` shows the
 * preview instead.
 */
export const createWidgetLink = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.widget, async ({ account, form: fields }) => {
    const { accounts, overlayKeys } = deps;
    const { site } = accounts;
    const form = readWidgetForm(fields);
    const typed = (fields.get("name") ?? "").trim();
    if (fields.has("preview")) return seeOther(site.path(widgetAddress({ kind: form.kind, ...form.values, name: typed })));
    const faults = findWidgetFaults(form);
    const keys = await overlayKeys.list(account.streamer.id);
    if (fields.get("newest") !== newestOf(keys)) return backTo(site, paths.overlay, "made-already");
    const page = (nameFaults: typeof faults) => widgetPage({ site, account, form, faults, keys, typed, nameFaults });
    if (Object.keys(faults).length > 0)
      return { status: 400, html: page(findKeyNameFaults({ typed, keys })), scripted: true, frames: true };
    const made = await makeOverlayKey(deps, account, { typed, keys, widget: toKeyWidget(form) });
    if ("faults" in made) return { status: made.status, html: page(made.faults), scripted: true, frames: true };
    return { status: 200, html: widgetLinkPage({ site, account, form, name: typed, key: made.key }), scripted: true };
  });
