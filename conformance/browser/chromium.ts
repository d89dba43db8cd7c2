// Starts Chromium, and checks that apply to every page.

import { accessSync, constants, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const headlessArguments = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const screenshots = fileURLToPath(new URL("screenshots/", import.meta.url));

/** The screen of a small phone. */
export const phone: BrowserContextOptions = {
  viewport: { width: 375, height: 667 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  locale: "th-TH",
};

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, locale: "th-TH" };

/** Allows sound without a user gesture, as OBS does. */
export const withSound = ["--autoplay-policy=no-user-gesture-required"];

/** Starts Chromium. Throws when it is not installed, so that missing Chromium fails the run. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  try {
    accessSync(executablePath, constants.X_OK);
  } catch {
    throw new Error(`not run: there is no Chromium at ${executablePath}. Install it (apt-get install chromium) or set CHROMIUM`);
  }
  return chromium.launch({ executablePath, args: [...headlessArguments, ...args] });
}

/** A tab and its faults: errors on the console, violations of the content security policy, failed requests. */
export type Tab = { page: Page; context: BrowserContext; scripted: boolean; complaints: string[] };

export async function openTab(browser: Browser, options: BrowserContextOptions = desktop): Promise<Tab> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url().slice(0, 100)} ${request.failure()?.errorText}`));
  return { page, context, scripted: options.javaScriptEnabled !== false, complaints };
}

/** With SCREENSHOTS=1, writes a picture of the whole page, or of what is visible, into screenshots/: drawing it takes longer than most checks. */
export async function takeScreenshot({ page }: Pick<Tab, "page">, name: string, fullPage = true): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: `${screenshots}${name}.png`, fullPage });
}

/** Expects that the page is not wider than the screen, every control is large enough for a finger, and every field has a label. */
export async function expectUsableLayout({ page }: Tab): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  const scrollWidth = await page.evaluate("document.documentElement.scrollWidth");
  expect(scrollWidth, "the page is wider than the screen").toBeLessThanOrEqual(width);
  // A checkbox or radio button can also be ticked by its label.
  for (const control of await page
    .locator("button, summary, nav a, input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea, .check label")
    .all()) {
    if (!(await control.isVisible())) continue;
    const box = await control.boundingBox();
    expect(box?.height, `${await control.evaluate((node) => node.outerHTML)} is too small for a finger`).toBeGreaterThanOrEqual(40);
  }
  for (const field of await page.locator("input:not([type=hidden]), select, textarea").all()) {
    const id = await field.getAttribute("id");
    expect(await page.locator(`label[for="${id}"]`).count(), `the field ${id} has no label`).toBe(1);
  }
}

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
