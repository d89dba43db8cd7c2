// The screens on which pages of the studio are tried, and what every page must be on them.

import type { BrowserContextOptions } from "playwright-core";
import { expect } from "vitest";

import { foldMenus, unfold, violationsOf, violationsOfColours } from "./axe.ts";
import { desktop, expectAccessible, expectUsableLayout, inDark, phone, type Tab, takeScreenshot } from "./chromium.ts";

export const screens: [string, BrowserContextOptions][] = [
  ["phone", phone],
  ["desktop", desktop],
  ["no-script", { ...phone, javaScriptEnabled: false }],
];

/** Messages of the browser that are no faults: requests cut off by leaving a page, and the 400 of a refused form. */
export const expectedMessages = /^failed: \S+ net::ERR_ABORTED$|status of 400 \(Bad Request\)$/;

/** Saves a picture; with scripts, expects a usable layout and no violation of axe with everything unfolded, on a desktop in dark colours, too. */
export async function looksRight(tab: Tab, name: string): Promise<void> {
  if (tab.scripted) await unfold(tab);
  await takeScreenshot(tab, name);
  if (!tab.scripted) return;
  await expectUsableLayout(tab);
  await expectAccessible(tab);
  expect(await violationsOf(tab)).toEqual([]);
  await foldMenus(tab);
  if (tab.mobile) return;
  await inDark(tab, async () => {
    await takeScreenshot(tab, `${name}-dark`);
    expect(await violationsOfColours(tab)).toEqual([]);
  });
}
