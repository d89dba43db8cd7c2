// `make bench`, the studio part: when Chromium first paints the pages of the studio that show most, on the longer history.

import type { Browser, BrowserContextOptions } from "playwright-core";
import { startChromium } from "../browser/start-chromium.ts";
import { percentile } from "./http.ts";
import type { Setting } from "./setting.ts";
import { donate, logIn, pages, type Visit } from "./studio.ts";

const screens: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 375, height: 667 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};
const painted = ["money, 30 days", "money, 12 months", "history", "history, a rare word", "designer"];
const rounds = 7;

/** Milliseconds from the navigation to the first contentful paint (Paint Timing), with nothing of the page in the browser's cache. */
export type Painted = { page: string; screen: string; p50: number; worst: number };

/** Throws where there is no Chromium. */
export async function measureFirstPaint(url: string, setting: Setting): Promise<Painted[]> {
  const browser = await startChromium();
  try {
    const visit = await logIn(url, setting, "larger");
    const all = Object.keys(screens).flatMap((screen) => painted.map((page) => ({ page, screen, taken: [] as number[] })));
    for (let round = -1; round < rounds; round += 1) {
      await donate(url, setting.keys.larger);
      for (const { page, screen, taken } of all) {
        const ms = await paint(browser, { url, path: pages[page] as string, screen, visit });
        if (round >= 0) taken.push(ms); // the first one warms up
      }
    }
    return all.map(({ page, screen, taken }) => ({ page, screen, p50: percentile(taken, 0.5), worst: Math.max(...taken) }));
  } finally {
    await browser.close();
  }
}

async function paint(browser: Browser, { url, path, screen, visit }: { url: string; path: string; screen: string; visit: Visit }) {
  const context = await browser.newContext(screens[screen]);
  try {
    await context.addCookies(
      visit.cookie.split("; ").map((pair) => ({ url, name: pair.slice(0, pair.indexOf("=")), value: pair.slice(pair.indexOf("=") + 1) })),
    );
    const page = await context.newPage();
    await page.goto(url + path);
    return (await page.evaluate(firstPaint)) as number;
  } finally {
    await context.close();
  }
}

/** Runs in the page. */
const firstPaint = `new Promise((resolve) => {
  new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").forEach(({ startTime }) => resolve(startTime)))
    .observe({ type: "paint", buffered: true });
})`;
