// The search of the documentation, while somebody types and as a page.

import { expect, test } from "vitest";
import {
  desktop,
  followLink,
  leave,
  openDocs,
  openDocsPage,
  phone,
  type Tab,
  takeScreenshot,
} from "../../../conformance/meta/browser/chromium.ts";
import { expectAccessible, expectedMessages, expectUsableLayout, violationsOf } from "../../../conformance/meta/browser/page-checks.ts";
import { target } from "../../../conformance/suite/values/target.ts";

const field = ({ page }: Tab) => page.getByRole("searchbox", { name: "Search the docs" });

const results = ({ page }: Tab) => page.locator(".found a");

/** Waits until this is the first result: while somebody types, there are results of what was typed before. */
const firstResult = ({ page }: Tab, text: RegExp) => page.locator(".found li:first-child a", { hasText: text }).waitFor();

const path = ({ page }: Tab) => page.url().slice(`${target().url}/docs/`.length);

test("results come while somebody types, with the place where they are, and lead there", async () => {
  const tab = await openDocs();
  await openDocsPage(tab, "scopes");
  await field(tab).pressSequentially("take a donation");
  await tab.page
    .getByRole("status")
    .getByText(/^\d+ results$/)
    .waitFor();
  await firstResult(tab, /^Take a donation back Quickstart/);
  expect(await violationsOf(tab)).toEqual([]);
  await takeScreenshot(tab, "docs-search", false);
  await followLink(tab, results(tab).first());
  expect(path(tab)).toBe("quickstart#take-a-donation-back");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("what somebody types before the search's script has come is found when it comes", async () => {
  const tab = await openDocs();
  const typed = Promise.withResolvers<void>();
  await tab.page.route("**/assets/search.js", (route) => typed.promise.then(() => route.continue()));
  await tab.page.goto(`${target().url}/docs/scopes`, { waitUntil: "commit" });
  await field(tab).fill("take a donation");
  typed.resolve();
  await firstResult(tab, /^Take a donation back Quickstart/);
  await tab.context.close();
});

test("the keyboard opens the search, walks through its results and leaves it", async () => {
  const tab = await openDocs();
  const { keyboard } = tab.page;
  await openDocsPage(tab, "scopes");
  const isFocused = (selector: string) =>
    tab.page.evaluate(`document.activeElement === document.querySelector(${JSON.stringify(selector)})`);
  await keyboard.press("Control+k");
  await expect.poll(() => isFocused("#query")).toBe(true);
  await keyboard.type("rate_limited");
  await firstResult(tab, /^rate_limited/);
  await keyboard.press("ArrowDown");
  await expect.poll(() => isFocused(".found li:nth-child(1) a")).toBe(true);
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowUp");
  await keyboard.press("ArrowUp");
  await expect.poll(() => isFocused("#query")).toBe(true);
  await keyboard.press("Escape");
  await expect.poll(() => results(tab).first().isVisible()).toBe(false);
  await keyboard.type("x");
  await keyboard.press("Backspace");
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await tab.page.waitForURL("**/errors#rate_limited");
  await tab.context.close();
});

test("Enter opens the search page, on which the results follow what is typed", async () => {
  const tab = await openDocs();
  await openDocsPage(tab, "scopes");
  await field(tab).fill("webhook");
  await field(tab).press("Enter");
  await tab.page.waitForURL("**/search?q=webhook");
  await expect.poll(() => field(tab).inputValue()).toBe("webhook");
  const before = await results(tab).allTextContents();
  expect(before).toHaveLength(40);
  await field(tab).press("End");
  await field(tab).pressSequentially("_not_found");
  await tab.page.getByRole("status").getByText("result").filter({ hasNotText: "of which" }).waitFor();
  await firstResult(tab, /^webhook_not_found/);
  await tab.page.waitForURL("**/search?q=webhook_not_found");
  await tab.page.reload();
  await firstResult(tab, /^webhook_not_found/);
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test("the server and the browser find the same", async () => {
  const tab = await openDocs();
  for (const query of ["idempotency key", "โดเนท", "retries", "donationId"]) {
    await openDocsPage(tab, `search?q=${encodeURIComponent(query)}`);
    const served = await results(tab).evaluateAll((links) => links.map((link) => (link as unknown as { outerHTML: string }).outerHTML));
    const addresses = await results(tab).evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href));
    expect(served.length, query).toBeGreaterThan(0);
    await tab.page.locator("ul.found").evaluate((list) => (list as unknown as { replaceChildren: () => void }).replaceChildren());
    await field(tab).press("End");
    await field(tab).press("Space");
    await results(tab).first().waitFor();
    const typed = await results(tab).evaluateAll((links) => links.map((link) => (link as unknown as { innerHTML: string }).innerHTML));
    expect(
      typed.map((text) => served.some((link) => link.includes(text))),
      query,
    ).not.toContain(false);
    await expect
      .poll(() => results(tab).evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href)))
      .toEqual(addresses);
  }
  await tab.context.close();
});

