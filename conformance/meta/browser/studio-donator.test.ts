// A donator's page in Chromium: from the history to it, a note, and a name that is blocked.

import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { create } from "../../suite/client/api.ts";
import { addKey } from "../../suite/client/operator.ts";
import { target } from "../../suite/values/target.ts";
import { followLink, openChromium, openTab, sendForm } from "./chromium.ts";
import { expectedMessages, looksRight, screens } from "./studio-screens.ts";
import { newLogin } from "./studio-session.ts";

let browser: Browser;
beforeAll(async () => void (browser = await openChromium()));

test.each(screens)("a streamer opens a donator's page, notes something and blocks the name: %s", async (screen, options) => {
  const tab = await openTab(browser, options);
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
