// The pages of this folder, and a browser with its cookies, for unit tests.

import { cursorCodec } from "../http/cursor.ts";
import type { Caller, OperationRequest, Principal } from "../http/operations.ts";
import { noLimits } from "../http/rate-limits/rate-limits.ts";
import { writeFor } from "../ui/reader.ts";
import type { PageHandler } from "../ui/serve-pages.ts";
import { unlimitedLogins } from "./accounts/check-password.ts";
import { passwordStore } from "./accounts/passwords.ts";
import { authorize } from "./authorize.ts";
import { makePageDeps, type PageDeps } from "./forms.ts";
import { oauthPages } from "./open-oauth.ts";
import { baseUrl, type OAuthFixture, openOAuthFixture } from "./testing.ts";

export const password = "รหัสผ่านที่ยาวพอ";

/** Cheap, so that tests can log in often. */
export const cheap = { N: 2 ** 10, r: 8, p: 1 };

/** The page half on a database of its own, with the streamers somchai and malee; each logs in with `password`. */
export type OAuthPagesFixture = OAuthFixture & {
  pages: PageDeps;
  somchai: string;
  malee: string;
  loggedIn: (handle?: string) => Promise<Browser>;
};

export async function openOAuthPagesFixture(): Promise<OAuthPagesFixture> {
  const fixture = await openOAuthFixture();
  const { knex } = fixture.database;
  const made = makePageDeps({
    knex,
    config: { brand: "namjai", baseUrl },
    throttle: unlimitedLogins,
    limits: noLimits,
    codec: cursorCodec(Buffer.alloc(32, 7)),
    clients: { find: fixture.clients.find, register: async () => {} },
    grants: fixture.grants,
  });
  const pages = { ...made, passwords: passwordStore(knex, cheap) };
  const join = async (handle: string) => {
    const id = await fixture.streamer();
    await knex("streamer_handles").where({ streamer_id: id }).update({ handle });
    await passwordStore(knex, cheap).setPassword(id, password);
    return id;
  };
  const loggedIn = async (handle = "somchai") => {
    const browser = openBrowser(pages);
    await logIn(browser, await browser.visit("/oauth/login"), handle);
    return browser;
  };
  return { ...fixture, pages, somchai: await join("somchai"), malee: await join("malee"), loggedIn };
}

/** Logs in on a login page. */
export function logIn(browser: Browser, page: Seen, handle = "somchai"): Promise<Seen> {
  return browser.submit(page, "/oauth/login", { handle, password });
}

/** What a browser was answered. */
export type Seen = Readonly<{
  status: number;
  html: string;
  location: string;
  cookies: readonly string[];
  policy: string;
  retryAfter: number;
}>;

export type Browser = ReturnType<typeof openBrowser>;

/** A browser that keeps the session cookie, follows nothing by itself, and talks to the handlers directly. Its pages are in English. */
export function openBrowser(deps: PageDeps) {
  const jar = new Map<string, string>();
  const origin = new URL(deps.site.baseUrl).origin;
  const caller = (changes: Partial<Caller>): Caller => ({
    authorization: undefined,
    cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") || undefined,
    origin: undefined,
    host: new URL(deps.site.baseUrl).host,
    address: "192.0.2.1",
    ...changes,
  });
  const see = (seen: Seen): Seen => {
    for (const line of seen.cookies) keep(jar, line);
    return seen;
  };
  const visit = async (path: string, changes: Partial<Caller> = {}): Promise<Seen> => {
    const { pathname, search, searchParams: query } = new URL(path, origin);
    if (pathname === "/oauth/authorize") return see(await askAuthorize(deps, search.slice(1), caller(changes)));
    return see(await askPage(deps, `GET ${pathname}`, { query, form: new URLSearchParams(), caller: caller(changes) }));
  };
  const send = async (path: string, fields: Record<string, string>, changes: Partial<Caller> = {}): Promise<Seen> => {
    const form = new URLSearchParams(fields);
    return see(await askPage(deps, `POST ${path}`, { query: new URLSearchParams(), form, caller: caller({ origin, ...changes }) }));
  };
  return {
    jar,
    visit,
    /** Posts fields as they are. */
    send,
    /** Fills in the form of a page that posts to `path`, its hidden field included. */
    submit: (page: Seen, path: string, fields: Record<string, string> = {}, changes: Partial<Caller> = {}) =>
      send(path, { formToken: formTokenOf(page, path), ...fields }, changes),
  };
}

/** The hidden field of a page's form. */
export function formTokenOf({ html }: Seen, path: string): string {
  const [, formToken] = new RegExp(`action="${path}">\\s*<input type="hidden" name="formToken" value="([^"]+)">`).exec(html) ?? [];
  if (!formToken) throw new Error(`the page has no form for ${path}`);
  return formToken;
}

async function askAuthorize(deps: PageDeps, text: string, caller: Caller): Promise<Seen> {
  const query = Object.fromEntries(new URLSearchParams(text));
  const sent = { text, repeated: [] };
  const request = { caller, query, sent, path: {}, given: [], body: undefined } as unknown as OperationRequest<"authorize">;
  const reply = await writeFor({ language: "en" }, () => authorize(deps)(request, {} as Principal));
  const { "Set-Cookie": cookies = [], "Content-Security-Policy": policy = "" } = reply.transport ?? {};
  const location = reply.status === 303 ? reply.headers.Location : "";
  return { status: reply.status, html: reply.body ?? "", location, cookies: [cookies].flat(), policy: String(policy), retryAfter: 0 };
}

async function askPage(deps: PageDeps, route: string, asked: Omit<Parameters<PageHandler>[0], "path">): Promise<Seen> {
  const handler: PageHandler | undefined = Object.entries(oauthPages(deps)).find(([key]) => key === route)?.[1];
  if (!handler) throw new Error(`there is no ${route}`);
  const {
    status,
    html = "",
    location = "",
    cookies = [],
    formAction = [],
    retryAfter = 0,
  } = await writeFor({ language: "en" }, () => handler({ path: route.slice(route.indexOf(" ") + 1), ...asked }));
  return { status, html, location, cookies, policy: formAction.join(" "), retryAfter };
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/Max-Age=0/.test(line)) jar.delete(name);
  else jar.set(name, value);
}
