// report.html and the table of results in Chromium: axe finds nothing wrong with them, in light and dark, on a desktop and on a phone.

import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, test } from "vitest";
import { tableOf } from "../../suite/command/results.ts";
import { htmlOf } from "../../suite/report/html.ts";
import { resultOf } from "../../suite/report/result.ts";
import { failedRule, incompleteRun, killMatrix, knownRun, passedRun, results, runWith } from "../selftest/runs.ts";
import { desktop, inDark, openTab, type Tab } from "./chromium.ts";
import { unfold, violationsOf } from "./page-checks.ts";

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Opens the page with every folded part unfolded. */
async function open(html: string, options: BrowserContextOptions): Promise<Tab> {
  const tab = await openTab(options);
  await tab.page.setContent(html);
  await unfold(tab);
  return tab;
}

const journal = "/home/someone/.local/state/namjai-conformance/c9b36cb087f1c54a31000a7602603aec.json is its journal";

const notMeasured = runWith([], { verdict: "not measurable", reason: { text: `another run tests it: ${journal}`, curl: null } });

const pages: [string, string][] = [
  ["a report with failures", htmlOf(runWith([failedRule(), failedRule({ family: "message", title: "another" }), ...passedRun().rules]))],
  ["a report of an incomplete run", htmlOf(incompleteRun())],
  ["a report with a known failure", htmlOf(knownRun())],
  ["a report of a passed run", htmlOf(passedRun())],
  [
    "a report of a server that was not measurable",
    htmlOf({ ...runWith([]), verdict: "not measurable", reason: { text: "no", curl: "curl" } }),
  ],
  ["a table of results", tableOf([...results(), resultOf(notMeasured)], killMatrix())],
];

const screens: [string, BrowserContextOptions][] = [
  ["a desktop", desktop],
  ["a phone", phone],
];

describe.each(pages)("%s", (_, html) => {
  test.each(screens)(
    "on %s has no violation of axe in light and dark colours and is not wider than the screen",
    async (_, screen) => {
      const tab = await open(html, screen);
      expect(await violationsOf(tab)).toEqual([]);
      await inDark(tab, async () => expect(await violationsOf(tab)).toEqual([]));
      await expect
        .poll(() => tab.page.evaluate("document.documentElement.scrollWidth"))
        .toBeLessThanOrEqual(tab.page.viewportSize()?.width ?? 0);
      expect(tab.complaints).toEqual([]);
      await tab.context.close();
    },
    60_000,
  );
});

test("expected and actual stand beside each other on a desktop and below each other on a phone", async () => {
  const html = htmlOf(runWith([failedRule()]));
  const places = await Promise.all(
    [desktop, phone].map(async (screen) => {
      const { page, context } = await open(html, screen);
      const boxes = await Promise.all(["expected", "actual"].map((name) => page.getByRole("group", { name }).boundingBox()));
      await context.close();
      return boxes.map((box) => Math.round(box?.y ?? 0));
    }),
  );
  const [[left, right] = [], [upper = 0, lower = 0] = []] = places;
  expect(left).toBe(right);
  expect(lower).toBeGreaterThan(upper);
});
