// The studio's account page in Chromium, and forms whose session has ended.

import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { target } from "../../suite/values/target.ts";
import { openChromium, openTab, sendForm, type Tab } from "./chromium.ts";
import { expectedMessages, looksRight, screens } from "./studio-screens.ts";
import { newLogin } from "./studio-session.ts";

// Password checks are slow on purpose, and each screen has its own streamer.
/** A wrong current password answers 403. */
const isExpected = (line: string) => expectedMessages.test(line) || line.endsWith("status of 403 (Forbidden)");

let browser: Browser;
beforeAll(async () => void (browser = await openChromium()));

const button = ({ page }: Pick<Tab, "page">, path: string) => page.locator(`form[action$='${path}'] button:not([type=button])`).first();
const submit = (tab: Pick<Tab, "page">, path: string) => sendForm(tab, button(tab, path));

test.each(screens)("a streamer changes the password, time zone and language, and logs out everywhere: %s", async (screen, options) => {
  const tab = await openTab(browser, options);
  const { page } = tab;
  const { password } = await newLogin(tab, "/studio/account");
  await looksRight(tab, `account-${screen}`);
  const change = async (current: string) => {
    await page.locator("input[name=current]").fill(current);
    for (const name of ["next", "repeated"]) await page.locator(`input[name=${name}]`).fill(`${password}!`);
    await submit(tab, "/account/password");
  };
  await change("a wrong password");
  await page.getByText("The current password is wrong.").waitFor();
  await looksRight(tab, `account-wrong-${screen}`);
  await change(password);
  await page.getByText("Password changed.").waitFor();
  await page.locator("select[name=timeZone]").selectOption("Asia/Tokyo");
  await page.locator("select[name=preferred]").selectOption("th");
  await submit(tab, "/account/preferences");
  await page.locator("html[lang=th]").waitFor();
  await expect.poll(() => page.locator("select[name=timeZone]").inputValue()).toBe("Asia/Tokyo");
  await submit(tab, "/account/sessions");
  await page.waitForSelector("input[name=password]");
  expect(tab.complaints.filter((line) => !isExpected(line))).toEqual([]);
  await tab.context.close();
});

test("a streamer logs one other browser out, and stays logged in", async () => {
  const tab = await openTab(browser);
  const { page } = tab;
  const { handle, password } = await newLogin(tab, "/studio/account");
  const other = await openTab(browser);
  await other.page.goto(`${target().url}/studio/account`);
  await other.page.locator("input[name=handle]").fill(handle);
  await other.page.locator("input[name=password]").fill(password);
  await submit(other, "/oauth/login");
  await page.reload();
  await page.locator(".section:has(#sessions) li", { hasText: "This browser" }).getByText("Chrome").waitFor();
  await sendForm(tab, page.locator("button[name=session]"));
  await page.getByText("That browser is logged out.").waitFor();
  await expect.poll(() => page.locator("button[name=session]").count()).toBe(0);
  await other.page.reload();
  await other.page.waitForSelector("input[name=password]");
  await Promise.all([tab.context.close(), other.context.close()]);
});

test.each(screens)("settings that are saved after logging out elsewhere survive the login: %s", async (screen, options) => {
  const tab = await openTab(browser, options);
  const { page } = tab;
  const login = await newLogin(tab, "/studio/settings");
  await page.locator("textarea").fill("สแปม\nspam");
  await page.locator("input[name=volume]").fill("37");
  const other = await tab.context.newPage();
  await other.goto(`${target().url}/studio/account`);
  await submit({ page: other }, "/account/sessions");
  await other.waitForSelector("input[name=password]");
  await submit(tab, "/studio/settings");
  await page.getByText("You have been logged out").waitFor();
  await looksRight(tab, `kept-login-${screen}`);
  await page.locator("input[name=handle]").fill(login.handle);
  await page.locator("input[name=password]").fill(login.password);
  await submit(tab, "/oauth/login");
  await looksRight(tab, `kept-${screen}`);
  await page.getByRole("button", { name: "Send what you typed in" }).click();
  await page.getByText("Settings saved.").waitFor();
  expect([await page.locator("input[name=volume]").inputValue(), await page.locator("textarea").inputValue()]).toEqual([
    "37",
    "สแปม\nspam",
  ]);
  expect(tab.complaints.filter((line) => !isExpected(line))).toEqual([]);
  await tab.context.close();
});

test("settings that are saved while the server can't be reached stay on the page, and are saved afterwards", async () => {
  const tab = await openTab(browser);
  const { page } = tab;
  await newLogin(tab, "/studio/settings");
  await page.locator("input[name=volume]").fill("41");
  await tab.context.setOffline(true);
  await button(tab, "/studio/settings").click();
  await page.getByText("Can't reach the server, so nothing was saved.").waitFor();
  expect([page.url(), await page.locator("input[name=volume]").inputValue()]).toEqual([`${target().url}/studio/settings`, "41"]);
  await tab.context.setOffline(false);
  await submit(tab, "/studio/settings");
  await page.getByText("Settings saved.").waitFor();
  await expect.poll(() => page.locator("input[name=volume]").inputValue()).toBe("41");
  await tab.context.close();
});

test("a form of the studio that is clicked twice before its answer comes is sent once", async () => {
  const tab = await openTab(browser);
  await newLogin(tab, "/studio");
  const { page } = tab;
  const asked: string[] = [];
  page.on("request", (request) => ["HEAD", "POST"].includes(request.method()) && asked.push(request.method()));
  // The second click comes as soon as the form is being sent.
  await page.evaluate(`(() => {
    const form = document.querySelector("form[action$='/studio/test']");
    form.addEventListener("submit", function again(event) {
      if (event.defaultPrevented) return;
      form.removeEventListener("submit", again);
      queueMicrotask(() => form.querySelector("button").click());
    });
  })()`);
  await page.locator("form[action$='/studio/test'] button").click();
  await page.getByText("Test alert sent.").waitFor();
  expect(asked, "the server was looked for once, and then the form was sent").toEqual(["HEAD", "POST"]);
  await tab.context.close();
});
