// What the widgets show of donations: goals and totals, the newest donations, donators, and the timer.

import { expect, test } from "vitest";
import { takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { noWidgets } from "../../conformance/meta/browser/fake-overlay.ts";
import { finishMovements, textOf, until } from "../../conformance/meta/browser/overlay-tab.ts";
import {
  donation,
  expectInside,
  full,
  longName,
  lowest,
  markup,
  rows,
  secondsOn,
  setUpWidgets,
  untilText,
} from "../../conformance/meta/browser/widgets-setup.ts";

const setup = setUpWidgets();

test("the goal widget shows title, bar and amounts on load and updates them live", async () => {
  const tab = await setup.open("goal", { width: 450, height: 140 });
  await untilText(tab, "title", "ซื้อไมค์ใหม่ให้ช่อง");
  expect([await textOf(tab, "current"), await textOf(tab, "target"), await textOf(tab, "percent")]).toEqual([
    "฿12,345.50",
    "฿20,000",
    "61%",
  ]);
  await takeScreenshot(tab, "widget-goal");
  await expectInside(tab);
  const edges = "['.bar', '.track'].map((one) => document.querySelector(one).getBoundingClientRect().left)";
  await tab.page.evaluate(finishMovements);
  const [barLeft, trackLeft] = (await tab.page.evaluate(edges)) as number[];
  expect(barLeft, "the bar begins with its first colour").toBe(trackLeft);
  await expect
    .poll(() => tab.page.evaluate("getComputedStyle(document.querySelector('.bar')).clipPath"))
    .toMatch(/^inset\(0px 38\.\d+% 0px 0px/);
  setup.fake.send("widgets", { ...full, goal: { ...full.goal, current: 20_000 } });
  await untilText(tab, "current", "฿20,000");
  await untilText(tab, "percent", "ถึงเป้าแล้ว!");
  await tab.page.evaluate(finishMovements);
  await expect
    .poll(() => tab.page.evaluate("getComputedStyle(document.querySelector('.bar')).clipPath"))
    .toMatch(/^inset\(0px (0% 0px 0px )?round/);
  setup.fake.send("widgets", { ...full, goal: null });
  await until(
    () => textOf(tab, "title"),
    (text) => text === null,
  );
  expect(tab.complaints).toEqual([]);
});

test("an amount that did not change stays as it is when the widgets are sent again", async () => {
  const tab = await setup.open("total", { width: 400, height: 130 });
  await untilText(tab, "amount", "฿12,345,678.25");
  await tab.page.evaluate(
    `window.shown = []; new MutationObserver(([{ target }]) => shown.push(target.textContent)).observe(document.querySelector("[data-part=amount]"), { childList: true })`,
  );
  const asOf = "2026-11-20T12:31:00.000Z";
  setup.fake.send("widgets", { ...full, asOf });
  await until(
    () => tab.page.evaluate<string>("JSON.stringify(window.journal)"),
    (entries) => entries.includes(asOf),
  );
  await tab.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  expect((await tab.page.evaluate<string[]>("shown")).filter((text) => text !== "฿12,345,678.25")).toEqual([]);
});

test.each([
  ["total?span=today", "ยอดวันนี้", "฿1,854.50", "6 ครั้ง"],
  ["total?span=month", "ยอดเดือนนี้", "฿98,765", "321 ครั้ง"],
  ["total", "ยอดทั้งหมด", "฿12,345,678.25", "4,321 ครั้ง"],
  ["total?span=all&lang=en", "All time", "฿12,345,678.25", "4,321 donations"],
])("the total widget %s shows title, amount and count of its period", async (path, title, amount, count) => {
  const tab = await setup.open(path, { width: 400, height: 130 });
  await untilText(tab, "amount", amount);
  expect([await textOf(tab, "title"), await textOf(tab, "count")]).toEqual([title, count]);
  await takeScreenshot(tab, path.replaceAll(/\W+/g, "-"));
  await expectInside(tab);
  const more = { amount: 12_345_778.25, count: 4_322 };
  setup.fake.send("widgets", { ...full, totals: { today: more, month: more, all: more } });
  await untilText(tab, "amount", "฿12,345,778.25");
  expect(tab.complaints).toEqual([]);
});

test("the goal widget shows the goal that ?goal= names, hides itself while there is none of that id, and says so outside OBS", async () => {
  const tab = await setup.open("goal?goal=trip", { width: 450, height: 140 });
  await untilText(tab, "title", "ทริปทะเล");
  expect([await textOf(tab, "percent"), await tab.page.evaluate("document.querySelector('.hint')?.textContent ?? null")]).toEqual([
    "10%",
    null,
  ]);
  setup.fake.send("widgets", { ...full, goals: full.goals.slice(0, 1) });
  await until(
    () => textOf(tab, "title"),
    (text) => text === null,
  );
  expect(await tab.page.evaluate("document.querySelector('.hint').textContent")).toContain("goal: mic");
  setup.fake.send("widgets", full);
  await untilText(tab, "title", "ทริปทะเล");
  expect(await tab.page.evaluate("document.querySelector('.hint')")).toBeNull();
  expect(tab.complaints).toEqual([]);
});

test("the goal widget shows the last day of a goal, and that it is over", async () => {
  const ends = { ...full.goal, target: 1_000_000_000, to: "2026-12-31" };
  setup.fake.snapshot.widgets = { ...full, goal: ends };
  const tab = await setup.open("goal?lang=en", { width: 450, height: 140 });
  await untilText(tab, "target", "฿1,000,000,000 · until 31 Dec");
  await expectInside(tab);
  setup.fake.send("widgets", { ...full, goal: { ...ends, ended: true } });
  await untilText(tab, "target", "฿1,000,000,000 · ended");
});

test("the recent widget shows the newest donation first, text of donators as text within its box, and a new donation on top", async () => {
  const tab = await setup.open("recent", { width: 400, height: 460 });
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
  setup.fake.send("widgets", { ...full, recent: [donation(7, "คนใหม่", 77), ...full.recent] });
  await until(
    () => rows(tab),
    ([newest]) => newest?.[0] === "คนใหม่",
  );
  await expect.poll(() => rows(tab)).toHaveLength(5);
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
  const tab = await setup.open("top?count=3", { width: 400, height: 320 });
  await until(
    () => rows(tab),
    ({ length }) => length === 3,
  );
  await expect
    .poll(() => rows(tab))
    .toEqual([
      ["1", "สมชาย ใจดี", "฿125,000.50"],
      ["2", "น้องปุ๊กกี้", "฿50,000"],
      ["2", "น้องปุ๊กกี้", "฿50,000"],
    ]);
  await takeScreenshot(tab, "widget-top");
  await expectInside(tab);
  setup.fake.send("widgets", { ...full, top: full.top.toReversed() });
  await until(
    () => rows(tab),
    ([first]) => first?.[1] === longName,
  );
  expect(tab.complaints).toEqual([]);
});

test.each([
  ["top?period=day&count=1", "ผู้สนับสนุนสูงสุดวันนี้", "วันนี้"],
  ["top?period=week", "ผู้สนับสนุนสูงสุดสัปดาห์นี้", "สัปดาห์นี้"],
  ["top?period=month&lang=en", "Top donators this month", "เดือนนี้"],
  ["top?title=แชมป์ของช่อง", "แชมป์ของช่อง", "สมชาย ใจดี"],
])("the top widget %s shows the donators of its period under its title", async (path, title, name) => {
  const one = (donatorName: string) => [{ rank: 1, donatorName, amount: 9, count: 1 }];
  setup.fake.snapshot.widgets = { ...full, topOf: { day: one("วันนี้"), week: one("สัปดาห์นี้"), month: one("เดือนนี้") } };
  const tab = await setup.open(path, { width: 400, height: 460 });
  await untilText(tab, "title", title);
  expect((await rows(tab))[0]?.[1]).toBe(name);
});

test.each([
  ["donator", "ผู้สนับสนุนล่าสุด", "สมชาย ใจดี", "฿500"],
  ["donator?show=largest", "โดเนทสูงสุด", longName, "฿1,000,000"],
  ["donator?show=largest&period=week&lang=en", "Largest this week", "محمد", "฿99"],
])("the donator widget %s shows title, name and amount within its size", async (path, title, name, amount) => {
  const largest = { day: null, week: full.recent[3], month: null, all: donation(9, longName, 1_000_000) };
  setup.fake.snapshot.widgets = { ...full, largest };
  const tab = await setup.open(path, { width: 400, height: 130 });
  await untilText(tab, "title", title);
  expect([await textOf(tab, "name"), await textOf(tab, "amount")]).toEqual([name, amount]);
  await takeScreenshot(tab, path.replaceAll(/\W+/g, "-"));
  await expectInside(tab);
  await expect.poll(() => lowest(tab)).toBeLessThanOrEqual(130);
  setup.fake.send("widgets", noWidgets);
  await until(
    () => textOf(tab, "title"),
    (text) => text === null,
  );
  expect(tab.complaints).toEqual([]);
});

test.each([
  ["recent?count=10", 460],
  ["recent?count=10", 880],
  ["recent?count=5", 460],
  ["top?count=10", 460],
])("the list %s is not taller than a source of %i pixels, with the longest texts", async (path, height) => {
  const long = Array.from({ length: 10 }, (_, id) => donation(id, longName, 1_000_000, "ขอบคุณสำหรับสตรีมครับ ".repeat(11)));
  const top = long.map(({ donatorName, amount }, index) => ({ rank: index + 1, donatorName, amount, count: 1 }));
  setup.fake.snapshot.widgets = { ...full, recent: long, top };
  const tab = await setup.open(path, { width: 400, height });
  await until(
    () => rows(tab),
    ({ length }) => length === Number(/\d+$/.exec(path)?.[0]),
  );
  await takeScreenshot(tab, `${path.replaceAll(/\W+/g, "-")}-${height}`);
  await expect.poll(() => lowest(tab)).toBeLessThanOrEqual(height);
  await expectInside(tab);
  await tab.page.setViewportSize({ width: 400, height: 340 });
  await until(
    () => lowest(tab),
    (bottom) => bottom <= 340,
  );
});

const timerSize = { width: 400, height: 130 };

const timer = (status: string, remainingMs: number) => ({
  ...noWidgets,
  timer: { status, remainingMs, endsAt: status === "running" ? "2026-11-20T12:30:00.000Z" : null },
});

test("a timer that runs counts down by itself, whatever the page's clock says", async () => {
  setup.fake.snapshot.widgets = timer("running", 3_723_000);
  const tab = await setup.open("timer", timerSize);
  const first = await until(
    () => secondsOn(tab),
    (seconds) => seconds > 0,
  );
  expect(first).toBeLessThanOrEqual(3_723);
  expect(first).toBeGreaterThan(3_700);
  await until(
    () => secondsOn(tab),
    (seconds) => seconds < first - 1,
  );
  await expectInside(tab);
  expect(tab.complaints).toEqual([]);
});

test("a paused timer stands still and says so; one that has ended shows zero; without one nothing is shown", async () => {
  setup.fake.snapshot.widgets = timer("paused", 90_000);
  const tab = await setup.open("timer?lang=en", timerSize);
  await untilText(tab, "left", "0:01:30");
  expect(await textOf(tab, "state")).toBe("paused");
  await tab.page.waitForTimeout(1_500); // a timer that ran would have moved on
  expect(await textOf(tab, "left")).toBe("0:01:30");
  setup.fake.send("widgets", timer("ended", 0));
  await untilText(tab, "state", "Time is up");
  expect(await textOf(tab, "left")).toBe("0:00:00");
  setup.fake.send("widgets", noWidgets);
  await until(
    () => textOf(tab, "left"),
    (text) => text === null,
  );
});

test("time that was added is shown beside the time that is left, and time that was taken is not", async () => {
  setup.fake.snapshot.widgets = timer("paused", 60_000);
  const tab = await setup.open("timer", timerSize);
  await untilText(tab, "left", "0:01:00");
  setup.fake.send("widgets", timer("paused", 360_000));
  await untilText(tab, "gain", "+0:05:00");
  setup.fake.send("widgets", timer("paused", 30_000));
  await untilText(tab, "left", "0:00:30");
  expect(await textOf(tab, "gain")).toBe("+0:05:00");
  await expectInside(tab);
});

test("a second page of the browser shows what is left now, and not what was left when the first one connected", async () => {
  setup.fake.snapshot.widgets = timer("running", 600_000);
  const tab = await setup.open("timer", timerSize);
  const first = await until(
    () => secondsOn(tab),
    (seconds) => seconds < 598,
  );
  const second = await tab.context.newPage();
  await second.goto(tab.page.url());
  const later = { ...tab, page: second };
  const seen = await until(
    () => secondsOn(later),
    (seconds) => seconds > 0,
  );
  expect(seen).toBeLessThanOrEqual(first);
});
