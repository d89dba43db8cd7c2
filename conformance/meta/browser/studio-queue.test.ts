// The waiting alerts of the studio: with the keyboard alone, and on a phone without a script.

import { afterEach, expect, test } from "vitest";

import { create } from "../../suite/client/api.ts";
import { addKey, addOverlayKey } from "../../suite/client/operator.ts";
import { change } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow } from "../../suite/client/overlay/overlay-page.ts";
import { target } from "../../suite/values/target.ts";
import { desktop, leave, openChromium, openTab, phone, type Tab, takeScreenshot } from "./chromium.ts";
import { reach } from "./keyboard.ts";
import { newLogin } from "./studio-session.ts";

afterEach(() => closePages());

const screens = [
  ["with the keyboard", desktop],
  ["on a phone without a script", { ...phone, javaScriptEnabled: false }],
] as const;

const waiting = ({ page }: Tab) => page.locator("#live-waiting strong bdi").allTextContents();
const notice = ({ page }: Tab, text: string) => page.locator("[role=status]").getByText(text).waitFor();

async function press(tab: Tab, selector: string): Promise<void> {
  if (!tab.scripted) return leave(tab, () => tab.page.locator(selector).first().click());
  await reach(tab, selector);
  await leave(tab, () => tab.page.keyboard.press("Enter"));
}

test.each(screens)("one waiting alert is skipped, and another one is played next, %s", async (name, screen) => {
  const tab = await openTab(await openChromium(), screen);
  const { handle } = await newLogin(tab);
  const key = await addKey(target().operator!, handle, "write:donations");
  for (const donatorName of ["Malee", "Anong", "Prasert"])
    expect((await create({ donatorName, amount: 50, message: "สู้ๆ" }, { key })).status).toBe(201);
  await tab.page.goto(`${target().url}/studio`);
  expect(await waiting(tab)).toEqual(["Malee", "Anong", "Prasert"]);
  await press(tab, "li:nth-child(3) button[value^='next ']");
  await notice(tab, "The alert plays next.");
  expect(await waiting(tab)).toEqual(["Prasert", "Malee", "Anong"]);
  await press(tab, "#live-waiting li:nth-child(2) button[value^='skip ']");
  await notice(tab, "Skipped. The alert isn't shown.");
  expect(await waiting(tab)).toEqual(["Prasert", "Anong"]);
  const width = await tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  expect(width, "nothing scrolls sideways").toBe(0);
  await takeScreenshot(tab, `queue-${name.replaceAll(" ", "-")}`);
  await tab.context.close();
});

test.each(screens)("alerts that came while OBS was closed are shown or cleared, as the streamer chooses, %s", async (name, screen) => {
  const tab = await openTab(await openChromium(), screen);
  const { handle } = await newLogin(tab);
  const operator = target().operator!;
  const [key, settings] = [await addKey(operator, handle, "write:donations"), await addKey(operator, handle, "write:alerts")];
  const overlay = await addOverlayKey(operator, handle);
  expect((await change({ askFrom: 2 }, { key: settings })).status).toBe(200);
  for (const [choice, text] of [
    ["clear", "Queue cleared."],
    ["resume", "Alerts resumed."],
  ] as const) {
    for (const donatorName of ["Malee", "Anong"])
      expect((await create({ donatorName, amount: 50, message: "สู้ๆ" }, { key })).status).toBe(201);
    const page = await follow({ key: overlay });
    await tab.page.goto(`${target().url}/studio`);
    for (const part of ["Waiting for your choice", "2 alerts are waiting"]) await tab.page.getByText(part).first().waitFor();
    await takeScreenshot(tab, `queue-asks-${name.replaceAll(" ", "-")}`);
    await press(tab, `#live-toggle button[value=${choice}]`);
    await notice(tab, text);
    expect(await tab.page.locator("#live-asking p").count()).toBe(0);
    if (choice === "resume") expect((await page.next("playback")).donatorName).toBe("Malee");
    closePages();
    await expect.poll(() => tab.page.goto(`${target().url}/studio`).then(() => tab.page.getByText("No overlay connected").count())).toBe(1);
  }
  await tab.context.close();
});
