// Who is logged in, and the way around their pages.

import type { Site } from "../http/base-url.ts";
import { postForm } from "./form.ts";
import { type Html, html } from "./html.ts";
import { inBoth, type Words } from "./layout.ts";

export type WhoBar = Readonly<{
  site: Site;
  streamer: Readonly<{ handle: string }>;
  /** Sealed transaction of the logout form. */
  logout: string;
  /** What the button says. */
  change?: Words;
}>;

/** The pages of a streamer who is logged in; a login may lead to each of them. */
const pages = {
  "/studio": { th: "แจ้งเตือน", en: "Alerts" },
  "/studio/overlay": { th: "ลิงก์ OBS", en: "OBS links" },
  "/studio/settings": { th: "ตั้งค่า", en: "Settings" },
  "/studio/keys": { th: "คีย์ API", en: "API keys" },
  "/oauth/connections": { th: "แอป", en: "Apps" },
} as const;

export type StreamerPage = keyof typeof pages;

/** The first is where a plain login leads. */
export const streamerPages = Object.keys(pages) as [StreamerPage, ...StreamerPage[]];

/** Who is logged in, and a button that changes that. */
export function whoBar({ site, streamer, logout, change = logOut }: WhoBar): Html {
  const label = inBoth({ th: "บัญชี", en: "Logged in as" });
  const button = html`<button class="quiet">${inBoth(change)}</button>`;
  return html`<div class="who">
<p><small>${label}</small> <strong>${streamer.handle}</strong></p>
${postForm({ action: site.path("/oauth/logout"), transaction: logout, content: button })}
</div>`;
}

/** The head of a streamer's page: who is logged in, and links to the other pages. */
export function streamerHead(bar: WhoBar, here: StreamerPage): Html {
  const link = (page: StreamerPage) =>
    html`<li><a href="${bar.site.path(page)}"${page === here && html` aria-current="page"`}>${inBoth(pages[page])}</a></li>`;
  return html`${whoBar(bar)}
<nav aria-label="เมนู – Menu"><ul>${streamerPages.map(link)}</ul></nav>`;
}

const logOut: Words = { th: "ออกจากระบบ", en: "Log out" };