test("without JavaScript a search is answered with a page, in both languages", async () => {
  for (const [locale, count] of [
    ["en-GB", /results/],
    ["th-TH", /ผลลัพธ์/],
  ] as const) {
    const tab = await openDocs({ ...phone, javaScriptEnabled: false, locale });
    await openDocsPage(tab, "scopes");
    await tab.page.locator(".to-search").tap();
    await tab.page.locator("#query").fill("โดเนท");
    await tab.page.locator("#query").press("Enter");
    await tab.page.waitForURL("**/search?q=*");
    await expect.poll(() => tab.page.locator(".count").textContent()).toMatch(count);
    await leave(tab, () => results(tab).first().tap());
    expect(path(tab)).toMatch(/^quickstart/);
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  }
});

test.each([
  ["phone", phone],
  ["desktop-dark", { ...desktop, colorScheme: "dark" as const }],
])("the search page fits the screen and is accessible: %s", async (name, options) => {
  const tab = await openDocs(options);
  for (const query of ["", "?q=retry", "?q=nosuchword", `?q=${"x".repeat(101)}`]) {
    await openDocsPage(tab, `search${query}`);
    await takeScreenshot(tab, `docs-search-${name}-${query.length}`);
    await expectAccessible(tab);
    if (name === "phone") await expectUsableLayout(tab);
    expect(await violationsOf(tab)).toEqual([]);
  }
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("a search whose index can't be loaded still leads to the search page", async () => {
  const tab = await openDocs();
  await tab.page.route("**/assets/search*.json", (route) => route.abort());
  await openDocsPage(tab, "scopes");
  const refused = tab.page.waitForEvent("requestfailed");
  await field(tab).fill("webhook");
  await refused;
  await expect.poll(() => results(tab).count()).toBe(0);
  await field(tab).press("Enter");
  await tab.page.waitForURL("**/search?q=webhook");
  await expect.poll(() => results(tab).count()).toBe(40);
  await tab.context.close();
});

test("operations and members that are found are places of the API reference", async () => {
  const tab = await openDocs();
  for (const [query, id] of [
    ["createDonation", "tag/donations/POST/api/v1/donations"],
    ["getDonation", "tag/donations/GET/api/v1/donations/{donationId}"],
    ["errorsTruncated", "models/ImportFailure"],
  ] as const) {
    await openDocsPage(tab, `search?q=${query}`);
    const address = await results(tab).first().getAttribute("href");
    expect(address).toBe(`reference#${id}`);
    await results(tab).first().click();
    await tab.page.locator(`[id$="${id}"]`).first().waitFor();
    await tab.page.waitForFunction(`document.querySelector('[id$="${id}"]').getBoundingClientRect().top < innerHeight`);
  }
  await tab.context.close();
});
