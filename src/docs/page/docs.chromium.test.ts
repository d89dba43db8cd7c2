// The documentation in Chromium: its guides and its API reference, in English and Thai, in the system's theme or the reader's choice.

import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import {
  desktop,
  focused,
  followLink,
  leave,
  openDocs,
  openDocsPage,
  phone,
  sendForm,
  shadeOf,
  type Tab,
  takeScreenshot,
} from "../../../conformance/meta/browser/chromium.ts";
import { expectAccessible, expectNoViolation, expectUsableLayout, violationsOf } from "../../../conformance/meta/browser/page-checks.ts";
import { target } from "../../../conformance/suite/values/target.ts";

let pages: string[];

beforeAll(async () => {
  pages = await pagesOfNavigation();
});

const screens: [string, BrowserContextOptions][] = [
  ["phone", phone],
  ["desktop", desktop],
];

async function pagesOfNavigation(): Promise<string[]> {
  const overview = await (await fetch(`${target().url}/docs/`)).text();
  const [navigation = ""] = /<nav .*?<\/nav>/s.exec(overview) ?? [];
  return [...navigation.matchAll(/href="([^"]+)"/g)].map(([, href]) => (href === "." ? "" : (href as string)));
}

/** Scrolls to an operation: Scalar renders an operation when it comes near the viewport. */
async function openOperation({ page }: Tab, operation: string): Promise<void> {
  await page.goto(`${target().url}/docs/reference#${operation}`);
  await page.locator(`[id$="${operation}"] h3`).first().waitFor();
}

const fontsLoaded = ({ page }: { page: Page }) =>
  page.evaluate("document.fonts.ready.then((fonts) => [...fonts].some((font) => font.family === 'Prompt' && font.status === 'loaded'))");

describe.each(screens)("%s", (screen, options) => {
  test("every guide fits the screen, is accessible, and loads nothing from another host", async () => {
    const tab = await openDocs(options);
    expect(pages.length).toBeGreaterThan(10);
    for (const path of pages.filter((page) => page !== "reference")) {
      expect((await openDocsPage(tab, path))?.status(), path).toBe(200);
      await expect.poll(() => fontsLoaded(tab), { message: path }).toBe(true);
      await takeScreenshot(tab, `docs-${path || "overview"}-${screen}`);
      await expectAccessible(tab);
      if (tab.mobile) await expectUsableLayout(tab);
      await expectNoViolation(tab, path);
      expect(tab.complaints, path).toEqual([]);
    }
    await tab.context.close();
  });

  test("the API reference shows operations, fits the screen, and loads nothing from another host", async () => {
    const tab = await openDocs(options);
    await openOperation(tab, "tag/donations/POST/api/v1/donations");
    await tab.page.getByText("idempotencyKey").first().waitFor();
    await tab.page.waitForLoadState("networkidle");
    await takeScreenshot(tab, `docs-reference-${screen}`, false);
    await expect.poll(() => tab.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(options.viewport?.width ?? 0);
    await expect.poll(() => fontsLoaded(tab)).toBe(true);
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  });
});

test("an operation can be called from the API reference", async () => {
  const tab = await openDocs();
  await openOperation(tab, "tag/account/GET/api/v1/me");
  await tab.page.getByRole("button", { name: /Test Request.*\/api\/v1\/me/ }).click();
  const client = tab.page.getByRole("dialog");
  await client.getByPlaceholder("Token").fill(target().keys.main);
  await client.getByRole("button", { name: /^Send get request/ }).click();
  await client.getByText(/200 OK/).waitFor();
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("the first link that the keyboard reaches skips to the content, and the menu on a phone opens by keyboard", async () => {
  const tab = await openDocs(phone);
  const { page } = tab;
  await openDocsPage(tab, "errors");
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(tab)).toBe("Skip to content");
  expect((await page.locator(".skip").boundingBox())?.x, "the link is in sight").toBeGreaterThanOrEqual(0);
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(tab)).toBe("docs-content");
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate("document.querySelector('#docs-content').contains(document.activeElement)")).toBe(true);
  await page.locator(".menu summary").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".menu a[aria-current=page]").textContent()).toBe("Errors");
  await expectUsableLayout(tab);
  await tab.context.close();
});

