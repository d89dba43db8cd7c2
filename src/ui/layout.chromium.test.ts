// What every page has from its layout, in Chromium: Thai and English texts and the switch between them, the chosen colours, and no width beyond the screen.

import type { BrowserContextOptions } from "playwright-core";
import { expect, test } from "vitest";
import { desktop, openTab, phone, sendForm, type Tab, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { fillStudio, type Look, walk } from "../../conformance/meta/browser/filled-studio.ts";
import { expectedMessages, expectUsableLayout, looksRight } from "../../conformance/meta/browser/page-checks.ts";
import { newLogin, openMenu } from "../../conformance/meta/browser/streamers.ts";
import { target } from "../../conformance/suite/values/target.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

/** The letters of Thai, without the sign ฿. */
const thai = /[\u0E01-\u0E3A\u0E40-\u0E5B]/;

async function switchTo(tab: Tab, language: "th" | "en"): Promise<void> {
  await openMenu(tab);
  await sendForm(tab, tab.page.locator(`.language button[value=${language}]`));
  await expect.poll(() => languageOf(tab)).toBe(language);
}

const languageOf = ({ page }: Tab) => page.locator("html").getAttribute("lang");

/** The text that a page shows and reads out, without the switch and without what is typed in. */
const textOf = ({ page }: Tab) =>
  page.evaluate<string>(`(() => {
    const copy = document.querySelector("body").cloneNode(true);
    for (const part of copy.querySelectorAll(".language")) part.remove();
    const labels = [...copy.querySelectorAll("[aria-label]")].map((element) => element.getAttribute("aria-label"));
    return [document.title, copy.textContent, ...labels].join(" ");
  })()`);

const screens: [string, BrowserContextOptions][] = [
  ["phone", { ...phone, locale: "th-TH" }],
  ["no-script", { ...desktop, locale: "th-TH", javaScriptEnabled: false }],
];

test.each(screens)("every page of the studio is in Thai or, after a switch in its header, in English: %s", async (screen, options) => {
  const tab = await openTab(options);
  const { page } = tab;
  await newLogin(tab);
  const links = await page.locator("nav[aria-label] a").evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
  expect(links.length).toBeGreaterThan(8);
  // Scripts change nothing about the texts: without them two pages show that the switch works.
  for (const href of tab.scripted ? links : links.slice(0, 2)) {
    const name = `studio-language-${new URL(href).pathname.replaceAll("/", "-").slice(1)}-${screen}`;
    await page.goto(`${href}?x=1`);
    if ((await languageOf(tab)) === "en") await switchTo(tab, "th");
    await expect.poll(() => textOf(tab)).not.toMatch(/Log out|Alerts|Skip to/);
    await looksRight(tab, `${name}-th`);
    const address = page.url();
    await switchTo(tab, "en");
    expect(page.url()).toBe(address);
    await expect.poll(() => textOf(tab)).not.toMatch(thai);
    // Other files look at the pages in English with axe.
    if (tab.scripted) await expectUsableLayout(tab);
    await takeScreenshot(tab, `${name}-en`);
  }
  await openMenu(tab);
  await sendForm(tab, page.locator("form[action$='/oauth/logout'] button"));
  await page.waitForSelector("input[name=password]");
  await expect.poll(() => textOf(tab), { message: "the choice stays after the logout" }).not.toMatch(thai);
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test.each(screens)("colours that are chosen in the menu stay on every page, and go back to those of the system: %s", async (_, options) => {
  const tab = await openTab({ ...options, locale: "en-GB", colorScheme: "light" });
  const { page } = tab;
  await newLogin(tab, "/studio/money");
  const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await paper();
  const choose = async (theme: string) => {
    await openMenu(tab);
    await sendForm(tab, page.locator(`button[name=theme][value=${theme}]`));
  };
  await choose("dark");
  expect(page.url(), "the choice leads back").toBe(`${target().url}/studio/money`);
  await page.goto(`${target().url}/studio/keys`);
  const dark = await paper();
  expect(dark).not.toBe(light);
  await choose("system");
  await expect.poll(paper).toBe(light);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(paper).toBe(dark);
  await choose("light");
  await expect.poll(paper).toBe(light);
  await tab.context.close();
});

test("every entry of the menu is in sight on a desktop of 1280 × 800", async () => {
  const tab = await openTab(desktop);
  await newLogin(tab);
  const hidden = await tab.page.locator(".places").evaluate((places) => places.scrollHeight - places.clientHeight);
  expect(hidden).toBe(0);
  await tab.context.close();
});

test("a login page still leads to the page that was asked for after a switch of the language", async () => {
  const tab = await openTab({ ...desktop, locale: "th-TH" });
  const { page } = tab;
  await page.goto(`${target().url}/oauth/login?to=/studio/money`);
  await switchTo(tab, "en");
  expect(page.url()).toBe(`${target().url}/oauth/login?to=/studio/money`);
  await switchTo(tab, "th");
  await expect.poll(() => page.locator("h1").textContent()).toMatch(thai);
  await tab.context.close();
});

// No page scrolls sideways, on a small phone, a phone and a desktop, with the longest texts that there can be, none of which has a blank.

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
