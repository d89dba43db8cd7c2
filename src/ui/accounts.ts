// What pages of a logged-in streamer need: the account, and handlers that only the streamer reaches. src/oauth implements them.

import type { Site } from "../http/base-url.ts";
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

export type PageVisit = Readonly<{ account: Account; query: URLSearchParams }>;
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
