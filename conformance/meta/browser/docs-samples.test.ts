// Samples in several languages, as tabs.

import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { violationsOf } from "./axe.ts";
import { desktop, openChromium, phone, type Tab } from "./chromium.ts";
import { focused, open, openDocs } from "./docs-tab.ts";

let browser: Browser;
beforeAll(async () => void (browser = await openChromium()));

const groups = ({ page }: Tab) => page.locator(".samples");
const shownLanguages = ({ page }: Tab) =>
  page
    .locator(".samples .code:visible")
    .evaluateAll((blocks) => blocks.map((block) => (block as unknown as { dataset: { language: string } }).dataset.language));
const tabNamed = (tab: Tab, name: string) => groups(tab).first().getByRole("tab", { name });

test("one sample of each group is shown, and a tab for each language", async () => {
  const tab = await openDocs(browser);
  await open(tab, "quickstart");
  await expect.poll(() => shownLanguages(tab)).toEqual(["sh", "sh"]);
  await expect.poll(() => groups(tab).first().getByRole("tab").allTextContents()).toEqual(["curl", "Node.js", "Python"]);
  const panel = groups(tab).first().getByRole("tabpanel", { name: "curl" });
  await expect.poll(() => panel.textContent()).toContain("curl -i");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("a chosen language is shown in every sample of the page that has it, on other pages, and after a reload", async () => {
  const tab = await openDocs(browser, phone);
  await open(tab, "quickstart");
  await tabNamed(tab, "Python").tap();
  await expect.poll(() => shownLanguages(tab)).toEqual(["python", "python"]);
  await open(tab, "idempotency");
  await expect.poll(() => shownLanguages(tab)).toEqual(["python"]);
  await tab.page.reload();
  await expect.poll(() => shownLanguages(tab)).toEqual(["python"]);
  await expect.poll(() => tabNamed(tab, "Python").getAttribute("aria-selected")).toBe("true");
  await tab.context.close();
});

test("a sample that lacks the chosen language shows another one", async () => {
  const tab = await openDocs(browser);
  await open(tab, "quickstart");
  await tabNamed(tab, "curl").click();
  await tabNamed(tab, "Node.js").click();
  await tabNamed(tab, "curl").click();
  await open(tab, "rate-limits");
  await expect.poll(() => shownLanguages(tab)).toEqual(["js"]);
  await tab.context.close();
});

test("the tab that was clicked stays where it is when samples above it change their height", async () => {
  const tab = await openDocs(browser);
  await open(tab, "quickstart");
  const python = groups(tab).last().getByRole("tab", { name: "Python" });
  await python.scrollIntoViewIfNeeded();
  const before = await python.boundingBox();
  await python.click();
  await expect.poll(() => shownLanguages(tab)).toEqual(["python", "python"]);
  expect(Math.abs(((await python.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
  await tab.context.close();
});

test("arrow keys, Home and End choose a tab, and Tab leads from it into the sample", async () => {
  const tab = await openDocs(browser);
  const { keyboard } = tab.page;
  await open(tab, "quickstart");
  await tabNamed(tab, "curl").focus();
  const press = async (key: string) => {
    await keyboard.press(key);
    return [await focused(tab), ...(await shownLanguages(tab))];
  };
  const nameOf = async (name: string) => tabNamed(tab, name).getAttribute("id");
  expect(await press("ArrowRight")).toEqual([await nameOf("Node.js"), "js", "js"]);
  expect(await press("End")).toEqual([await nameOf("Python"), "python", "python"]);
  expect(await press("ArrowRight")).toEqual([await nameOf("curl"), "sh", "sh"]);
  expect(await press("ArrowLeft")).toEqual([await nameOf("Python"), "python", "python"]);
  expect(await press("Home")).toEqual([await nameOf("curl"), "sh", "sh"]);
  await keyboard.press("Tab");
  await expect.poll(() => tab.page.evaluate("document.activeElement.closest('[role=tabpanel]').dataset.language")).toBe("sh");
  expect(await violationsOf(tab)).toEqual([]);
  await tab.context.close();
});

test("without JavaScript the samples stand one below the other, each with the name of its language", async () => {
  const tab = await openDocs(browser, { ...desktop, javaScriptEnabled: false });
  await open(tab, "quickstart");
  await expect.poll(() => shownLanguages(tab)).toEqual(["sh", "js", "python", "sh", "js", "python"]);
  const name = await tab.page.locator(".code[data-language=python]").first().ariaSnapshot();
  expect(name).toContain('group "Code: Python"');
  await tab.context.close();
});

test("a browser that keeps nothing for the site shows tabs and changes themes all the same", async () => {
  const tab = await openDocs(browser);
  await tab.page.addInitScript("Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })");
  await open(tab, "quickstart");
  await tabNamed(tab, "Python").click();
  await tab.page.locator(".theme").click();
  await expect.poll(() => shownLanguages(tab)).toEqual(["python", "python"]);
  await expect.poll(() => tab.page.locator("html").getAttribute("data-theme")).toBe("light");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});
