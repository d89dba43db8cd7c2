// Opens pages in Chromium, and checks that apply to every page.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { startChromium } from "./start-chromium.ts";

/** Of a click, a navigation or a wait for something visible: beside other tests a page takes several times as long as alone. */
const stepTimeoutMs = 60_000;

const screenshots = fileURLToPath(new URL("screenshots/", import.meta.url));

/** The screen of a small phone. Like the desktop it prefers pages in English, which rules look for texts in. */
export const phone: BrowserContextOptions = {
  viewport: { width: 375, height: 667 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  locale: "en-GB",
};

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, locale: "en-GB" };

/** Allows sound without a user gesture, as OBS does. */
export const withSound = ["--autoplay-policy=no-user-gesture-required"];

let shared: Promise<Browser> | null = null;

/** Chromium with sound, started once for all test files of a worker, whose end is its end: tests are separated by contexts. */
export function openChromium(): Promise<Browser> {
  shared ??= startChromium(withSound);
  return shared;
}

/** A tab and its faults: errors on the console, violations of the content security policy, failed requests. */
export type Tab = { page: Page; context: BrowserContext; scripted: boolean; mobile: boolean; complaints: string[] };

export async function openTab(browser: Browser, options: BrowserContextOptions = desktop): Promise<Tab> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(stepTimeoutMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url().slice(0, 100)} ${request.failure()?.errorText}`));
  return { page, context, scripted: options.javaScriptEnabled !== false, mobile: options.isMobile === true, complaints };
}

/** With SCREENSHOTS=1, writes a picture of the whole page, or of what is visible, into screenshots/: drawing it takes longer than most checks. */
export async function takeScreenshot({ page }: Pick<Tab, "page">, name: string, fullPage = true): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: `${screenshots}${name}.png`, fullPage });
}

/** Does something while the system of the tab, which prefers light colours, prefers dark ones. */
export async function inDark({ page }: Tab, act: () => Promise<void>): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await act();
  await page.emulateMedia({ colorScheme: "light" });
}

/** Whether the page's background is nearer to black or to white. */
export async function shadeOf({ page }: Pick<Tab, "page">): Promise<"dark" | "light"> {
  const colour = String(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
  return Math.max(...(colour.match(/\d+/g) ?? []).map(Number)) < 128 ? "dark" : "light";
}

/** Expects that the page is not wider than the screen, every control is large enough for a finger, and every field has a label. */
export async function expectUsableLayout({ page }: Tab): Promise<void> {
  expect(await page.evaluate(`(${layoutFaults})(${page.viewportSize()?.width ?? 0})`)).toEqual([]);
}

// Evaluated in the page. A checkbox or radio button can also be ticked by its label.
const layoutFaults = `(width) => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const { scrollWidth } = document.documentElement;
  const faults = scrollWidth > width ? ["the page is " + scrollWidth + " pixels wide on a screen of " + width] : [];
  for (const control of all("button, a.button, summary, nav a, input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea, .check label")) {
    const { width, height } = control.getBoundingClientRect();
    const isVisible = control.checkVisibility({ visibilityProperty: true }) && width > 0 && height > 0;
    if (isVisible && height < 40) faults.push("too small for a finger: " + control.outerHTML);
  }
  for (const { id } of all("input:not([type=hidden], [aria-label]), select, textarea"))
    if (all('label[for="' + id + '"]').length !== 1) faults.push("the field " + id + " has no label");
  return faults;
}`;

/** Expects what screen readers need: one h1, no skipped heading level, landmarks, unique ids, a name for every control. */
export async function expectAccessible({ page }: Tab): Promise<void> {
  expect(await page.evaluate(accessibilityFaults)).toEqual([]);
}

// Evaluated in the page.
const accessibilityFaults = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const faults = [];
  const levels = all("h1, h2, h3, h4").map((heading) => Number(heading.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1 || levels[0] !== 1) faults.push("there must be one h1, the first heading");
  levels.forEach((level, i) => { if (i > 0 && level > levels[i - 1] + 1) faults.push("h" + levels[i - 1] + " is followed by h" + level); });
  if (all("main").length !== 1) faults.push("there must be one main");
  if (!document.documentElement.lang || !document.title.trim()) faults.push("language or title is missing");
  const ids = all("[id]").map(({ id }) => id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) faults.push("the id " + id + " is used twice");
  for (const attribute of ["for", "aria-describedby", "aria-labelledby", "form"])
    for (const element of all("[" + attribute + "]"))
      for (const id of element.getAttribute(attribute).split(" ")) if (!ids.includes(id)) faults.push(attribute + " names " + id + ", which does not exist");
  for (const control of all("button, a, summary")) if (!(control.getAttribute("aria-label") ?? control.textContent).trim()) faults.push("no name: " + control.outerHTML);
  for (const link of all('a[href^="#"]')) if (!ids.includes(link.hash.slice(1))) faults.push("a link to " + link.hash + " has no target");
  return faults;
})()`;

/**
 * Does what leads to another page, such as a click, and waits until that page is loaded and its scripts have run: it may come long after the
 * click, and takes with it what is typed meanwhile.
 */
export async function leave({ page }: Pick<Tab, "page">, act: () => Promise<unknown>): Promise<void> {
  await page.evaluate("document.documentElement.dataset.isLeft = ''");
  await act();
  await page.waitForSelector("html:not([data-is-left])", { state: "attached" });
  await page.waitForLoadState();
}

/** Clicks a button that sends a form, and waits for the page that answers. */
export const sendForm = (tab: Pick<Tab, "page">, button: Locator): Promise<void> => leave(tab, () => button.click());

/** Clicks a link, and waits for the page that it leads to. */
export const followLink = (tab: Pick<Tab, "page">, link: Locator): Promise<void> => leave(tab, () => link.click());

/** Waits until the page shows this. Without scripts it shows what there was when it was made, so it is loaded again and again. */
export async function untilShown({ page, scripted }: Pick<Tab, "page" | "scripted">, shown: Locator): Promise<void> {
  const isShown = async () => {
    if (!scripted && (await shown.count()) === 0) await page.reload();
    return (await shown.count()) > 0;
  };
  await expect.poll(isShown, { message: `${shown}` }).toBe(true);
}
