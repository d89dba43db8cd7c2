// Donations and donators in the studio: a donator's page with a note and a name that is blocked, a donation that is taken back, a denied alert that is
// replayed, and erasure and retention.

import { expect, test } from "vitest";
import { followLink, openTab, sendForm, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { newLogin, unfoldTestForm } from "../../../conformance/meta/browser/streamers.ts";
import { create } from "../../../conformance/suite/client/api.ts";
import { addKey } from "../../../conformance/suite/client/operator.ts";
import { target } from "../../../conformance/suite/values/target.ts";

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

/** Sends a test alert from the alerts page, which records a donation without an identifier. */
async function sendTestAlert({ page }: Pick<Tab, "page">, donatorName: string): Promise<void> {
  await page.goto(`${target().url}/studio`);
  await unfoldTestForm({ page });
  await page.locator("input[name=donatorName]").fill(donatorName);
  await sendForm({ page }, page.locator("form[action$='/studio/test'] button"));
}

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

test.each(screens)(
  "a denied alert is replayed after a question alone, on the page of alerts and of the donation: %s",
  async (screen, options) => {
    const tab = await openTab(options);
    const { page } = tab;
    const latest = page.locator("#live-latest");
    await newLogin(tab, "/studio/settings");
    await page.locator("select[name=approval]").selectOption("all");
    await sendForm(tab, page.locator("form[action$='/studio/settings'] button.main").first());
    await sendTestAlert(tab, "Malee <b>");
    const deny = page.locator("button[name=decision][value^=deny]");
    await expect
      .poll(async () => {
        if (!tab.scripted) await page.reload();
        return deny.count();
      })
      .toBe(1);
    await sendForm(tab, deny);
    await latest.getByText("Denied").waitFor();
    await expect.poll(() => latest.locator("button").count(), { message: "no tap replays it at once" }).toBe(0);

    await followLink(tab, latest.locator("a[href*='/studio/replay']"));
    await page.getByText("You or a moderator denied this alert.").waitFor();
    await expect.poll(() => page.locator("main").textContent()).toContain("Malee <b>");
    await looksRight(tab, `studio-replay-${screen}`);
    await followLink(tab, page.getByRole("link", { name: "Back, without a replay" }));
    await latest.getByText("Denied").waitFor();
    await followLink(tab, latest.getByRole("link", { name: "Malee <b>", exact: true }));
    await followLink(tab, page.getByRole("link", { name: "Replay…" }));
    await sendForm(tab, page.getByRole("button", { name: "Replay on stream" }));
    await page.getByText("Added to the queue for a replay.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/studio/donation");
    expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await tab.context.close();
  },
);

// Password checks are slow on purpose, and each screen has its own streamer.
/** An erasure that is shown anew answers 409. */
const isExpected = (line: string) => expectedMessages.test(line) || line.endsWith("status of 409 (Conflict)");

const open = ({ page }: Tab, path: string) => page.goto(target().url + path);

const submit = (tab: Tab, action: string) => sendForm(tab, tab.page.locator(`form[action$='/studio/privacy/${action}'] button`));

/** Another donation, while the page stays open. */
async function donateMeanwhile({ context }: Tab, donatorName: string): Promise<void> {
  const page = await context.newPage();
  await sendTestAlert({ page }, donatorName);
  await page.locator("#live-latest").getByText(donatorName).first().waitFor();
  await page.close();
}

async function check(tab: Tab, who: string): Promise<void> {
  await tab.page.locator("#by-donatorName").check();
  await tab.page.locator("input[name=who]").fill(who);
  await submit(tab, "check");
}

test.each(screens)(
  "a streamer checks an erasure, is shown a changed number, erases, and turns retention on and off: %s",
  async (screen, options) => {
    const tab = await openTab(options);
    const { page } = tab;
    await newLogin(tab, "/studio/privacy");
    await looksRight(tab, `studio-privacy-${screen}`);
    await check(tab, "");
    await page.locator("#field-who-fault").waitFor();
    await expect.poll(() => page.locator("#by-donatorName").isChecked(), { message: "what was chosen stays" }).toBe(true);
    await looksRight(tab, `studio-privacy-wrong-${screen}`);
    await check(tab, "Nobody");
    await page.getByText("No donation under this name").waitFor();
    await looksRight(tab, `studio-privacy-nobody-${screen}`);

    await donateMeanwhile(tab, "Malee <b>");
    await open(tab, "/studio/privacy");
    await check(tab, " malee  <B>");
    await page.getByText("Erase 1 donation for good").waitFor();
    await looksRight(tab, `studio-privacy-check-${screen}`);
    await donateMeanwhile(tab, "Malee <b>");
    await submit(tab, "erase");
    await page.getByText("the button has erased nothing").waitFor();
    await looksRight(tab, `studio-privacy-changed-${screen}`);
    await sendForm(tab, page.getByText("Erase 2 donations for good"));
    await page.getByText("The donator is erased.").waitFor();
    await expect.poll(() => page.locator("dd").first().textContent()).toBe("2");
    await looksRight(tab, `studio-privacy-erased-${screen}`);
    await open(tab, "/studio");
    await expect.poll(() => page.locator("#live-latest strong", { hasText: "anonymous" }).count()).toBe(2);
    await expect.poll(() => page.locator("main").textContent()).not.toContain("(erased)");
    await expect.poll(() => page.locator("main").textContent()).not.toContain("Malee");

    await open(tab, "/studio/privacy");
    await page.locator("input[name=days]").fill("a month");
    await submit(tab, "retention");
    await page.locator("#field-days-fault").waitFor();
    await expect.poll(() => page.locator("input[name=days]").inputValue(), { message: "what was typed stays" }).toBe("a month");
    await page.locator("input[name=days]").fill("365");
    await submit(tab, "retention");
    await page.getByText("Erase donations after 365 days").waitFor();
    await looksRight(tab, `studio-privacy-retention-${screen}`);
    await submit(tab, "retention");
    await page.getByText("The next erasure by age").waitFor();
    await page.getByText("Kept for 365 days").waitFor();
    await looksRight(tab, `studio-privacy-on-${screen}`);
    await page.locator("input[name=days]").fill("");
    await submit(tab, "retention");
    await page.getByText("Off: kept for ever").waitFor();
    expect(tab.complaints.filter((line) => !isExpected(line))).toEqual([]);
    await tab.context.close();
  },
);
