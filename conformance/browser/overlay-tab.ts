import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

/** A browser source, as OBS has them by default. */
export const source: BrowserContextOptions = { viewport: { width: 800, height: 600 } };

export type Entry = { at: number; event: string; playbackId: string; sound: string; outcome: string; seconds: number };

/** A page of the overlay or a widget, and everything that was wrong in it. */
export type OverlayTab = { page: Page; context: BrowserContext; complaints: string[] };

/** Where pages come from, and the overlay key that they get. */
export type Origin = { url: string; key: string };

/** `path`: below /overlay/. In a browser of its own unless `context` is given. */
export async function openOverlay(
  browser: Browser,
  { url, key }: Origin,
  {
    path = "",
    context,
    options = {},
    script,
  }: { path?: string; context?: BrowserContext; options?: BrowserContextOptions; script?: string } = {},
): Promise<OverlayTab> {
  const own = context ?? (await browser.newContext({ ...source, ...options }));
  const page = await own.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  if (script) await page.addInitScript(script);
  await page.goto(`${url}/overlay/${path}#${key}`);
  return { page, context: own, complaints };
}

export const journal = ({ page }: OverlayTab): Promise<Entry[]> => page.evaluate("window.journal");

export const events = async (tab: OverlayTab): Promise<string[]> =>
  (await journal(tab)).filter(({ event }) => ["shown", "started", "ended", "stopped"].includes(event)).map(({ event }) => event);

/** Waits for a condition; a failure says what was there instead. */
export async function until<T>(read: () => T | Promise<T>, holds: (value: T) => boolean, limit = 15_000): Promise<T> {
  const deadline = Date.now() + limit;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > deadline) expect.fail(`not within ${limit / 1000} s; the last was ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

export const untilEvent = (tab: OverlayTab, event: string): Promise<string[]> =>
  until(
    () => events(tab),
    (seen) => seen.includes(event),
  );

/** The text of a part; null while it can't be seen. */
export const textOf = async ({ page }: OverlayTab, part: string): Promise<string | null> => {
  const element = page.locator(`[data-part="${part}"]`);
  return (await element.isVisible()) ? element.textContent() : null;
};
