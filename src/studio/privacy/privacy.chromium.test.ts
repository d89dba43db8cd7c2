// The studio's page of privacy in Chromium: erasures and retention.

import { expect, test } from "vitest";
import { openTab, sendForm, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { newLogin, sendTestAlert } from "../../../conformance/meta/browser/streamers.ts";
import { target } from "../../../conformance/suite/values/target.ts";

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
