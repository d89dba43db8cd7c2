// The pages of this folder over HTTP, for unit tests.

import { cursorCodec } from "../http/cursor.ts";
import { noLimits } from "../http/rate-limits/rate-limits.ts";
import { unlimitedLogins } from "./accounts/check-password.ts";
import { passwordStore } from "./accounts/passwords.ts";
import { makePageDeps, type PageDeps } from "./forms.ts";
import { baseUrl, type OAuthFixture, openOAuthFixture } from "./testing.ts";
import { type Browser, openBrowser, type Seen } from "./testing-browser.ts";

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
