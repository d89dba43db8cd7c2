// Pages of a logged-in streamer: the account, handlers that only the streamer reaches, which src/oauth implements, and the frame with the navigation.

import type { Site } from "../http/base-url.ts";
import { type Html, html, postForm } from "./html.ts";
import { icon } from "./icons.ts";
import { type Bilingual, bilingual, brandMark, languageSwitch, themeSwitch } from "./layout.ts";
import { accountPlaces, dailyPlaces, homePage, otherPlaces, type Places, type StreamerPage } from "./navigation.ts";
import type { GuardedHandler, PageHandler, PageReply } from "./serve-pages.ts";

/** A logged-in streamer, with the form tokens of the streamer's pages. */
export type Account = Readonly<{
  streamer: Readonly<{ id: string; handle: string }>;
  /** Names the session among the streamer's sessions. No page shows it. */
  sessionKey: string;
  /** For the forms of these pages. */
  formToken: string;
  /** For the form that posts to /oauth/logout. */
  logoutToken: string;
}>;

type PageVisit = Readonly<{ account: Account; query: URLSearchParams }>;
/** `address`: IP address of the connection. `cookie`: the header Cookie. */
export type FormPost = Readonly<{ account: Account; form: URLSearchParams; address: string; cookie?: string | undefined }>;

export type Accounts = Readonly<{
  site: Site;
  /** A page for a logged-in streamer. Anybody else is sent to log in and comes back to `path`. Throws rate_limited. */
  page: (path: StreamerPage, show: (visit: PageVisit) => Promise<PageReply>) => PageHandler;
  /**
   * A form of such a page, which is refused unless a page made it for this session. It admits logged-in streamers at an origin of ours alone;
   * others are sent to log in and come back to `path`.
   */
  form: (path: StreamerPage, handle: (post: FormPost) => Promise<PageReply>) => GuardedHandler;
}>;

type AccountBar = Readonly<{
  site: Site;
  streamer: Readonly<{ handle: string }>;
  logoutToken: string;
}>;

/** The logged-in streamer's name, and a button to log in as another. */
export function accountBar({ site, streamer, logoutToken }: AccountBar): Html {
  const label = bilingual({ th: "บัญชี", en: "Logged in as" });
  const button = html`<button class="quiet">${bilingual({ th: "เปลี่ยนบัญชี", en: "Switch account" })}</button>`;
  return html`<div class="who">
<p><small>${label}</small> <strong>${streamer.handle}</strong></p>
${postForm({ action: site.path("/oauth/logout"), formToken: logoutToken, content: button })}
</div>`;
}

type Frame = Readonly<{
  site: Site;
  account: Account;
  here: StreamerPage;
  /** How alerts stand. */
  overall?: Html | null;
}>;

/** What stands beside the content of a streamer's page: the brand, which leads home, links to all pages, the state of alerts, and the menu of the account. */
export function streamerFrame({ site, account, here, overall }: Frame): Html {
  const link = ([page, { icon: name, ...words }]: Places[number]) =>
    html`<li><a href="${site.path(page)}"${page === here && html` aria-current="page"`}>${icon(name)}<span>${bilingual(words)}</span></a></li>`;
  const holds = otherPlaces.some(({ places }) => places.some(([page]) => page === here));
  const group = ({ title, places }: (typeof otherPlaces)[number]) =>
    html`<p class="group">${bilingual(title)}</p><ul>${places.map(link)}</ul>`;
  return html`${brandMark(site.brand, site.path(homePage))}
<nav class="places" aria-label="${bilingual({ th: "เมนู", en: "Menu" })}">
<ul>${dailyPlaces.map(link)}</ul>
<details class="more"><summary${holds && html` class="holds"`}>${icon("ellipsis")}<span>${bilingual({ th: "เพิ่มเติม", en: "More" })}</span></summary><div>${otherPlaces.map(group)}</div></details>
</nav>
${overall}
${accountMenu(site, account, accountPlaces.map(link))}`;
}

/** The name of a page at its head, with its main action beside it. */
export function pageTitle(title: Bilingual, action: Html | null = null): Html {
  return html`<div class="titled"><h1>${bilingual(title)}</h1>${action}</div>`;
}

function accountMenu(site: Site, { streamer, logoutToken }: Account, links: readonly Html[]): Html {
  const button = html`<button>${icon("log-out")}${bilingual(logOut)}</button>`;
  return html`<details class="account"><summary><span class="avatar" aria-hidden="true">${streamer.handle.charAt(0).toUpperCase()}</span><span>${streamer.handle}</span></summary>
<div class="menu">
<nav aria-label="${bilingual({ th: "บัญชี", en: "Account" })}"><ul>${links}</ul></nav>
${themeSwitch}
${languageSwitch}
${postForm({ action: site.path("/oauth/logout"), formToken: logoutToken, content: button })}
</div></details>`;
}

const logOut: Bilingual = { th: "ออกจากระบบ", en: "Log out" };
