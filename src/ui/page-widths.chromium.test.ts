// No page scrolls sideways, on a small phone, a phone and a desktop, with the longest texts that there can be, none of which has a blank.

import { expect, test } from "vitest";
import { openTab, type Tab } from "../../conformance/meta/browser/chromium.ts";
import { fillStudio, type Look, walk } from "../../conformance/meta/browser/filled-studio.ts";
import { newLogin } from "../../conformance/meta/browser/streamers.ts";
import { target } from "../../conformance/suite/values/target.ts";

const widths = [320, 390, 1440];

/** As long as a text may be, of the widest Latin letter. */
const wide = (length: number): string => "W".repeat(length);

/** What is wrong with the width of the page that the tab shows, with everything unfolded, and the innermost elements that stick out. */
async function faultsOf({ page }: Tab): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    const [shown, outside]: [number, string[]] = await page.evaluate(`(() => {
      for (const part of document.querySelectorAll("details")) part.open = true;
      const beyond = (one) => one.getBoundingClientRect().right > innerWidth + 1;
      const { scrollWidth } = document.documentElement;
      const outside = [...document.body.querySelectorAll("*")].filter((one) => beyond(one) && ![...one.children].some(beyond));
      return [scrollWidth, scrollWidth > innerWidth ? outside.slice(0, 5).map((one) => one.outerHTML.slice(0, 120)) : []];
    })()`);
    if (shown > width) faults.push(`${page.url()} is ${shown} pixels wide on a screen of ${width}: ${outside.join(" ")}`);
  }
  return faults;
}

/** What is wrong with the pages that are looked at. */
function collectFaults(): { faults: string[]; look: Look } {
  const faults: string[] = [];
  return { faults, look: async (tab) => void faults.push(...(await faultsOf(tab))) };
}

test.concurrent("no page of the docs is wider than its screen, at 320, 390 and 1440 pixels", async () => {
  const tab = await openTab();
  const { faults, look } = collectFaults();
  const seen = await walk(tab, { start: "/docs/", inside: /^\/docs[^.]*$/ }, look);
  expect(faults).toEqual([]);
  expect(seen.size).toBeGreaterThan(15);
  await tab.context.close();
});

test.concurrent("no page of the studio and the login is wider than its screen with the longest texts, at 320, 390 and 1440 pixels", async () => {
  const tab = await openTab();
  const { page } = tab;
  const { faults, look } = collectFaults();
  await page.goto(`${target().url}/studio`);
  await look(tab);
  const { handle } = await newLogin(tab, "/studio/overlay");
  const key = await fillStudio(tab, { handle, text: wide, look });
  await page.goto(`${target().url}/moderate#${key}`);
  await page.locator("#queue li").first().waitFor();
  await look(tab);
  const seen = await walk(tab, { start: "/studio", inside: /^\/(?:studio|oauth)/ }, look);
  expect(faults).toEqual([]);
  for (const path of [
    "/studio/donation",
    "/studio/donator",
    "/studio/void",
    "/studio/designer/variation",
    "/studio/webhooks/endpoint",
    "/oauth/connections",
  ])
    expect(seen).toContain(path);
  await tab.context.close();
});
