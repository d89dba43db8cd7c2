import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";

import { target } from "../../suite/values/target.ts";
import { violationsOf } from "./axe.ts";
import { desktop, expectAccessible, expectUsableLayout, followLink, inDark, openChromium, type Tab, takeScreenshot } from "./chromium.ts";
import { focused, open, openDocs } from "./docs-tab.ts";

let browser: Browser;
let pages: string[];
beforeAll(async () => {
  browser = await openChromium();
  pages = await pagesOfNavigation();
});

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
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
    const tab = await openDocs(browser, options);
    expect(pages.length).toBeGreaterThan(10);
    for (const path of pages.filter((page) => page !== "reference")) {
      expect((await open(tab, path))?.status(), path).toBe(200);
      await expect.poll(() => fontsLoaded(tab), { message: path }).toBe(true);
      await takeScreenshot(tab, `docs-${path || "overview"}-${screen}`);
      await expectAccessible(tab);
      if (tab.mobile) await expectUsableLayout(tab);
      else expect(await violationsOf(tab), path).toEqual([]);
      if (tab.mobile)
        await inDark(tab, async () => {
          await takeScreenshot(tab, `docs-${path || "overview"}-${screen}-dark`);
          expect(await violationsOf(tab), path).toEqual([]);
        });
      expect(tab.complaints, path).toEqual([]);
    }
    await tab.context.close();
  });

  test("the API reference shows operations, fits the screen, and loads nothing from another host", async () => {
    const tab = await openDocs(browser, options);
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
  const tab = await openDocs(browser);
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
  const tab = await openDocs(browser, phone);
  const { page } = tab;
  await open(tab, "errors");
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
  const tab = await openDocs(browser, { ...desktop, permissions: ["clipboard-read", "clipboard-write"] });
  await tab.page.clock.install(); // the button says "Copied" for two seconds
  await open(tab, "quickstart");
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
  const tab = await openDocs(browser, { ...phone, reducedMotion: "reduce" });
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
  const tab = await openDocs(browser, { ...phone, javaScriptEnabled: false });
  await open(tab, "quickstart");
  await expect.poll(() => tab.page.locator(".code code").first().isVisible()).toBe(true);
  await open(tab, "reference");
  await expect.poll(() => tab.page.locator("noscript a").getAttribute("href")).toBe("openapi.json");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("an unknown page is a 404 page with links to the documentation", async () => {
  const tab = await openDocs(browser);
  expect((await open(tab, "a/b/nothing"))?.status()).toBe(404);
  await expectAccessible(tab);
  await followLink(tab, tab.page.locator("article a").first());
  expect(tab.page.url()).toBe(`${target().url}/docs/`);
  expect(tab.complaints.filter((line) => !line.includes("404"))).toEqual([]);
  await tab.context.close();
});