test("a code sample can be copied", async () => {
  const tab = await openDocs({ ...desktop, permissions: ["clipboard-read", "clipboard-write"] });
  await tab.page.clock.install(); // the button says "Copied" for two seconds
  await openDocsPage(tab, "quickstart");
  await tab.page.clock.pauseAt(Date.now() + 60_000);
  const block = tab.page.locator(".code").first();
  await block.getByRole("button", { name: "Copy" }).click();
  await block.getByText("Copied").waitFor();
  await tab.page.clock.runFor(2_000);
  await block.getByText("Copied").waitFor({ state: "detached" });
  await expect.poll(() => tab.page.evaluate("navigator.clipboard.readText()")).toBe(await block.locator("code").textContent());
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("the address in a problem's type leads to its paragraph, visible below the bar", async () => {
  const tab = await openDocs(phone);
  const answer = await fetch(`${target().url}/api/v1/me`);
  const { type } = (await answer.json()) as { type: string };
  await tab.page.goto(new URL(type, answer.url).href);
  const bar = await tab.page.locator(".bar").boundingBox();
  const topOfHeading = async () => (await tab.page.locator("h3:target").boundingBox())?.y;
  await expect.poll(topOfHeading).toBeLessThan(400);
  await expect.poll(() => topOfHeading()).toBeGreaterThanOrEqual(bar?.height ?? 0);
  await tab.context.close();
});

test("without JavaScript the guides are readable, and the API reference says that it needs JavaScript", async () => {
  const tab = await openDocs({ ...phone, javaScriptEnabled: false });
  await openDocsPage(tab, "quickstart");
  await expect.poll(() => tab.page.locator(".code code").first().isVisible()).toBe(true);
  await openDocsPage(tab, "reference");
  await expect.poll(() => tab.page.locator("noscript a").getAttribute("href")).toBe("openapi.json");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("an unknown page is a 404 page with links to the documentation", async () => {
  const tab = await openDocs();
  expect((await openDocsPage(tab, "a/b/nothing"))?.status()).toBe(404);
  await expectAccessible(tab);
  await followLink(tab, tab.page.locator("article a").first());
  expect(tab.page.url()).toBe(`${target().url}/docs/`);
  expect(tab.complaints.filter((line) => !line.includes("404"))).toEqual([]);
  await tab.context.close();
});

const heading = ({ page }: Tab) => page.locator("h1").textContent();

const languageOf = ({ page }: Tab, selector: string) =>
  page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).closest("[lang]").lang`);

test("the switch in the header changes a page between English and Thai and stays at it", async () => {
  const tab = await openDocs();
  await openDocsPage(tab, "quickstart");
  expect([await heading(tab), await languageOf(tab, "article")]).toEqual(["Quickstart", "en"]);
  await sendForm(tab, tab.page.locator(".bar > .extra").getByRole("button", { name: "ไทย" }));
  expect(tab.page.url()).toMatch(/\/docs\/quickstart$/);
  expect([await heading(tab), await languageOf(tab, "article")]).toEqual(["เริ่มต้นใช้งาน", "th"]);
  await openDocsPage(tab, "scopes");
  expect([await heading(tab), await languageOf(tab, "article"), await languageOf(tab, "main")]).toEqual(["Scopes", "en", "th"]);
  await expect.poll(() => tab.page.locator(".only").textContent()).toBe("หน้านี้มีเฉพาะภาษาอังกฤษ");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("the language can be switched in the menu of a phone, without JavaScript, also on a search page", async () => {
  const tab = await openDocs({ ...phone, locale: "th-TH", javaScriptEnabled: false });
  await openDocsPage(tab, "search?q=a%26b");
  await tab.page.locator(".menu summary").tap();
  await leave(tab, () => tab.page.locator(".panel").getByRole("button", { name: "English" }).tap());
  await expect.poll(() => languageOf(tab, "main")).toBe("en");
  expect(tab.page.url()).toMatch(/\/docs\/search\?q=a%26b$/);
  await tab.context.close();
});

test("an address with a fragment leads to the same section in both languages", async () => {
  for (const locale of ["en-GB", "th-TH"]) {
    const tab = await openDocs({ ...desktop, locale });
    await openDocsPage(tab, "quickstart#take-a-donation-back");
    await expect.poll(() => tab.page.locator("h2:target").count()).toBe(1);
    await tab.context.close();
  }
});

test.each(screens)("Thai pages fit the screen and are accessible: %s", async (name, options) => {
  const tab = await openDocs({ ...options, locale: "th-TH" });
  for (const path of ["quickstart", "scopes", "", "search?q=โดเนท", "no/such/page"]) {
    await openDocsPage(tab, path);
    await takeScreenshot(tab, `docs-th-${path.split("?")[0]?.replaceAll("/", "-") || "overview"}-${name}`);
    await expectAccessible(tab);
    if (tab.mobile) {
      await expectUsableLayout(tab);
      await tab.page.locator(".menu summary").tap();
      await tab.page.locator(".menu[open]").waitFor();
      await expectUsableLayout(tab);
    }
    await expectNoViolation(tab, path);
  }
  expect(tab.complaints.filter((line) => !line.includes("404"))).toEqual([]);
  await tab.context.close();
});

const button = ({ page }: Tab) => page.getByRole("button", { name: "Theme" });

test("the button changes the theme from the system's to light to dark, and says which it is", async () => {
  const tab = await openDocs({ ...desktop, colorScheme: "dark" });
  await openDocsPage(tab, "scopes");
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
  const tab = await openDocs({ ...phone, colorScheme: "light" });
  await openDocsPage(tab, "quickstart");
  for (const theme of ["light", "dark"]) {
    await button(tab).tap();
    await tab.page.locator(`html[data-theme=${theme}]`).waitFor();
  }
  await tab.page.addInitScript(
    "new MutationObserver(() => document.body && (window.themeOfBody ??= document.documentElement.dataset.theme ?? 'none')).observe(document, { childList: true, subtree: true })",
  );
  await openDocsPage(tab, "errors");
  await expect.poll(() => shadeOf(tab)).toBe("dark");
  await expect.poll(() => tab.page.evaluate("window.themeOfBody"), { message: "the theme when the body begins" }).toBe("dark");
  await expect.poll(() => tab.page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");
  expect(await violationsOf(tab)).toEqual([]);
  await tab.context.close();
});

test("the API reference has the chosen theme and changes with it", async () => {
  const tab = await openDocs();
  await openDocsPage(tab, "reference");
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
  const tab = await openDocs({ ...desktop, colorScheme: "dark", javaScriptEnabled: false });
  await openDocsPage(tab, "scopes");
  await expect.poll(() => tab.page.locator(".theme").isVisible()).toBe(false);
  await tab.page.screenshot();
  await expect.poll(() => shadeOf(tab)).toBe("dark");
  await tab.context.close();
});
