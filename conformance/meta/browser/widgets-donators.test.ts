import { expect, test } from "vitest";

import { takeScreenshot } from "./chromium.ts";
import { noWidgets } from "./fake-overlay.ts";
import { textOf, until } from "./overlay-tab.ts";
import { donation, expectInside, full, longName, lowest, markup, rows, setUpWidgets, untilText } from "./widgets-setup.ts";

const setup = setUpWidgets();

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
