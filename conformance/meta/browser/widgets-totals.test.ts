import { expect, test } from "vitest";

import { takeScreenshot } from "./chromium.ts";
import { finishMovements, textOf, until } from "./overlay-tab.ts";
import { expectInside, full, setUpWidgets, untilText } from "./widgets-setup.ts";

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
