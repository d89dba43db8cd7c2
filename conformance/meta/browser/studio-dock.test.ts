// The dock for OBS in a browser: 280 pixels wide, dark, live, with and without scripts.

import type { Browser } from "playwright-core";
import { afterEach, beforeAll, expect, test } from "vitest";

import { acknowledge, closePages, follow } from "../../suite/client/overlay/overlay-page.ts";
import { target } from "../../suite/values/target.ts";
import { unfold, violationsOf } from "./axe.ts";
import { openChromium, openTab, sendForm, shadeOf, type Tab, takeScreenshot } from "./chromium.ts";
import { expectedMessages } from "./studio-screens.ts";
import { newLogin } from "./studio-session.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
});
afterEach(() => closePages());

const narrow = { viewport: { width: 280, height: 700 }, colorScheme: "light" } as const;
const part = ({ page }: Tab, name: string) => page.locator(`#live-${name}`);
const says = (tab: Tab, name: string, text: string | RegExp) =>
  expect.poll(() => part(tab, name).textContent(), { timeout: 60_000 }).toMatch(text);
const press = (tab: Tab, control: string) => sendForm(tab, tab.page.locator(`button[name=control][value=${control}]`));
const sideways = (tab: Tab) => tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

async function openDock(options: object): Promise<Tab> {
  const tab = await openTab(browser, { ...narrow, ...options });
  await newLogin(tab, "/studio/dock");
  return tab;
}

async function makeOverlayKey({ page }: Tab): Promise<string> {
  const other = await page.context().newPage();
  await other.goto(`${target().url}/studio/overlay`);
  await other.locator("input[name=name]:not([type=hidden])").fill("Dock");
  await other.locator("form[action$='/studio/overlay'] button").click();
  const [, key = ""] = (await other.locator("#source-0").inputValue()).split("#");
  await other.close();
  return key;
}

test("the dock follows the queue, controls it, and comes back to itself after a login and after each button, at 280 pixels", async () => {
  const tab = await openDock({});
  expect(new URL(tab.page.url()).pathname).toBe("/studio/dock");
  await says(tab, "status", /No overlay connected/);
  const key = await makeOverlayKey(tab);
  const overlay = await follow({ key });
  await overlay.next("snapshot");
  await says(tab, "status", /Ready/);
  await says(tab, "overlays", /1 page connected/);
  await sendForm(tab, tab.page.locator("form[action$='/studio/test'] button"));
  expect(new URL(tab.page.url()).pathname).toBe("/studio/dock");
  const { id } = await overlay.next("playback");
  await acknowledge("started", id, { player: overlay.player, key });
  await says(tab, "status", /Playing/);
  await tab.page.locator("#hide").focus();
  await press(tab, "skip");
  await overlay.next("stop");
  await says(tab, "latest", /Skipped/);
  await press(tab, "pause");
  await sendForm(tab, tab.page.locator("form[action$='/studio/test'] button"));
  await says(tab, "status", /Paused · 1 waiting/);
  await unfold(tab);
  await takeScreenshot(tab, "dock");
  expect([await sideways(tab), await violationsOf(tab)]).toEqual([0, []]);
  expect(await shadeOf(tab), "dark in a light system, too").toBe("dark");
  await sendForm(tab, tab.page.locator("#live-waiting button[value^=skip]"));
  await says(tab, "status", /Paused · 0 waiting/);
  await sendForm(tab, tab.page.locator("#live-latest button").first());
  await says(tab, "status", /Paused · 1 waiting/);
  await press(tab, "hide");
  await says(tab, "status", /Everything is hidden/);
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test("the focus stays on its button while the dock is refreshed", async () => {
  const tab = await openDock({});
  await tab.page.locator("#toggle").focus();
  const other = await tab.page.context().newPage();
  await other.goto(`${target().url}/studio`);
  await other.locator("button[name=control][value=pause]").click();
  await says(tab, "status", /Paused/);
  expect(await tab.page.evaluate("document.activeElement.id")).toBe("toggle");
  await tab.context.close();
});

test("the dock works without scripts", async () => {
  const tab = await openDock({ javaScriptEnabled: false });
  await press(tab, "pause");
  expect([new URL(tab.page.url()).pathname, await part(tab, "status").textContent()]).toEqual([
    "/studio/dock",
    expect.stringMatching(/Paused/),
  ]);
  await sendForm(tab, tab.page.locator("form[action$='/studio/test'] button"));
  expect(await part(tab, "status").textContent()).toMatch(/Paused · 1 waiting/);
  await tab.context.close();
});
