// The documentation in Thai.

import type { Browser, BrowserContextOptions } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { violationsOf, violationsOfColours } from "./axe.ts";
import {
  desktop,
  expectAccessible,
  expectUsableLayout,
  inDark,
  leave,
  openChromium,
  phone,
  sendForm,
  type Tab,
  takeScreenshot,
} from "./chromium.ts";
import { open, openDocs } from "./docs-tab.ts";

let browser: Browser;
beforeAll(async () => void (browser = await openChromium()));

const heading = ({ page }: Tab) => page.locator("h1").textContent();
const languageOf = ({ page }: Tab, selector: string) =>
  page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).closest("[lang]").lang`);

test("the switch in the header changes a page between English and Thai and stays at it", async () => {
  const tab = await openDocs(browser);
  await open(tab, "quickstart");
  expect([await heading(tab), await languageOf(tab, "article")]).toEqual(["Quickstart", "en"]);
  await sendForm(tab, tab.page.locator(".bar > .extra").getByRole("button", { name: "ไทย" }));
  expect(tab.page.url()).toMatch(/\/docs\/quickstart$/);
  expect([await heading(tab), await languageOf(tab, "article")]).toEqual(["เริ่มต้นใช้งาน", "th"]);
  await open(tab, "scopes");
  expect([await heading(tab), await languageOf(tab, "article"), await languageOf(tab, "main")]).toEqual(["Scopes", "en", "th"]);
  await expect.poll(() => tab.page.locator(".only").textContent()).toBe("หน้านี้มีเฉพาะภาษาอังกฤษ");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("the language can be switched in the menu of a phone, without JavaScript, also on a search page", async () => {
  const tab = await openDocs(browser, { ...phone, locale: "th-TH", javaScriptEnabled: false });
  await open(tab, "search?q=a%26b");
  await tab.page.locator(".menu summary").tap();
  await leave(tab, () => tab.page.locator(".panel").getByRole("button", { name: "English" }).tap());
  await expect.poll(() => languageOf(tab, "main")).toBe("en");
  expect(tab.page.url()).toMatch(/\/docs\/search\?q=a%26b$/);
  await tab.context.close();
});

test("an address with a fragment leads to the same section in both languages", async () => {
  for (const locale of ["en-GB", "th-TH"]) {
    const tab = await openDocs(browser, { ...desktop, locale });
    await open(tab, "quickstart#take-a-donation-back");
    await expect.poll(() => tab.page.locator("h2:target").count()).toBe(1);
    await tab.context.close();
  }
});

const screens: [string, BrowserContextOptions][] = [
  ["phone", phone],
  ["desktop", desktop],
];

test.each(screens)("Thai pages fit the screen and are accessible: %s", async (name, options) => {
  const tab = await openDocs(browser, { ...options, locale: "th-TH" });
  for (const path of ["quickstart", "scopes", "", "search?q=โดเนท", "no/such/page"]) {
    await open(tab, path);
    await takeScreenshot(tab, `docs-th-${path.split("?")[0]?.replaceAll("/", "-") || "overview"}-${name}`);
    await expectAccessible(tab);
    if (tab.mobile) {
      await expectUsableLayout(tab);
      await tab.page.locator(".menu summary").tap();
      await tab.page.locator(".menu[open]").waitFor();
      await expectUsableLayout(tab);
    }
    expect(await violationsOf(tab), path).toEqual([]);
    await inDark(tab, async () => expect(await violationsOfColours(tab), path).toEqual([]));
  }
  expect(tab.complaints.filter((line) => !line.includes("404"))).toEqual([]);
  await tab.context.close();
});
