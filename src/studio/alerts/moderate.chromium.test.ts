// The moderators' page in Chromium, beside an overlay page that plays what is approved. Nothing is faked.

import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContextOptions, Locator } from "playwright-core";
import { expect, test } from "vitest";
import { setUpAlerts, untilText } from "../../../conformance/meta/browser/alert-setup.ts";
import { desktop, openTab, phone, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import * as studioScreens from "../../../conformance/meta/browser/page-checks.ts";
import { addKey } from "../../../conformance/suite/client/operator.ts";
import { change, decide, donate, queue, queueOf } from "../../../conformance/suite/client/overlay/alert-controls.ts";
import { remember } from "../../../conformance/suite/values/redact.ts";

const alerts = setUpAlerts();

const { open, untilConnected, untilStatus } = alerts;

const screens: [string, BrowserContextOptions][] = [
  ["phone", phone],
  ["desktop", desktop],
  ["Thai", { ...phone, locale: "th-TH" }],
];

/** Buttons are dim, and do nothing, for a moment after the list has moved. */
async function looksRight(tab: Tab, name: string): Promise<void> {
  await tab.page.locator("#queue:not([data-settling])").waitFor();
  await studioScreens.looksRight(tab, name);
}

/** Opens the page with a key of these scopes. */
async function openPage(options: BrowserContextOptions, scopes = "moderate:alerts"): Promise<Tab & { key: string }> {
  const { operator } = alerts.streamer;
  const key = await addKey(operator, operator.handle ?? "", scopes, "moderators");
  remember(key);
  const tab = await openTab(options);
  await tab.page.goto(`${alerts.streamer.url}/moderate#${key}`);
  return { ...tab, key };
}

/** Lists that have just moved take no taps. */
const settled = "#queue:not([data-settling])";

/** Clicks the button, and again when the list moved between the look at it and the click, or between its two halves. */
async function click(button: Locator): Promise<void> {
  const page = button.page();
  do {
    await page.evaluate(`window.missed = true;
      addEventListener("click", ({ target }) => {
        window.missed = !target.closest("button[data-act]") || document.querySelector("#queue").hasAttribute("data-settling");
      }, { capture: true, once: true })`);
    await button.click();
  } while (await page.evaluate("window.missed"));
}

const press = ({ page }: Tab, act: string, donator: string) =>
  click(page.locator(`${settled} li`, { hasText: donator }).locator(`button[data-act=${act}]`));

/** At the end of the page the last alert and the buttons that stay in sight are both to be seen whole. */
async function expectListBesideBar({ page }: Tab): Promise<void> {
  // At one moment: the page draws its lists anew when they change.
  const [bar, last] = (await page.evaluate(`(() => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
    return [document.querySelector(".stays"), [...document.querySelectorAll("#queue li")].at(-1)].map((one) => one.getBoundingClientRect().toJSON());
  })()`)) as [Record<"top" | "bottom", number>, Record<"top" | "bottom", number>];
  expect(bar.top < last.bottom && bar.bottom > last.top, "the bar lies over the last alert").toBe(false);
  expect(bar.bottom, "the bar is in sight").toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
}

test.each(screens)(
  "an alert that a moderator approves on their page plays on the overlay, and one that is denied does not: %s",
  async (screen, options) => {
    const { as } = alerts.streamer;
    await change({ approval: "all", approvalSeconds: 600, minimumSeconds: 20, maximumSeconds: 30 }, as);
    const overlay = await open();
    await untilConnected();
    const tab = await openPage(options);
    const { page } = tab;
    await page.locator("#queue").waitFor();
    await page.waitForURL(`${alerts.streamer.url}/moderate`); // the key is out of sight
    await page
      .locator("#channel")
      .getByText(alerts.streamer.operator.handle ?? "")
      .waitFor();
    await looksRight(tab, `moderate-empty-${screen}`);

    const good = await donate({ donatorName: "มานี <b>ใจดี</b>", message: "สู้ๆ" }, as);
    const bad = await donate({ donatorName: "Rude", message: "spam" }, as);
    const masked = await donate({ donatorName: "Hidden name" }, as);
    await page.locator("#held li").nth(2).waitFor();
    await expect.poll(() => page.locator("#held").textContent()).toContain("<b>ใจดี</b>");
    await looksRight(tab, `moderate-held-${screen}`);
    await expectListBesideBar(tab);
    await press(tab, "approve", "มานี");
    await untilText(overlay, "name", "มานี <b>ใจดี</b>");
    await untilStatus(good.id, "playing");
    await press(tab, "deny", "Rude");
    await press(tab, "mask", "Hidden name");
    await page.locator("#waiting li", { hasText: "Hidden name" }).waitFor();
    await page.locator("#playing", { hasText: "มานี" }).waitFor();
    await looksRight(tab, `moderate-playing-${screen}`);
    expect((await untilStatus(bad.id, "skipped")).alert.reason).toBe("denied");

    await page.locator("#hide").click();
    await page.locator("#unhide").waitFor();
    expect(queueOf(await queue(as)).hidden).toBe(true);
    await untilText(overlay, "name", null);
    await click(page.locator(`${settled} #unhide`));
    await page.locator("#playing .entry", { hasText: "Hidden name" }).waitFor();
    await click(page.locator(`${settled} #skip`));
    expect((await untilStatus(masked.id, "skipped")).alert.reason).toBe("control");
    await page.locator("#skip:disabled").waitFor(); // there is nothing to skip

    await page.reload();
    await page.locator("#queue").waitFor();
    expect(tab.complaints.filter((line) => !/ERR_ABORTED/.test(line))).toEqual([]);
    await tab.context.close();
  },
);

test("after a decision by keyboard the same button of the next alert has the focus", async () => {
  const { as } = alerts.streamer;
  await change({ approval: "all", approvalSeconds: 600 }, as);
  const tab = await openPage(desktop);
  const { page } = tab;
  for (const donatorName of ["Key 1", "Key 2", "Key 3"]) await donate({ donatorName }, as);
  await page.locator(`${settled} #held li`, { hasText: "Key 3" }).waitFor();
  const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id") as Promise<string>;
  await page.locator("#held li", { hasText: "Key 1" }).locator("button[data-act=deny]").focus();
  for (const [next, left] of [
    [/Key 2$/, 2],
    [/Key 3$/, 1],
    [/^held$/, 0],
  ] as const) {
    await page.locator(settled).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#held li").count()).toBe(left);
    await expect.poll(focused).toMatch(next);
  }
  await tab.context.close();
});

test("a double tap on the moderators' page decides about one alert, and hides everything without showing it again", async () => {
  const { as } = alerts.streamer;
  await change({ approval: "all", approvalSeconds: 600 }, as);
  const tab = await openPage(desktop);
  const { page } = tab;
  for (const donatorName of ["Tap 1", "Tap 2", "Tap 3"]) await donate({ donatorName }, as);
  await page.locator("#held li").nth(2).waitFor();
  await page.locator("#channel:not(:empty)").waitFor();
  await page.locator("#queue:not([data-settling])").waitFor(); // its timer is a real one, which the clock below would not move
  const posts: string[] = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.url().split("/").at(-1) ?? ""));
  // From now on time stands still, so that the second tap comes soon enough on any machine.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const { x = 0, y = 0 } = (await page.locator("#held button[data-act=deny]").first().boundingBox()) ?? {};
  const tap = () => page.mouse.click(x + 5, y + 5);
  await tap();
  await page.locator("#held li").nth(2).waitFor({ state: "detached" });
  await tap();
  await page.clock.runFor(700);
  await tap();
  await page.locator("#held li").nth(1).waitFor({ state: "detached" });
  await expect.poll(() => page.locator("#held li").textContent()).toContain("Tap 3");
  await page.locator("#hide").click(); // at once, even now
  await page.locator("#unhide").click();
  await page.clock.runFor(700);
  await page.locator("#unhide").click();
  await page.locator("#hide").waitFor();
  expect(posts).toEqual(["deny", "deny", "hide", "unhide"]);
  await tab.context.close();
});

