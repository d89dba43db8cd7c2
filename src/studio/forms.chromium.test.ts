// What forms of the studio do in Chromium: with a session that has ended, with changes that are not saved, with colours that are not chosen, and with
// files of one name.

import type { Dialog } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { openTab, sendForm, type Tab, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { tone } from "../../conformance/meta/browser/fake-overlay.ts";
import { expectedMessages, looksRight, screens } from "../../conformance/meta/browser/page-checks.ts";
import { logIn, newLogin } from "../../conformance/meta/browser/streamers.ts";
import { target } from "../../conformance/suite/values/target.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

const button = ({ page }: Pick<Tab, "page">, path: string) => page.locator(`form[action$='${path}'] button:not([type=button])`).first();

const submit = (tab: Pick<Tab, "page">, path: string) => sendForm(tab, button(tab, path));

test.each(screens)("settings that are saved after logging out elsewhere survive the login: %s", async (screen, options) => {
  const tab = await openTab(options);
  const { page } = tab;
  const login = await newLogin(tab, "/studio/settings");
  await page.locator("textarea").fill("สแปม\nspam");
  await page.locator("input[name=volume]").fill("37");
  const other = await tab.context.newPage();
  await other.goto(`${target().url}/studio/account`);
  await submit({ page: other }, "/account/sessions");
  await other.waitForSelector("input[name=password]");
  await page.bringToFront();
  // The page, which looks whether alerts wait, learns that the session has ended.
  if (tab.scripted) await page.waitForResponse("**/studio/overall*");
  await submit(tab, "/studio/settings");
  await page.getByText("You have been logged out").waitFor();
  await looksRight(tab, `kept-login-${screen}`);
  await logIn(tab, login);
  await looksRight(tab, `kept-${screen}`);
  await page.getByRole("button", { name: "Send what you typed in" }).click();
  await page.getByText("Settings saved.").waitFor();
  expect([await page.locator("input[name=volume]").inputValue(), await page.locator("textarea").inputValue()]).toEqual([
    "37",
    "สแปม\nspam",
  ]);
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test("settings that are saved while the server can't be reached stay on the page, and are saved afterwards", async () => {
  const tab = await openTab();
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
  const tab = await openTab();
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

let tab: Tab;

beforeAll(async () => {
  tab = await openTab();
  await newLogin(tab, "/studio/settings");
});

test("leaving a form with changes asks first, and neither one without changes nor one that is saved asks", async () => {
  const { page } = tab;
  const asked: string[] = [];
  const answer = (dialog: Dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  };
  page.on("dialog", answer);
  const words = page.locator("textarea[name=blockedWords]");
  const away = page.locator("nav a[href$='/studio/history']");
  await words.click();
  await page.keyboard.type("spam");
  await away.click({ noWaitAfter: true });
  await expect.poll(() => asked).toEqual(["beforeunload"]);
  expect([new URL(page.url()).pathname, await words.inputValue()]).toEqual(["/studio/settings", "spam"]);
  await sendForm(tab, page.locator("button.main").first());
  await page.locator("main > [role=status]").waitFor();
  await away.click();
  await page.waitForURL("**/studio/history");
  expect(asked).toHaveLength(1);
  page.off("dialog", answer);
});

test("a colour that is not chosen looks so, and its palette begins with the theme's colour", async () => {
  const { page } = tab;
  await page.goto(`${target().url}/studio/designer/variation?theme=pixel`);
  const palette = page.locator(".colour", { has: page.locator("input[name=cardColor]") });
  const chooser = palette.locator("input[type=color]");
  await expect.poll(() => chooser.inputValue()).toBe("#1b2a6b");
  expect(await palette.getAttribute("class")).toBe("colour unset");
  expect(await page.locator("input[name=cardColor]").getAttribute("placeholder")).toBe("Theme's");
  await takeScreenshot(tab, "studio-colours");
  await page.locator("input[name=cardColor]").fill("teal");
  await expect.poll(() => chooser.inputValue()).toBe("#008080");
  expect(await palette.getAttribute("class")).toBe("colour");
});

test("two sounds of one name can be told apart: each has a player, and a number where it is chosen", async () => {
  const { page } = tab;
  for (const _ of [1, 2]) {
    await page.goto(`${target().url}/studio/designer`);
    await page
      .locator("form[action$='/designer/upload'] input[type=file]")
      .setInputFiles({ name: "bell.wav", mimeType: "audio/wav", buffer: tone(1) });
    await sendForm(tab, page.locator("form[action$='/designer/upload'] button"));
  }
  await takeScreenshot(tab, "studio-files");
  const seconds =
    await page.evaluate(`Promise.all([...document.querySelectorAll("audio[aria-label='Listen to bell.wav']")].map(async (audio) => {
    audio.muted = true;
    await audio.play();
    return Math.round(audio.duration);
  }))`);
  expect(seconds).toEqual([1, 1]);
  await page.goto(`${target().url}/studio/designer/variation?theme=pixel`);
  const choices = (await page.locator("#field-sound label span").allTextContents()).filter((one) => one.startsWith("bell.wav"));
  expect(choices.map((one) => one.slice(-4))).toEqual([" (2)", " (1)"]);
  expect(tab.complaints.filter((line) => !/ERR_ABORTED/.test(line))).toEqual([]);
});
