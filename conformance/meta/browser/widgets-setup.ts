// Set-up of the tests of the widgets' pages: Chromium, a fake overlay server for each test, and what the widgets show.

import { afterEach, beforeEach, expect } from "vitest";
import { target } from "../../suite/values/target.ts";
import { moving } from "./chromium.ts";
import { type FakeOverlay, noWidgets, startFakeOverlay } from "./fake-overlay.ts";
import { finishMovements, type OverlayTab, openOverlay, textOf, until } from "./overlay-tab.ts";

type WidgetSetup = {
  /** The fake server of the current test; its widgets are `full`. */
  fake: FakeOverlay;
  /** Opens a widget, which is closed after the test, and waits until it is connected. */
  open: (path: string, viewport: { width: number; height: number }) => Promise<OverlayTab>;
};

/** A donation as a widget gets it. */
export const donation = (id: number, donatorName: string, amount: number, message = "") => ({
  donationId: `01932f6e-8a00-7000-8000-${String(id).padStart(12, "0")}`,
  donatorName,
  amount,
  currency: "THB",
  message,
  createdAt: "2026-11-20T12:30:00.000Z",
});
export const longName = "พี่ผู้ใหญ่ใจดีจากกรุงเทพมหานครอมรรัตนโกสินทร์มหิน";

export const markup = `<img src=x onerror=alert(1)>`;

/** Widgets that show everything, with texts that are hard to show. */
export const full = {
  ...noWidgets,
  goal: { title: "ซื้อไมค์ใหม่ให้ช่อง", target: 20_000, current: 12_345.5, to: null as string | null, ended: false },
  goals: [
    { id: "mic", title: "ซื้อไมค์ใหม่ให้ช่อง", target: 20_000, current: 12_345.5, to: null as string | null, ended: false },
    { id: "trip", title: "ทริปทะเล", target: 1_000, current: 100, to: null as string | null, ended: false },
  ],
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

/** Registers the hooks of a test file. `fake` is set before each test. */
export function setUpWidgets(): WidgetSetup {
  const tabs: OverlayTab[] = [];
  const setup = {
    open: async (path, viewport) => {
      const tab = await openOverlay(setup.fake, { path, options: { ...moving, viewport } });
      tabs.push(tab);
      await until(
        () => setup.fake.streams.length,
        (count) => count === 1,
      );
      return tab;
    },
  } as WidgetSetup;
  beforeEach(async () => {
    setup.fake = await startFakeOverlay(target().url);
    setup.fake.snapshot.widgets = full;
  });
  afterEach(async () => {
    for (const { context } of tabs.splice(0)) await context.close();
    setup.fake.close();
  });
  return setup;
}

/** Waits until the part of the page shows this text. */
export const untilText = (tab: OverlayTab, part: string, text: string) =>
  until(
    () => textOf(tab, part),
    (seen) => seen === text,
  );

/** The texts of each entry of a list. */
export const rows = async ({ page }: OverlayTab): Promise<string[][]> =>
  Promise.all((await page.locator("li").all()).map((row) => row.locator("> *").allTextContents()));

/** Expects that nothing is wider than the page. */
export async function expectInside({ page }: OverlayTab): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  await page.evaluate(finishMovements);
  const rights: number[] = await page.evaluate(
    "[...document.querySelectorAll('main, main *')].map((one) => one.getBoundingClientRect().right)",
  );
  expect(Math.max(...rights)).toBeLessThanOrEqual(width);
}

/** Where the card ends, in pixels from the top. */
export const lowest = ({ page }: OverlayTab): Promise<number> =>
  page.evaluate("document.querySelector('main').getBoundingClientRect().bottom");

/** What the timer shows as left, in seconds; NaN while it shows nothing. */
export const secondsOn = async (tab: OverlayTab): Promise<number> =>
  ((await textOf(tab, "left")) ?? "x").split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
