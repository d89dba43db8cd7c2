// Opens pages in Chromium, and leads from one to the next.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { target } from "../../suite/values/target.ts";
import { startChromium } from "./start-chromium.ts";

/** Of a click, a navigation or a wait for something visible: beside other tests a page takes several times as long as alone. */
const stepTimeoutMs = 60_000;

const screenshots = fileURLToPath(new URL("screenshots/", import.meta.url));

/** Of most tests: frames of movements that nobody looks at take more than half of the CPU of a page. */
export const still: BrowserContextOptions = { reducedMotion: "reduce" };

/** Of tests that look at movements, as OBS shows them. */
export const moving: BrowserContextOptions = { reducedMotion: "no-preference" };

/** The screen of a small phone. */
export const phone: BrowserContextOptions = {
  viewport: { width: 375, height: 667 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

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

/** Opens a tab in the Chromium of the worker, which prefers pages in English where `options` name no other language. */
export async function openTab(options: BrowserContextOptions = desktop): Promise<Tab> {
  const context = await (await openChromium()).newContext({ locale: "en-GB", ...still, ...options });
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

/** Opens a tab for the documentation, which must load nothing from another host. */
export async function openDocs(options: BrowserContextOptions = desktop): Promise<Tab> {
  const tab = await openTab(options);
  tab.page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== new URL(target().url).origin) tab.complaints.push(`foreign request: ${url}`);
  });
  return tab;
}

/** `path`: below /docs/. */
export const openDocsPage = ({ page }: Tab, path: string) => page.goto(`${target().url}/docs/${path}`);

/** The id of the focused element, or else its text. */
export const focused = ({ page }: Tab) => page.evaluate<string>("document.activeElement.id || document.activeElement.textContent.trim()");

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
