// What pages of a logged-in streamer need: the account, and handlers that only the streamer reaches. src/oauth implements them.

import type { Site } from "../http/base-url.ts";
import type { PageHandler, PageReply } from "./serve-pages.ts";

/** A logged-in streamer, with the form tokens of the streamer's pages. */
export type Account = Readonly<{
  streamer: Readonly<{ id: string; handle: string }>;
  /** For the forms of these pages. */
  formToken: string;
  /** For the form that posts to /oauth/logout. */
  logoutToken: string;
}>;

export type PageVisit = Readonly<{ account: Account; query: URLSearchParams }>;
export type FormPost = Readonly<{ account: Account; form: URLSearchParams }>;

export type Accounts = Readonly<{
  site: Site;
  /** A page for a logged-in streamer. Anybody else is sent to log in and comes back to `path`. */
  page: (path: string, show: (visit: PageVisit) => Promise<PageReply>) => PageHandler;
  /** A form of such a page, which is refused unless a page made it for this session. */
  form: (path: string, handle: (post: FormPost) => Promise<PageReply>) => PageHandler;
}>;