test("the moderators' page says so when somebody else has decided, when the server is away, and when the key is missing, wrong or revoked", async () => {
  const { as, url } = alerts.streamer;
  await change({ approval: "all", approvalSeconds: 600 }, as);
  const tab = await openPage(desktop);
  const { page } = tab;
  const says = (text: string) => page.locator("#notice", { hasText: text }).waitFor();
  const { id } = await donate({ donatorName: "Somebody" }, as);
  await page.locator("#held li").waitFor();
  await page.route("**/api/v1/alerts", (route) => route.abort());
  await says("Can't reach the server");
  await untilStatus(id, "queued");
  // From now on the page is answered, but does not learn that somebody has decided.
  await page.unroute("**/api/v1/alerts");
  const before = await queue(as);
  await page.route("**/api/v1/alerts", (route) => route.fulfill({ json: before.body }));
  await page.waitForRequest("**/api/v1/alerts");
  await decide(id, "deny", as);
  await press(tab, "approve", "Somebody");
  await says("Somebody has decided");
  await page.unroute("**/api/v1/alerts");
  await page.locator("#held li").waitFor({ state: "detached" });

  await page.goto(`${url}/moderate#namjai_v1_wrong`);
  await says("no longer works");
  await expect.poll(() => page.locator("#queue").isVisible()).toBe(false);
  await page.goto(`${url}/moderate`);
  await says("There is no key");
  await page.goto(`${url}/moderate#ไทย`);
  await says("no longer works");
  const other = await openPage(desktop, "write:donations");
  await other.page.locator("#notice", { hasText: "may not moderate" }).waitFor();
  await page.goto(`${url}/moderate#${alerts.streamer.key}`);
  await says("no longer works");
  for (const { context } of [tab, other]) await context.close();
});

test("a moderator who presses a button with a revoked key is told that the key no longer works, also seconds later", async () => {
  const tab = await openPage(desktop);
  const { page } = tab;
  await page.locator("#queue").waitFor();
  await page.locator("#channel:not(:empty)").waitFor();
  await page.route("**/api/v1/alerts/hide", (route) => route.fulfill({ status: 401, json: {} }));
  await page.locator("#hide").click();
  await page.locator("#notice", { hasText: "no longer works" }).waitFor();
  await sleep(3_000); // longer than between two looks at the queue
  expect(await page.locator("#notice").textContent()).toContain("no longer works");
  expect(await page.locator("#queue").isVisible()).toBe(false);
  await tab.context.close();
});
