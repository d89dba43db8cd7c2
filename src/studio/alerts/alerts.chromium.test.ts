// The studio's page of alerts in Chromium, and the dock for OBS: waiting alerts, alerts that came while OBS was closed, and the replay of a denied one.

import { afterEach, expect, test } from "vitest";
import {
  desktop,
  followLink,
  leave,
  openTab,
  phone,
  sendForm,
  shadeOf,
  type Tab,
  takeScreenshot,
} from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, reach, screens, unfold, violationsOf } from "../../../conformance/meta/browser/page-checks.ts";
import { newLogin, sendTestAlert } from "../../../conformance/meta/browser/streamers.ts";
import { create } from "../../../conformance/suite/client/api.ts";
import { addKey, addOverlayKey } from "../../../conformance/suite/client/operator.ts";
import { change } from "../../../conformance/suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow } from "../../../conformance/suite/client/overlay/overlay-page.ts";
import { target } from "../../../conformance/suite/values/target.ts";

afterEach(() => closePages());

const ways = [
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

test.each(ways)("one waiting alert is skipped, and another one is played next, %s", async (name, screen) => {
  const tab = await openTab(screen);
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
  await notice(tab, "Alert skipped.");
  expect(await waiting(tab)).toEqual(["Prasert", "Anong"]);
  const width = await tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  expect(width, "nothing scrolls sideways").toBe(0);
  await takeScreenshot(tab, `queue-${name.replaceAll(" ", "-")}`);
  await tab.context.close();
});

test.each(ways)("alerts that came while OBS was closed are shown or cleared, as the streamer chooses, %s", async (name, screen) => {
  const tab = await openTab(screen);
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

const narrow = { viewport: { width: 280, height: 700 }, colorScheme: "light" } as const;

const part = ({ page }: Tab, name: string) => page.locator(`#live-${name}`);

const says = (tab: Tab, name: string, text: string | RegExp) =>
  expect.poll(() => part(tab, name).textContent(), { timeout: 60_000 }).toMatch(text);

const pressControl = (tab: Tab, control: string) => sendForm(tab, tab.page.locator(`button[name=control][value=${control}]`));

const sideways = (tab: Tab) => tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

async function openDock(options: object): Promise<Tab> {
  const tab = await openTab({ ...narrow, ...options });
  await newLogin(tab, "/studio/dock");
  return tab;
}

async function makeOverlayKey({ page }: Tab): Promise<string> {
  const other = await page.context().newPage();
  await other.goto(`${target().url}/studio/overlay`);
  await other.locator("input[name=name]:not([type=hidden])").fill("Dock");
  await other.locator("form[action$='/studio/overlay'] button").click();
  const [, key = ""] = (await other.locator("#source-0").inputValue()).split("#");
  await other.close();
  return key;
}

test("the dock follows the queue, controls it, and comes back to itself after a login and after each button, at 280 pixels", async () => {
  const tab = await openDock({});
  expect(new URL(tab.page.url()).pathname).toBe("/studio/dock");
  await says(tab, "status", /No overlay connected/);
  const key = await makeOverlayKey(tab);
  const overlay = await follow({ key });
  await overlay.next("snapshot");
  await says(tab, "status", /Ready/);
  await says(tab, "overlays", /1 page connected/);
  await sendForm(tab, tab.page.locator("form[action$='/studio/test'] button"));
  expect(new URL(tab.page.url()).pathname).toBe("/studio/dock");
  const { id } = await overlay.next("playback");
  await acknowledge("started", id, { player: overlay.player, key });
  await says(tab, "status", /Playing/);
  await tab.page.locator("#hide").focus();
  await sendForm(tab, tab.page.locator("#skip"));
  await overlay.next("stop");
  await says(tab, "latest", /Skipped/);
  await pressControl(tab, "pause");
  await sendForm(tab, tab.page.locator("form[action$='/studio/test'] button"));
  await says(tab, "status", /Paused · 1 waiting/);
  await unfold(tab);
  await takeScreenshot(tab, "dock");
  expect([await sideways(tab), await violationsOf(tab)]).toEqual([0, []]);
  expect(await shadeOf(tab), "dark in a light system, too").toBe("dark");
  await sendForm(tab, tab.page.locator("#live-waiting button[value^=skip]"));
  await says(tab, "status", /Paused · 0 waiting/);
  await sendForm(tab, tab.page.locator("#live-latest button").first());
  await says(tab, "status", /Paused · 1 waiting/);
  await pressControl(tab, "hide");
  await says(tab, "status", /Everything is hidden/);
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test("the focus stays on its button while the dock is refreshed", async () => {
  const tab = await openDock({});
  await tab.page.locator("#toggle").focus();
  const other = await tab.page.context().newPage();
  await other.goto(`${target().url}/studio`);
  await other.locator("button[name=control][value=pause]").click();
  await says(tab, "status", /Paused/);
  expect(await tab.page.evaluate("document.activeElement.id")).toBe("toggle");
  await tab.context.close();
});

test("the dock works without scripts", async () => {
  const tab = await openDock({ javaScriptEnabled: false });
  await pressControl(tab, "pause");
  expect([new URL(tab.page.url()).pathname, await part(tab, "status").textContent()]).toEqual([
    "/studio/dock",
    expect.stringMatching(/Paused/),
  ]);
  await sendForm(tab, tab.page.locator("form[action$='/studio/test'] button"));
  expect(await part(tab, "status").textContent()).toMatch(/Paused · 1 waiting/);
  await tab.context.close();
});
