// `make bench`, the studio part: how long the server takes for each page of the studio, on both histories in turn, and when Chromium first paints those
// that show most, on the longer history.

import { randomBytes, randomUUID } from "node:crypto";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { newLogin } from "../../attack/attack.ts";
import { setPassword } from "../../suite/client/operator.ts";
import { startChromium } from "../browser/start-chromium.ts";
import { bodyOf, count, ms, percentile, send, table } from "./measure.ts";
import { common, rare } from "./seed.ts";
import { type Setting, type Side, sides } from "./setting.ts";

/** Milliseconds. `bytes`: of the page on the longer history, uncompressed. */
type PageMeasured = { page: PageName; bytes: number } & Record<Side, { p50: number; p99: number }>;

/** The most that a page may take at the median, in milliseconds. */
const maxPageMs = 200;

const day = (back: number): string => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);

/** Pages by what they show. */
const pages = {
  alerts: "/studio",
  "alerts, the part that refreshes itself": "/studio/queue",
  home: "/studio/home",
  "money, 30 days": "/studio/money",
  "money, 90 days": "/studio/money?span=90",
  "money, a year": "/studio/money?span=year",
  history: "/studio/history",
  "history, 30 days": `/studio/history?from=${day(30)}&to=${day(0)}`,
  "history, amounts from 1,000": "/studio/history?minAmount=1000",
  "history, a rare donator": `/studio/history?identifier=${rare.identifier}`,
  "history, a common word": `/studio/history?q=${encodeURIComponent(common.word)}`,
  "history, a rare word": `/studio/history?q=${encodeURIComponent(rare.word)}`,
  "a donation": "/studio/donation?id={donation}",
  "voiding a donation": "/studio/void?donation={donation}",
  "links of the overlay": "/studio/overlay",
  "setting up a widget": "/studio/overlay/widget?kind=top",
  designer: "/studio/designer",
  "a new variation": "/studio/designer/variation",
  settings: "/studio/settings",
  "API keys": "/studio/keys",
  webhooks: "/studio/webhooks",
  applications: "/studio/apps",
  imports: "/studio/import",
  privacy: "/studio/privacy",
  account: "/studio/account",
};
type PageName = keyof typeof pages;
const pageNames = Object.keys(pages) as PageName[];

/** A browser that is logged in. `cookie`: its Cookie header. `donation`: the id of the newest one. */
type Visit = { cookie: string; donation: string };

export async function measureStudio(url: string, setting: Setting, times: number): Promise<PageMeasured[]> {
  const visits = { smaller: await logIn(url, setting, "smaller"), larger: await logIn(url, setting, "larger") };
  const taken = pageNames.map((page) => ({ page, bytes: 0, smaller: [] as number[], larger: [] as number[] }));
  for (let round = -2; round < times; round += 1) {
    for (const side of sides) await donate(url, setting.keys[side]);
    for (const one of taken)
      for (const side of sides) {
        const { ms, bytes } = await timed(url, pages[one.page], visits[side]);
        if (round >= 0) one[side].push(ms); // the first ones warm up
        if (side === "larger") one.bytes = bytes;
      }
  }
  const measured = (all: readonly number[]) => ({ p50: percentile(all, 0.5), p99: percentile(all, 0.99) });
  return taken.map(({ page, bytes, smaller, larger }) => ({ page, bytes, smaller: measured(smaller), larger: measured(larger) }));
}

/** Answers that the server has kept are no answers from then on, as while a stream goes on. */
async function donate(url: string, key: string): Promise<void> {
  const donation = { donatorName: "Bench", amount: 20, skipAlert: true, idempotencyKey: randomUUID() };
  const { status } = await send(`${url}/api/v1/donations`, key, JSON.stringify(donation));
  if (status !== 201) throw new Error(`a donation is answered ${status}`);
}

/** Until the last byte of the page. Throws when it is no page. */
async function timed(url: string, path: string, { cookie, donation }: Visit): Promise<{ ms: number; bytes: number }> {
  const began = performance.now();
  const answer = await fetch(url + path.replace("{donation}", donation), { headers: { Cookie: cookie }, redirect: "manual" });
  const { byteLength: bytes } = await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return { ms: performance.now() - began, bytes };
}

/** Logs in as the streamer of a history, with a new password. */
async function logIn(url: string, { operator, keys }: Setting, handle: Side): Promise<Visit> {
  const password = randomBytes(16).toString("hex");
  await setPassword(operator, handle, password);
  const cookie = await newLogin({ url }, { handle, password });
  const newest = "/api/v1/donations?limit=1";
  const [donation] = bodyOf(await send(url + newest, keys[handle]), newest).data as { id: string }[];
  return { cookie, donation: donation?.id ?? "" };
}

/** The table of the studio's pages, and those that are too slow. */
export function studioText(measured: readonly PageMeasured[], rows: Record<Side, number>): string[] {
  const head = ["page", ...sides.flatMap((side) => [`p50 at ${count(rows[side])}`, "p99"]), "bytes"];
  const cells = measured.map((one) => [one.page, ...sides.flatMap((side) => [ms(one[side].p50), ms(one[side].p99)]), count(one.bytes)]);
  const slow = measured.filter(({ larger }) => larger.p50 > maxPageMs).map(({ page }) => page);
  const verdict = slow.length > 0 ? `Above ${maxPageMs} ms: ${slow.join("; ")}` : `Every page takes at most ${maxPageMs} ms at the median.`;
  return [table([head, ...cells]), "", verdict];
}

/** The table of first contentful paints. */
export function paintText(painted: readonly Painted[]): string {
  return table([["page", "screen", "p50", "worst"], ...painted.map(({ page, screen, p50, worst }) => [page, screen, ms(p50), ms(worst)])]);
}

const screens: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 375, height: 667 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};
const painted: readonly PageName[] = ["money, 30 days", "money, a year", "history", "history, a rare word", "designer"];
const rounds = 7;

/** Milliseconds from the navigation to the first contentful paint (Paint Timing), with nothing of the page in the browser's cache. */
type Painted = { page: PageName; screen: string; p50: number; worst: number };

/** Throws where there is no Chromium. */
export async function measureFirstPaint(url: string, setting: Setting): Promise<Painted[]> {
  const browser = await startChromium();
  try {
    const visit = await logIn(url, setting, "larger");
    const all = Object.keys(screens).flatMap((screen) => painted.map((page) => ({ page, screen, taken: [] as number[] })));
    for (let round = -1; round < rounds; round += 1) {
      await donate(url, setting.keys.larger);
      for (const { page, screen, taken } of all) {
        const ms = await paint(browser, { url, path: pages[page], screen, visit });
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
