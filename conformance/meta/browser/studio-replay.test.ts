// Replays of alerts from the studio in Chromium: of one that was denied after a question alone, of any other by one tap.

import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { target } from "../../suite/values/target.ts";
import { followLink, openChromium, openTab, sendForm } from "./chromium.ts";
import { expectedMessages, looksRight, screens } from "./studio-screens.ts";
import { newLogin, unfoldTestForm } from "./studio-session.ts";

let browser: Browser;
beforeAll(async () => void (browser = await openChromium()));

test.each(screens)(
  "a denied alert is replayed after a question alone, on the page of alerts and of the donation: %s",
  async (screen, options) => {
    const tab = await openTab(browser, options);
    const { page } = tab;
    const latest = page.locator("#live-latest");
    await newLogin(tab, "/studio/settings");
    await page.locator("select[name=approval]").selectOption("all");
    await sendForm(tab, page.locator("form[action$='/studio/settings'] button.main").first());
    await page.goto(`${target().url}/studio`);
    await unfoldTestForm(tab);
    await page.locator("input[name=donatorName]").fill("Malee <b>");
    await sendForm(tab, page.locator("form[action$='/studio/test'] button"));
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
