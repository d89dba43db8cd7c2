import { accessSync, constants, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const quiet = [
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

/** A phone of the smaller kind. */
export const phone: BrowserContextOptions = {
  viewport: { width: 375, height: 667 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  locale: "th-TH",
};

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, locale: "th-TH" };

/** What OBS allows its pages. */
export const withSound = ["--autoplay-policy=no-user-gesture-required"];

/** Starts Chromium. Without one the rules are not run, and that is a failure. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  try {
    accessSync(executablePath, constants.X_OK);
  } catch {
    throw new Error(`not run: there is no Chromium at ${executablePath}. Install it (apt-get install chromium) or set CHROMIUM`);
  }
  return chromium.launch({ executablePath, args: [...quiet, ...args] });
}

/** A tab, and what was wrong in it: errors on the console, refusals of the content security policy, failed requests. */
export type Tab = { page: Page; context: BrowserContext; complaints: string[] };

export async function openTab(browser: Browser, options: BrowserContextOptions = desktop): Promise<Tab> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url().slice(0, 100)} ${request.failure()?.errorText}`));
  return { page, context, complaints };
}

/** A picture of the whole page, for people to look at. */
export async function picture({ page }: Tab, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: `${screenshots}${name}.png`, fullPage: true });
}

/** Nothing sticks out at the side, every control can be hit with a finger, and every field has a label. */
export async function expectHandsome({ page }: Tab): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  const scrollWidth = await page.evaluate("document.documentElement.scrollWidth");
  expect(scrollWidth, "the page is wider than the screen").toBeLessThanOrEqual(width);
  for (const control of await page.locator("button, input:not([type=hidden])").all()) {
    const box = await control.boundingBox();
    expect(box?.height, `${await control.evaluate((node) => node.outerHTML)} is too low for a finger`).toBeGreaterThanOrEqual(40);
  }
  for (const field of await page.locator("input:not([type=hidden])").all()) {
    const id = await field.getAttribute("id");
    expect(await page.locator(`label[for="${id}"]`).count(), `the field ${id} has no label`).toBe(1);
  }
}
