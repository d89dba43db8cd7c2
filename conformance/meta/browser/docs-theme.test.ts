// The theme of the documentation: the system's, or the reader's choice.

import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { violationsOf } from "./axe.ts";
import { desktop, openChromium, phone, shadeOf, type Tab } from "./chromium.ts";
import { open, openDocs } from "./docs-tab.ts";

let browser: Browser;
beforeAll(async () => void (browser = await openChromium()));

const button = ({ page }: Tab) => page.getByRole("button", { name: "Theme" });

test("the button changes the theme from the system's to light to dark, and says which it is", async () => {
  const tab = await openDocs(browser, { ...desktop, colorScheme: "dark" });
  await open(tab, "scopes");
  const state = async () => [await button(tab).getAttribute("aria-label"), await shadeOf(tab)];
  await expect.poll(() => state()).toEqual(["Theme: system", "dark"]);
  await button(tab).click();
  await expect.poll(() => state()).toEqual(["Theme: light", "light"]);
  expect(await violationsOf(tab)).toEqual([]);
  await button(tab).press("Enter");
  await expect.poll(() => state()).toEqual(["Theme: dark", "dark"]);
  await button(tab).click();
  await expect.poll(() => state()).toEqual(["Theme: system", "dark"]);
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("the chosen theme is kept, also against the system's, and is there before a page is drawn", async () => {
  const tab = await openDocs(browser, { ...phone, colorScheme: "light" });
  await open(tab, "quickstart");
  for (const theme of ["light", "dark"]) {
    await button(tab).tap();
    await tab.page.locator(`html[data-theme=${theme}]`).waitFor();
  }
  await tab.page.addInitScript(
    "new MutationObserver(() => document.body && (window.themeOfBody ??= document.documentElement.dataset.theme ?? 'none')).observe(document, { childList: true, subtree: true })",
  );
  await open(tab, "errors");
  await expect.poll(() => shadeOf(tab)).toBe("dark");
  await expect.poll(() => tab.page.evaluate("window.themeOfBody"), { message: "the theme when the body begins" }).toBe("dark");
  await expect.poll(() => tab.page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");
  expect(await violationsOf(tab)).toEqual([]);
  await tab.context.close();
});

test("the API reference has the chosen theme and changes with it", async () => {
  const tab = await openDocs(browser);
  await open(tab, "reference");
  await tab.page.locator("body.light-mode").waitFor();
  await button(tab).click();
  await button(tab).click();
  await tab.page.locator("body.dark-mode:not(.light-mode)").waitFor();
  await tab.page.reload();
  await tab.page.locator("body.dark-mode:not(.light-mode)").waitFor();
  await expect.poll(() => shadeOf(tab)).toBe("dark");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("without JavaScript a page has the system's theme and no button for it", async () => {
  const tab = await openDocs(browser, { ...desktop, colorScheme: "dark", javaScriptEnabled: false });
  await open(tab, "scopes");
  await expect.poll(() => tab.page.locator(".theme").isVisible()).toBe(false);
  await tab.page.screenshot();
  await expect.poll(() => shadeOf(tab)).toBe("dark");
  await tab.context.close();
});
