// Streamers of a browser test: one on a running server, and one who is logged in to the studio.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { expectProblem, me } from "../../suite/client/api.ts";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { newStreamer } from "../../suite/client/page-visitor.ts";
import { remember } from "../../suite/values/redact.ts";
import { type Login, type Operator, target } from "../../suite/values/target.ts";
import { sendForm, type Tab } from "./chromium.ts";

/** Opens a page of the studio and logs in there. */
export async function newLogin(tab: Tab, path = "/studio"): Promise<Login> {
  const { page } = tab;
  const { operator } = target();
  if (!operator) throw new Error("not run: needs the operator's CLI, and API_URL is someone else's server");
  const login = await newStreamer(operator);
  await page.goto(target().url + path);
  await logIn(tab, login);
  await page.waitForSelector("nav, .dock"); // the dock for OBS has no menu
  if (path === "/studio") {
    expect(new URL(page.url()).pathname, "the studio's address leads to its home page").toBe("/studio/home");
    await page.goto(target().url + path);
  }
  return login;
}

/** Fills in the login page that the tab shows, and sends it. */
export async function logIn(tab: Pick<Tab, "page">, { handle, password }: Login): Promise<void> {
  await tab.page.locator("input[name=handle]").fill(handle);
  await tab.page.locator("input[name=password]").fill(password);
  await sendForm(tab, tab.page.locator("form[action$='/oauth/login'] button"));
}

/** Opens the form of the alerts page that sends a test alert. It is open already while nothing was received. */
export async function unfoldTestForm({ page }: Pick<Tab, "page">): Promise<void> {
  if ((await page.locator("#test-form[open]").count()) === 0) await page.locator("#test-form > summary").click();
}

/** Sends a test alert from the alerts page, which records a donation without an identifier. */
export async function sendTestAlert({ page }: Pick<Tab, "page">, donatorName: string): Promise<void> {
  await page.goto(`${target().url}/studio`);
  await unfoldTestForm({ page });
  await page.locator("input[name=donatorName]").fill(donatorName);
  await sendForm({ page }, page.locator("form[action$='/studio/test'] button"));
}

let overlayKeys = 0;

/** Makes an overlay key on the studio's page of overlays, which then shows its addresses. */
export async function makeOverlayKey({ page }: Pick<Tab, "page">): Promise<string> {
  await page.goto(`${target().url}/studio/overlay`);
  await page.locator("input[name=name]:not([type=hidden])").fill(`Key ${overlayKeys++}`);
  await sendForm({ page }, page.locator("form[action$='/studio/overlay'] button"));
  const address = await page.locator("#source-0").inputValue();
  expect(address).toMatch(/\/overlay\/\?lang=en#namjai_o1_\w+$/);
  return address.split("#")[1] ?? "";
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

/** A streamer created for one test, on the server at `url`. */
export type LiveStreamer = {
  operator: Operator;
  url: string;
  /** Overlay key. */
  key: string;
  /** Credential with which the test posts donations and controls alerts. */
  as: { key: string; server: string };
};

const scopes = "write:donations void:donations erase:donators read:donations write:alerts read:alerts write:webhooks";

export async function createLiveStreamer({ env }: Operator, url: string): Promise<LiveStreamer> {
  const operator = { env, handle: `s${randomUUID().slice(0, 8)}` };
  const { key, overlayKey } = await addStreamerWithKeys(operator, operator.handle, scopes);
  remember(key, overlayKey);
  return { operator, url, key: overlayKey, as: { key, server: url } };
}
