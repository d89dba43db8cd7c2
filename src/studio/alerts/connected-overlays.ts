// The overlays that are connected: which one leads, and the button that makes another one lead.

import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { backTo, orBack } from "../notices.ts";
import { paths, queuePage } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import type { Queue } from "./held-alerts.ts";

/** POST /studio/lead */
export const leadOverlay = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.alerts, async ({ account, form }) => {
    const page = queuePage(form);
    return orBack(accounts.site, { overlay_not_found: [page, "no-overlay"] }, async () => {
      await client.call(account.streamer.id, "leadOverlay", { path: { overlayId: form.get("overlay") ?? "" } });
      return backTo(accounts.site, page, "leads");
    });
  });

/** Null while none is connected. The buttons belong to the form with the id `lead`. */
export function connectedOverlays({ overlays }: Queue): Html | null {
  const [only, ...others] = overlays;
  if (!only) return null;
  if (others.length === 0)
    return html`<p class="note">${bilingual({ th: "เชื่อมต่ออยู่ 1 หน้า:", en: "1 page connected:" })} ${placeOf(only)}</p>`;
  const count = { th: `เชื่อมต่ออยู่ ${overlays.length} หน้า ทุกหน้าแสดงแจ้งเตือน`, en: `${overlays.length} pages connected. All show your alerts.` };
  return html`<p class="note">${bilingual(count)}</p><ul class="entries">${overlays.map(overlayEntry)}</ul>`;
}

type Connected = Schemas["ConnectedOverlay"];

function overlayEntry(overlay: Connected): Html {
  const { id, leads } = overlay;
  const label = { th: "ให้หน้านี้เป็นหลัก", en: "Lead here" };
  return html`<li class="narrow"><span>${placeOf(overlay)}</span>
<span class="beside">${
    leads
      ? html`<span class="label">${bilingual({ th: "หน้าหลัก มีเสียง", en: "Leads, with sound" })}</span>`
      : html`<button class="small" id="lead-${id}" form="lead" name="overlay" value="${id}">${bilingual(label)}</button>`
  }</span></li>`;
}

function placeOf({ client, active }: Connected): Html {
  const place = client === "obs" ? { th: "OBS", en: "OBS" } : { th: "เบราว์เซอร์", en: "Browser" };
  return html`${bilingual(place)}${!active && html` · ${bilingual({ th: "ซ่อนอยู่", en: "hidden" })}`}`;
}
