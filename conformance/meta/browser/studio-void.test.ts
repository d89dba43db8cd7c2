// The studio's page that takes a donation back, in Chromium.

import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { followLink, openChromium, openTab, sendForm, type Tab } from "./chromium.ts";
import { expectedMessages, looksRight, screens } from "./studio-screens.ts";
import { newLogin, unfoldTestForm } from "./studio-session.ts";

let browser: Browser;
beforeAll(async () => void (browser = await openChromium()));

/** Sends a test alert from the alerts page, which records a donation. */
async function sendTestAlert(tab: Tab, donatorName: string): Promise<void> {
  const { page } = tab;
  await unfoldTestForm(tab);
  await page.locator("input[name=donatorName]").fill(donatorName);
  await sendForm(tab, page.locator("form[action$='/studio/test'] button"));
  await page.locator("#live-latest").getByText(donatorName).waitFor();
}

test.each(screens)(
  "a streamer voids a donation from the studio's list, with a reason and a note that the list then shows: %s",
  async (screen, options) => {
    const tab = await openTab(browser, options);
    const { page } = tab;
    const button = page.locator("form[action$='/studio/void'] button");
    await newLogin(tab);
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
