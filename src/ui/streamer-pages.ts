// Pages of a logged-in streamer: the account, handlers that only the streamer reaches, which src/oauth implements, and the header with the navigation.

import type { Site } from "../http/base-url.ts";
import { type Html, html, postForm } from "./html.ts";
import { type Bilingual, bilingual } from "./layout.ts";
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
  page: (path: string, show: (visit: PageVisit) => Promise<PageReply>) => PageHandler;
  /**
   * A form of such a page, which is refused unless a page made it for this session. It admits logged-in streamers at an origin of ours alone;
   * others are sent to log in and come back to `path`.
   */
  form: (path: string, handle: (post: FormPost) => Promise<PageReply>) => GuardedHandler;
}>;

type AccountBar = Readonly<{
  site: Site;
  streamer: Readonly<{ handle: string }>;
  logoutToken: string;
  /** Text of the logout button. */
  change?: Bilingual;
}>;

/** The pages of a logged-in streamer that are used daily. */
const mainPages = {
  "/studio/money": { th: "ยอดเงิน", en: "Money" },
  "/studio": { th: "แจ้งเตือน", en: "Alerts" },
  "/studio/history": { th: "ประวัติ", en: "History" },
  "/studio/overlay": { th: "ลิงก์ OBS", en: "OBS links" },
  "/studio/designer": { th: "ออกแบบ", en: "Designer" },
  "/studio/settings": { th: "ตั้งค่า", en: "Settings" },
} as const;

/** Pages that are used rarely; they are folded. */
const otherPages = {
  "/studio/dock": { th: "แผงใน OBS", en: "Dock for OBS" },
  "/studio/keys": { th: "คีย์ API", en: "API keys" },
  "/studio/webhooks": { th: "เว็บฮุก", en: "Webhooks" },
  "/studio/apps": { th: "แอปของฉัน", en: "My apps" },
  "/studio/import": { th: "นำเข้า", en: "Import" },
  "/studio/privacy": { th: "ความเป็นส่วนตัว", en: "Privacy" },
  "/studio/account": { th: "บัญชี", en: "Account" },
  "/oauth/connections": { th: "แอป", en: "Apps" },
} as const;

/** A login may lead to any of them. */
const pages = { ...mainPages, ...otherPages };

export type StreamerPage = keyof typeof pages;

const keysOf = <Page extends string>(some: Readonly<Record<Page, unknown>>) => Object.keys(some) as Page[];

/** The first page is where a login without another destination leads. */
export const streamerPages = keysOf(pages) as [StreamerPage, ...StreamerPage[]];

/** The logged-in streamer's name, and a button to log out. */
export function accountBar({ site, streamer, logoutToken, change = logOut }: AccountBar): Html {
  const label = bilingual({ th: "บัญชี", en: "Logged in as" });
  const button = html`<button class="quiet">${bilingual(change)}</button>`;
  return html`<div class="who">
<p><small>${label}</small> <strong>${streamer.handle}</strong></p>
${postForm({ action: site.path("/oauth/logout"), formToken: logoutToken, content: button })}
</div>`;
}

/** The header of a streamer's page: the account, and links to all pages, those that are used rarely under "More". */
export function streamerHeader(bar: AccountBar, here: StreamerPage): Html {
  const link = (page: StreamerPage) =>
    html`<li><a href="${bar.site.path(page)}"${page === here && html` aria-current="page"`}>${bilingual(pages[page])}</a></li>`;
  const isOther = here in otherPages;
  const more = isOther ? html`${bilingual(moreWords)}: ${bilingual(pages[here])}` : bilingual(moreWords);
  return html`${accountBar(bar)}
<nav aria-label="${bilingual({ th: "เมนู", en: "Menu" })}"><ul>${keysOf(mainPages).map(link)}
<li><details><summary${isOther && html` class="holds"`}>${more}</summary><ul>${keysOf(otherPages).map(link)}</ul></details></li></ul></nav>`;
}

const moreWords: Bilingual = { th: "เพิ่มเติม", en: "More" };
const logOut: Bilingual = { th: "ออกจากระบบ", en: "Log out" };
