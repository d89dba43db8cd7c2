import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

import { target } from "../harness/server/target.ts";
import { startChromium, takeScreenshot } from "./chromium.ts";
import { type FakeOverlay, noWidgets, startFakeOverlay } from "./fake-overlay.ts";
import { type OverlayTab, openOverlay, textOf, until } from "./overlay-tab.ts";

let browser: Browser;
let fake: FakeOverlay;
const tabs: OverlayTab[] = [];

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  fake = await startFakeOverlay(target().url);
  fake.snapshot.widgets = full;
});
afterEach(async () => {
  for (const { context } of tabs.splice(0)) await context.close();
  fake.close();
});

const donation = (id: number, donatorName: string, amount: number, message = "") => ({
  donationId: `01932f6e-8a00-7000-8000-${String(id).padStart(12, "0")}`,
  donatorName,
  amount,
  currency: "THB",
  message,
  createdAt: "2026-11-20T12:30:00.000Z",
});
const longName = "พี่ผู้ใหญ่ใจดีจากกรุงเทพมหานครอมรรัตนโกสินทร์มหิน";
const markup = `<img src=x onerror=alert(1)>`;

const full = {
  ...noWidgets,
  goal: { title: "ซื้อไมค์ใหม่ให้ช่อง", target: 20_000, current: 12_345.5 },
  totals: { today: { amount: 1_854.5, count: 6 }, month: { amount: 98_765, count: 321 }, all: { amount: 12_345_678.25, count: 4_321 } },
  recent: [
    donation(1, "สมชาย ใจดี", 500, "สู้ ๆ นะครับ"),
    donation(2, markup, 20, markup),
    donation(3, longName, 1_234.5, "ขอบคุณสำหรับสตรีมครับ ".repeat(11)),
    donation(4, "محمد", 99, "شكرا"),
    donation(5, "W".repeat(50), 1_000_000, "W".repeat(255)),
    donation(6, "หก", 6),
  ],
  top: [
    { rank: 1, donatorName: "สมชาย ใจดี", amount: 125_000.5, count: 12 },
    { rank: 2, donatorName: "น้องปุ๊กกี้", amount: 50_000, count: 3 },
    { rank: 2, donatorName: "น้องปุ๊กกี้", amount: 50_000, count: 2 },
    { rank: 4, donatorName: longName, amount: 20_000, count: 3 },
  ],
};

async function open(path: string, viewport: { width: number; height: number }): Promise<OverlayTab> {
  const tab = await openOverlay(browser, fake, { path, options: { viewport } });
  tabs.push(tab);
  await until(
    () => fake.streams.length,
    (count) => count === 1,
  );
  return tab;
}

const untilText = (tab: OverlayTab, part: string, text: string) =>
  until(
    () => textOf(tab, part),
    (seen) => seen === text,
  );
const rows = async ({ page }: OverlayTab): Promise<string[][]> =>
  Promise.all((await page.locator("li").all()).map((row) => row.locator("> *").allTextContents()));

/** Expects that nothing is wider than the page. */
async function expectInside({ page }: OverlayTab): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  const rights: number[] = await page.evaluate(
    "[...document.querySelectorAll('main, main *')].map((one) => one.getBoundingClientRect().right)",
  );
  expect(Math.max(...rights)).toBeLessThanOrEqual(width);
}

test("the goal widget shows title, bar and amounts on load and updates them live", async () => {
  const tab = await open("goal", { width: 450, height: 140 });
  await untilText(tab, "title", "ซื้อไมค์ใหม่ให้ช่อง");
  expect([await textOf(tab, "current"), await textOf(tab, "target"), await textOf(tab, "percent")]).toEqual([
    "฿12,345.50",
    "฿20,000",
    "61%",
  ]);
  await tab.page.waitForTimeout(1_000);
  await takeScreenshot(tab, "widget-goal");
  await expectInside(tab);
  fake.send("widgets", { ...full, goal: { ...full.goal, current: 20_000 } });
  await untilText(tab, "current", "฿20,000");
  expect(await textOf(tab, "percent")).toBe("ถึงเป้าแล้ว!");
  const share =
    "(({ width }, outer) => width / outer.width)(document.querySelector('.bar').getBoundingClientRect(), document.querySelector('.track').getBoundingClientRect())";
  expect(await tab.page.evaluate(share)).toBe(1);
  fake.send("widgets", { ...full, goal: null });
  await until(
    () => textOf(tab, "title"),
    (text) => text === null,
  );
  expect(tab.complaints).toEqual([]);
});

