// The studio's pages of money, history, donations and donators in Chromium: from a bar to its donations, to one of them, and to a file; a donator's note and
// blocked name; a donation that is voided.

import { beforeAll, expect, test } from "vitest";
import { desktop, followLink, leave, openTab, phone, sendForm, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { newLogin, sendTestAlert } from "../../../conformance/meta/browser/streamers.ts";
import { create } from "../../../conformance/suite/client/api.ts";
import { importAll } from "../../../conformance/suite/client/imports.ts";
import { addKey } from "../../../conformance/suite/client/operator.ts";
import { target } from "../../../conformance/suite/values/target.ts";

let first: Tab;
let handle: string;

beforeAll(async () => {
  first = await openTab(desktop);
  ({ handle } = await newLogin(first, "/studio/money"));
  await looksRight(first, "studio-money-empty");
  await recordDonations(await addKey(target().operator!, handle, "write:donations"));
}, 120_000);

/** Two a day for the last 25 days, of three donators. */
async function recordDonations(key: string): Promise<void> {
  const names = ["Malee <b>", "สมชาย", "نادين"];
  const now = Date.now();
  for (let index = 0; index < 50; index += 1) {
    const createdAt = new Date(now - Math.floor(index / 2) * 86_400_000).toISOString();
    const donatorName = names[index % names.length];
    const { status } = await create(
      { donatorName, identifier: `id-${index % 3}`, amount: 20 + index * 7, message: "สู้ๆ", createdAt },
      { key },
    );
    expect(status).toBe(201);
  }
}

test.each(screens)("a streamer goes from the chart to the donations of a day, and to one of them: %s", async (screen, options) => {
  const tab = await openTab({ ...options, storageState: await first.context.storageState() });
  const { page } = tab;
  await page.goto(`${target().url}/studio/money`);
  const bar = page.locator(".bars a", { hasText: "2 donations" }).last();
  await bar.focus();
  await page.locator(".bars a:focus .tip").getByText("2 donations").waitFor();
  await looksRight(tab, `studio-money-${screen}`);
  if (tab.scripted) {
    const focused = () => page.evaluate("document.activeElement.id");
    const own = await focused();
    await bar.press("ArrowLeft");
    expect(await focused()).not.toBe(own);
    await page.keyboard.press("ArrowRight");
    expect(await focused(), "the arrow keys go from bar to bar").toBe(own);
  }
  await leave(tab, () => bar.press("Enter"));
  await page.locator("#found").waitFor();
  await expect.poll(() => page.locator(".list tbody tr").count()).toBe(2);
  expect(new URL(page.url()).search, "a reload shows the same").toContain("from=");
  await looksRight(tab, `studio-history-day-${screen}`);
  await followLink(tab, page.locator(".list a", { hasText: "Malee <b>" }));
  await page.locator("#which").waitFor();
  await expect.poll(() => page.locator("main").textContent()).toContain("Malee <b>");
  await page.locator(".story li", { hasText: "Recorded" }).waitFor();
  await looksRight(tab, `studio-donation-${screen}`);
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test("on a phone the first tap on a bar shows its amount, and the second one leads to its donations", async () => {
  const tab = await openTab({ ...phone, storageState: await first.context.storageState() });
  const { page } = tab;
  await page.goto(`${target().url}/studio/money`);
  await page.locator(".taps").waitFor();
  await expect.poll(() => page.locator(".scale span").allTextContents()).toHaveLength(5);
  const [bar, other] = [page.locator(".bars a").last(), page.locator(".bars a").nth(20)];
  for (const one of [other, bar]) {
    await one.tap();
    await one.and(page.locator(".shown")).waitFor();
    await expect.poll(() => page.evaluate("getComputedStyle(document.querySelector('.bars a.shown .tip')).opacity")).toBe("1");
    await expect.poll(() => page.locator(".bars a.shown").count()).toBe(1);
  }
  expect(new URL(page.url()).pathname).toBe("/studio/money");
  await looksRight(tab, "studio-money-tapped");
  await leave(tab, () => bar.tap());
  await page.locator("#found").waitFor();
  await tab.context.close();
});

test.each(screens)("a streamer chooses span and scale of the chart, and days of their own: %s", async (screen, options) => {
  const tab = await openTab({ ...options, storageState: await first.context.storageState() });
  const { page } = tab;
  const choose = (name: string) => followLink(tab, page.locator("main nav").getByText(name, { exact: true }));
  await page.goto(`${target().url}/studio/money`);
  await choose("Year");
  await expect.poll(() => page.locator(".bars li").count()).toBe(52);
  await choose("Compressed");
  await expect.poll(() => page.locator(".scale span").allTextContents()).toContain("฿1,000");
  expect(await page.locator(".scale span").allTextContents()).not.toContain("฿0");
  await looksRight(tab, `studio-money-year-${screen}`);
  await choose("Own");
  const day = (back: number) => new Date(Date.now() + 7 * 3_600_000 - back * 86_400_000).toISOString().slice(0, 10);
  await page.locator("input[name=from]").fill(day(1));
  await page.locator("input[name=to]").fill(day(3));
  await sendForm(tab, page.getByRole("button", { name: "Show" }));
  await page.locator("#field-to-fault").waitFor();
  await looksRight(tab, `studio-money-wrong-${screen}`);
  await page.locator("input[name=from]").fill(day(5));
  await sendForm(tab, page.getByRole("button", { name: "Show" }));
  await expect.poll(() => page.locator(".bars li").count()).toBe(3);
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test("what comes in while the money page is open is in its figures, its chart and its tables, and the focus stays", async () => {
  const tab = await openTab(desktop);
  const { page } = tab;
  const key = await addKey(target().operator!, (await newLogin(tab, "/studio/money")).handle, "write:donations");
  expect((await create({ donatorName: "Malee", amount: 50 }, { key })).status).toBe(201);
  await page.locator(".bars a").last().focus();
  expect((await create({ donatorName: "Prasert", amount: 90_000 }, { key })).status).toBe(201);
  await page.locator("#live-rankings", { hasText: "Prasert" }).waitFor();
  expect(await page.locator("#live-periods .sum").allTextContents()).toEqual(Array(4).fill("฿90,050"));
  expect(await page.locator(".bars a:focus .tip").textContent()).toContain("฿90,050");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("a streamer searches, filters, pages through the history and saves it as a file", async () => {
  const { page } = first;
  const show = () => sendForm(first, page.getByRole("button", { name: "Search" }));
  await page.goto(`${target().url}/studio/history`);
  await followLink(first, page.getByRole("link", { name: "Older" }));
  await page.getByRole("link", { name: "Latest" }).waitFor();
  await expect.poll(() => page.locator(".list tbody tr").count()).toBe(20);
  await expect.poll(() => page.locator("#sum").textContent()).toContain("50 donations");
  await followLink(first, page.getByRole("link", { name: "Newer" }));
  await page.getByRole("link", { name: "Latest" }).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("");
  await page.locator("main summary").click();
  await page.locator("input[name=minAmount]").fill("300");
  await page.locator("input[name=maxAmount]").fill("much");
  await show();
  await page.locator("#field-maxAmount-fault").waitFor();
  await looksRight(first, "studio-history-wrong");
  await page.locator("input[name=maxAmount]").fill("");
  await show();
  await page.locator("#found").waitFor();
  await expect.poll(() => page.locator(".list tbody tr").count()).toBe(10);
  await expect.poll(() => page.locator("#sum").textContent()).toContain("10 donations");
  const saved = page.waitForEvent("download");
  await page.getByRole("link", { name: "Excel" }).click();
  expect([(await saved).suggestedFilename(), await (await saved).failure()]).toEqual(["donations_all.xlsx", null]);
  await page.locator("input[name=q]").fill("نادين");
  await show();
  await page.locator("#found").waitFor();
  for (const text of await page.locator(".list .name bdi").allTextContents()) expect(text).toBe("نادين");
  await looksRight(first, "studio-history-search");
  await followLink(first, page.getByRole("link", { name: "Remove Search" }));
  await expect.poll(() => page.locator(".list tbody tr").count()).toBe(10);
  await page.setViewportSize({ width: 1440, height: 1100 });
  await page.goto(`${target().url}/studio/history`);
  await expect.poll(() => page.locator(".list tbody tr").count()).toBe(20);
  const bottom = () => page.locator(".list").evaluate((list) => list.getBoundingClientRect().bottom);
  expect(await bottom(), "twenty rows are in sight at once").toBeLessThanOrEqual(1_100);
  await page.setViewportSize(desktop.viewport!);
});

test("the sum of a search in a long history is added up step by step until it is complete, by the page or by its link", async () => {
  const once = { donatorName: "Somchai", amount: 0.1, message: "ครบรอบ", createdAt: new Date().toISOString() };
  const many = Array.from({ length: 2_600 }, (_, index) => ({ ...once, idempotencyKey: `sum-${index}` }));
  const key = await addKey(target().operator!, handle, "write:donations");
  expect(await importAll("NDJSON", many, { key })).toMatchObject({ status: 200 });
  const { page } = first;
  const steps: string[] = [];
  await page.route("**/studio/history/sum?*", async (route) => {
    steps.push((await page.locator("#sum").textContent()) ?? "");
    await route.continue();
  });
  await page.goto(`${target().url}/studio/history?q=${encodeURIComponent("ครบรอบ")}`);
  const top = () => page.locator(".list").evaluate((list) => list.getBoundingClientRect().top);
  await page.locator("#sum[aria-busy=true]").waitFor();
  const before = await top();
  await page.locator("#sum[aria-busy=false]").waitFor();
  expect(steps).toEqual([expect.stringMatching(/^At least ฿200 2,000 donations/)]);
  expect(await page.locator("#sum").textContent()).toBe("฿260 2,600 donations");
  expect(await top(), "nothing moves").toBe(before);
  await looksRight(first, "studio-history-sum");

  const plain = await openTab({ ...phone, javaScriptEnabled: false, storageState: await first.context.storageState() });
  await plain.page.goto(page.url());
  await followLink(plain, plain.page.getByRole("link", { name: "Continue adding up" }));
  await plain.page.locator("#sum", { hasText: "฿260 2,600 donations" }).waitFor();
  expect(await plain.page.locator("#sum").textContent()).not.toContain("At least");
  await plain.context.close();
});

test.each(screens)("a streamer opens a donator's page, notes something and blocks the name: %s", async (screen, options) => {
  const tab = await openTab(options);
  const { page } = tab;
  const key = await addKey(target().operator!, (await newLogin(tab, "/studio/history")).handle, "write:donations");
  for (let index = 0; index < 23; index += 1)
    expect((await create({ donatorName: index === 22 ? "Someone else" : "Malee <b>", amount: 10 + index }, { key })).status).toBe(201);
  await page.goto(`${target().url}/studio/history`);
  await followLink(tab, page.locator(".list a", { hasText: "Malee <b>" }).first());
  await followLink(tab, page.locator("a[href*='/studio/donator']").first());
  await expect.poll(() => page.locator("h1").textContent()).toBe("Malee <b>");
  await expect.poll(() => page.locator(".figures .sum").allTextContents()).toEqual(["฿451", "22", "#1"]);
  expect(await page.locator(".list tbody tr").count()).toBe(20);
  await looksRight(tab, `studio-donator-${screen}`);
  await followLink(tab, page.getByRole("link", { name: "Older" }));
  expect(await page.locator(".list tbody tr").count()).toBe(2);
  await page.locator("textarea").fill("Sends <cakes>");
  await sendForm(tab, page.getByRole("button", { name: "Save note" }));
  await page.getByText("Note saved.").waitFor();
  expect(await page.locator("textarea").inputValue()).toBe("Sends <cakes>");
  await sendForm(tab, page.getByRole("button", { name: "Block this name" }));
  await page.getByText("Name blocked.").waitFor();
  await looksRight(tab, `studio-donator-blocked-${screen}`);
  await sendForm(tab, page.getByRole("button", { name: "Unblock this name" }));
  await page.getByRole("button", { name: "Block this name" }).waitFor();
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test.each(screens)(
  "a streamer voids a donation from the studio's list, with a reason and a note that the list then shows: %s",
  async (screen, options) => {
    const tab = await openTab(options);
    const { page } = tab;
    const button = page.locator("form[action$='/studio/void'] button");
    await newLogin(tab, "/studio/home");
    await sendTestAlert(tab, "Malee <b>");

    await followLink(tab, page.locator("#live-latest a[href*='/studio/void']"));
    await button.waitFor();
    await expect.poll(() => page.locator("main").textContent()).toContain("Malee <b>");
    await looksRight(tab, `studio-void-${screen}`);
    const address = page.url();
    await button.click();
    await expect
      .poll(() => page.locator("input[name=reason]:invalid").count(), { message: "no reason is chosen, so nothing is sent" })
      .toBe(5);

    await page.locator("#reason-chargeback").check();
    await page.locator("input[name=note]").evaluate((field) => field.removeAttribute("maxlength"));
    await page.locator("input[name=note]").fill("x".repeat(256));
    await sendForm(tab, button);
    await page.locator("#field-note-fault").waitFor();
    await expect.poll(() => page.locator("#reason-chargeback").isChecked(), { message: "what was chosen stays" }).toBe(true);
    await looksRight(tab, `studio-void-wrong-${screen}`);

    await page.locator("input[name=note]").fill("Case <i>4711</i>");
    await sendForm(tab, button);
    await page.getByText("Donation voided.").waitFor();
    const latest = page.locator("#live-latest");
    await expect.poll(() => latest.textContent()).toContain("Case <i>4711</i>");
    await expect.poll(() => latest.textContent()).toContain("Void: Chargeback");
    await expect
      .poll(() => latest.locator("a[href*='/studio/void'], button").count(), { message: "a void donation is neither replayed nor voided" })
      .toBe(0);
    await looksRight(tab, `studio-voided-${screen}`);
    await page.goto(address);
    await page.getByText("This donation is void already.").waitFor();
    expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await tab.context.close();
  },
);
