// Thai and English pages of the studio in Chromium, and the switch between them.

import type { BrowserContextOptions } from "playwright-core";
import { expect, test } from "vitest";
import { desktop, openTab, phone, sendForm, type Tab, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
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
