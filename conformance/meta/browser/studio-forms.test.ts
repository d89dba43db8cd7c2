// What forms of the studio do with changes that are not saved, with colours that are not chosen, and with files of one name.

import type { Browser, Dialog } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { target } from "../../suite/values/target.ts";
import { openChromium, openTab, sendForm, type Tab, takeScreenshot } from "./chromium.ts";
import { tone } from "./fake-overlay.ts";
import { newLogin } from "./studio-session.ts";

let browser: Browser;
let tab: Tab;
beforeAll(async () => {
  browser = await openChromium();
  tab = await openTab(browser);
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
  expect(await page.locator("input[name=cardColor]").getAttribute("placeholder")).toBe("The theme's");
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
