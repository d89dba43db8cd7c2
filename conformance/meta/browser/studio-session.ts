// Logs a new streamer in to the studio, and looks whether what was revoked there is refused.

import { expect } from "vitest";
import { expectProblem, me } from "../../suite/client/api.ts";
import { type Login, newStreamer } from "../../suite/client/page-visitor.ts";
import { target } from "../../suite/values/target.ts";
import { sendForm, type Tab } from "./chromium.ts";

/** Opens a page of the studio and logs in there. */
export async function newLogin(tab: Tab, path = "/studio"): Promise<Login> {
  const { page } = tab;
  const { operator } = target();
  if (!operator) throw new Error("not run: needs the operator's CLI, and API_URL is someone else's server");
  const login = await newStreamer(operator);
  await page.goto(target().url + path);
  await page.locator("input[name=handle]").fill(login.handle);
  await page.locator("input[name=password]").fill(login.password);
  await sendForm(tab, page.locator("form[action$='/oauth/login'] button"));
  await page.waitForSelector("nav, .dock"); // the dock for OBS has no menu
  if (path === "/studio") {
    expect(new URL(page.url()).pathname, "the studio's address leads to its home page").toBe("/studio/home");
    await page.goto(target().url + path);
  }
  return login;
}

/** Opens the form of the alerts page that sends a test alert. It is open already while nothing was received. */
export async function unfoldTestForm({ page }: Pick<Tab, "page">): Promise<void> {
  if ((await page.locator("#test-form[open]").count()) === 0) await page.locator("#test-form > summary").click();
}

/** Opens the menu of the account, which has language, colours and the logout. Pages of visitors have none. */
export async function openMenu({ page }: Pick<Tab, "page">): Promise<void> {
  const closed = page.locator(".account:not([open]) > summary");
  if ((await closed.count()) > 0) await closed.click();
}

/** A server that can't read revocations, because the machine is too busy, refuses with 503 meanwhile. */
export async function expectRevoked(key: string): Promise<void> {
  await expect.poll(async () => (await me({ key })).status).not.toBe(503);
  expectProblem(await me({ key }), 401, "token_revoked");
}