test.each([
  ["total?span=today", "ยอดวันนี้", "฿1,854.50", "6 ครั้ง"],
  ["total?span=month", "ยอดเดือนนี้", "฿98,765", "321 ครั้ง"],
  ["total", "ยอดทั้งหมด", "฿12,345,678.25", "4,321 ครั้ง"],
  ["total?span=all&lang=en", "All time", "฿12,345,678.25", "4,321 donations"],
])("the total widget %s shows title, amount and count of its period", async (path, title, amount, count) => {
  const tab = await open(path, { width: 400, height: 130 });
  await untilText(tab, "amount", amount);
  expect([await textOf(tab, "title"), await textOf(tab, "count")]).toEqual([title, count]);
  await takeScreenshot(tab, path.replaceAll(/\W+/g, "-"));
  await expectInside(tab);
  const more = { amount: 12_345_778.25, count: 4_322 };
  fake.send("widgets", { ...full, totals: { today: more, month: more, all: more } });
  await untilText(tab, "amount", "฿12,345,778.25");
  expect(tab.complaints).toEqual([]);
});

test("the recent widget shows the newest donation first, text of donators as text within its box, and a new donation on top", async () => {
  const tab = await open("recent", { width: 400, height: 460 });
  await until(
    () => rows(tab),
    ({ length }) => length === 5,
  );
  expect((await rows(tab)).slice(0, 2)).toEqual([
    ["สมชาย ใจดี", "฿500", "สู้ ๆ นะครับ"],
    [markup, "฿20", markup],
  ]);
  await takeScreenshot(tab, "widget-recent");
  await expectInside(tab);
  const first = await tab.page.locator("li").first().elementHandle();
  fake.send("widgets", { ...full, recent: [donation(7, "คนใหม่", 77), ...full.recent] });
  await until(
    () => rows(tab),
    ([newest]) => newest?.[0] === "คนใหม่",
  );
  expect(await rows(tab)).toHaveLength(5);
  expect(
    await tab.page
      .locator("li")
      .nth(1)
      .evaluate((node, other) => node === other, first),
    "the row has stayed",
  ).toBe(true);
  expect(tab.complaints).toEqual([]);
});

test("the top widget shows equal ranks, donators of the same name separately, and ?count rows", async () => {
  const tab = await open("top?count=3", { width: 400, height: 320 });
  await until(
    () => rows(tab),
    ({ length }) => length === 3,
  );
  expect(await rows(tab)).toEqual([
    ["1", "สมชาย ใจดี", "฿125,000.50"],
    ["2", "น้องปุ๊กกี้", "฿50,000"],
    ["2", "น้องปุ๊กกี้", "฿50,000"],
  ]);
  await takeScreenshot(tab, "widget-top");
  await expectInside(tab);
  fake.send("widgets", { ...full, top: full.top.toReversed() });
  await until(
    () => rows(tab),
    ([first]) => first?.[1] === longName,
  );
  expect(tab.complaints).toEqual([]);
});

test.each(["goal", "recent", "top"])("the %s widget is invisible without data", async (path) => {
  fake.snapshot.widgets = noWidgets;
  const tab = await open(path, { width: 400, height: 300 });
  await tab.page.waitForTimeout(500);
  expect(await textOf(tab, "title")).toBeNull();
  fake.send("widgets", full);
  await until(
    () => textOf(tab, "title"),
    (text) => text !== null,
  );
});

test("widgets keep their content while the server cannot be reached", async () => {
  const tab = await open("total", { width: 400, height: 130 });
  await untilText(tab, "amount", "฿12,345,678.25");
  fake.refusals = [503, 0];
  fake.snapshot.widgets = { ...full, totals: { ...full.totals, all: { amount: 5, count: 1 } } };
  fake.cut();
  expect(await textOf(tab, "amount")).toBe("฿12,345,678.25");
  await untilText(tab, "amount", "฿5");
});

test("widgets are invisible when their overlay key is refused", async () => {
  const tab = await open("total", { width: 400, height: 130 });
  await untilText(tab, "amount", "฿12,345,678.25");
  fake.key = "new";
  fake.cut();
  await until(
    () => textOf(tab, "amount"),
    (text) => text === null,
  );
});
