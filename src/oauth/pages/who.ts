import { type Html, html } from "../../http/pages/html.ts";
import { inBoth, type Words } from "../../http/pages/layout.ts";
import type { Streamer } from "../sessions.ts";
import type { Site } from "../site.ts";
import { postForm } from "./form.ts";

/** Who is logged in, and a button that changes that. */
export function whoBar({ site, streamer, logout, change }: { site: Site; streamer: Streamer; logout: string; change: Words }): Html {
  const label = inBoth({ th: "บัญชี", en: "Logged in as" });
  const button = html`<button class="quiet">${inBoth(change)}</button>`;
  return html`<div class="who">
<p><small>${label}</small> <strong>${streamer.handle}</strong></p>
${postForm({ action: site.path("/oauth/logout"), transaction: logout, content: button })}
</div>`;
}
