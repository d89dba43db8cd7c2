// The button of the studio that speaks a sample, in Chromium, with a speech engine that notes what it is asked.

import type { BrowserContextOptions } from "playwright-core";
import { expect, test } from "vitest";
import { setUpAlerts } from "../../../conformance/meta/browser/alert-setup.ts";
import { desktop, openTab, phone, sendForm, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { tone } from "../../../conformance/meta/browser/fake-overlay.ts";
import { expectedMessages, looksRight } from "../../../conformance/meta/browser/page-checks.ts";
import { logIn } from "../../../conformance/meta/browser/streamers.ts";
import { newStreamer } from "../../../conformance/suite/client/page-visitor.ts";
import { target } from "../../../conformance/suite/values/target.ts";

const alerts = setUpAlerts();

type Played = { volume: number; rate: number };

/** Opens a page of the studio on the server with the engine, logged in as a new streamer, and notes what is played. */
async function openStudio(options: BrowserContextOptions, path: string): Promise<Tab & { at: (path: string) => string }> {
  const tab = await openTab(options);
  const { page } = tab;
  const at = (one: string) => alerts.streamer.url + one;
  await page.addInitScript(`
    window.played = [];
    const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = function () {
      window.played.push({ volume: this.volume, rate: this.playbackRate });
      return play.call(this);
    };`);
  const login = await newStreamer(target().operator!);
  await page.goto(at(path));
  await logIn(tab, login);
  await page.waitForURL(at(path));
  return { ...tab, at };
}

const played = ({ page }: Tab) => page.evaluate("window.played") as Promise<Played[]>;

const lastSpoken = () => alerts.engine.requests.at(-1) as { text: string; voice?: string | null } | undefined;

test.each([
  ["phone", phone],
  ["desktop", desktop],
] as [string, BrowserContextOptions][])(
  "a sample is spoken by the keyboard with the voice, speed and volume that are typed, and not before: %s",
  async (screen, options) => {
    const tab = await openStudio(options, "/studio/settings");
    const { page } = tab;
    const button = page.locator("#listen");
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("/studio/listen") && asked.push(request.url()));
    const before = alerts.engine.requests.length;
    await page.locator("input[name=voice]").fill("malee");
    await page.locator("input[name=speechSpeed]").fill("1.5");
    await page.locator("input[name=speechVolume]").fill("40");
    await looksRight(tab, `studio-listen-${screen}`);
    expect([asked, await played(tab), alerts.engine.requests.length]).toEqual([[], [], before]);

    alerts.engine.speech = tone(20);
    await button.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => button.textContent()).toBe("Stop");
    await expect.poll(() => played(tab)).toEqual([{ volume: 0.4, rate: 1.5 }]);
    expect(lastSpoken()).toMatchObject({ voice: "malee", text: expect.stringContaining("มะลิ") });
    expect(new URL(page.url()).pathname, "nothing is sent as a form").toBe("/studio/settings");
    await page.keyboard.press("Enter");
    await expect.poll(() => button.textContent(), { message: "a second press stops" }).toBe("Listen");
    expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await tab.context.close();
  },
);

test("the designer speaks the chosen sample with the voice, speed and volume of the settings, until its end, and says when it can't", async () => {
  const tab = await openStudio(desktop, "/studio/settings");
  const { page } = tab;
  await page.locator("input[name=voice]").fill("somsri");
  await page.locator("input[name=speechSpeed]").fill("1.25");
  await page.locator("input[name=volume]").fill("60");
  await sendForm(tab, page.locator("form[action$='/studio/settings'] button.main").first());
  await page.goto(tab.at("/studio/designer/variation"));
  const button = page.locator("#listen");
  await page.locator("select[name=sample]").selectOption("million");
  await button.click();
  await expect.poll(() => played(tab)).toEqual([{ volume: 0.6, rate: 1.25 }]);
  expect(lastSpoken()).toMatchObject({ voice: "somsri", text: expect.stringContaining("Big Fan") });
  await expect.poll(() => button.textContent(), { message: "it has ended" }).toBe("Listen");
  await page.locator("input[name=voice]").fill("malee");
  await button.click();
  await expect.poll(() => lastSpoken()?.voice).toBe("malee");
  await expect.poll(() => played(tab)).toHaveLength(2);
  await expect.poll(() => button.textContent()).toBe("Listen");

  alerts.engine.speech = Buffer.alloc(3_000_000); // longer than any alert
  await page.locator("input[name=voice]").fill("other");
  await button.click();
  await page.locator("#listen-state").getByText("It can't be read aloud right now.").waitFor();
  expect([await button.textContent(), (await played(tab)).length]).toEqual(["Listen", 2]);
  await tab.context.close();
});

test("without a script a player of the saved voice plays the sample, and loads nothing by itself", async () => {
  const tab = await openStudio({ ...phone, javaScriptEnabled: false }, "/studio/settings");
  const { page } = tab;
  const before = alerts.engine.requests.length;
  const player = page.locator("audio");
  await player.waitFor();
  expect([await player.getAttribute("preload"), await player.getAttribute("autoplay"), await page.locator("#listen").isVisible()]).toEqual([
    "none",
    null,
    false,
  ]);
  expect(alerts.engine.requests.length).toBe(before);
  const answer = await page.request.get(tab.at((await player.getAttribute("src")) ?? ""));
  expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "audio/wav"]);
  const stranger = await page.request.get(tab.at("/studio/listen?sample=short"), { headers: { Cookie: "" }, maxRedirects: 0 });
  expect(stranger.status()).toBe(303);
  await tab.context.close();
});
