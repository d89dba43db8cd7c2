// What the streamer's settings and controls change about alerts, seen and heard in the page, and the button of the studio that speaks a sample, with a speech
// engine that notes what it is asked.

import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, test } from "vitest";
import { entriesOf, namesOf, setUpAlerts, untilText, wholeAlert } from "../../conformance/meta/browser/alert-setup.ts";
import { desktop, openTab, phone, sendForm, type Tab } from "../../conformance/meta/browser/chromium.ts";
import { tone } from "../../conformance/meta/browser/fake-overlay.ts";
import { events, textOf, until } from "../../conformance/meta/browser/overlay-tab.ts";
import { expectedMessages, looksRight } from "../../conformance/meta/browser/page-checks.ts";
import { logIn } from "../../conformance/meta/browser/streamers.ts";
import { type Donation, takeBack } from "../../conformance/suite/client/api.ts";
import { change, control, donate, queueOf, replay } from "../../conformance/suite/client/overlay/alert-controls.ts";
import { newStreamer } from "../../conformance/suite/client/page-visitor.ts";
import { target } from "../../conformance/suite/values/target.ts";

const alerts = setUpAlerts();

const { open, untilConnected, untilStatus } = alerts;

describe("the streamer's settings", () => {
  test("minimum amount and blocked words skip alerts, and the volume applies at once, even during an alert", async () => {
    const tab = await open();
    await untilConnected();
    alerts.engine.speech = tone(25);
    await change({ minimumAmount: 50, blockedWords: ["คำหยาบ"], volume: 30 }, alerts.streamer.as);
    const small = await donate({ amount: 49.99 }, alerts.streamer.as);
    const rude = await donate({ amount: 60, message: "คำหยาบ จริงๆ" }, alerts.streamer.as);
    const good = await donate({ amount: 50, message: "คำสุภาพ" }, alerts.streamer.as);
    const reason = async ({ id }: Donation) => (await untilStatus(id, "skipped")).alert.reason;
    expect([await reason(small), await reason(rude)]).toEqual(["below_minimum", "filtered"]);
    const volume = () => tab.page.evaluate("document.querySelector('audio')?.volume");
    await until(volume, (seen) => seen === 0.3);
    await change({ volume: 10 }, alerts.streamer.as);
    await until(volume, (seen) => seen === 0.1);
    const untilEvents = (names: string) =>
      until(
        () => events(tab),
        (seen) => seen.join() === names,
      );
    await untilEvents("shown,started");
    await control("skip", alerts.streamer.as);
    await untilStatus(good.id, "skipped");
    await untilEvents("shown,started,stopped");
  });

  test("an alert plays the chime only while speech is switched off", async () => {
    await change({ speech: false }, alerts.streamer.as);
    const tab = await open();
    await untilConnected();
    const before = alerts.engine.requests.length;
    const donation = await donate({}, alerts.streamer.as);
    await untilStatus(donation.id, "shown");
    expect(namesOf(await entriesOf(tab, donation))).toEqual(wholeAlert.filter((name) => !name.startsWith("speech")));
    expect(alerts.engine.requests.length).toBe(before);
  });
});

test("pause, resume, skip, replay and clear take effect in the page", async () => {
  const tab = await open();
  await untilConnected();
  const first = await donate({ donatorName: "หนึ่ง" }, alerts.streamer.as);
  const second = await donate({ donatorName: "สอง" }, alerts.streamer.as);
  await untilText(tab, "name", "หนึ่ง");
  await control("pause", alerts.streamer.as);
  await untilStatus(first.id, "shown");
  await tab.page.waitForTimeout(1_500);
  await expect.poll(() => entriesOf(tab, second), { message: "while alerts are paused none begins" }).toEqual([]);

  await control("resume", alerts.streamer.as);
  await untilText(tab, "name", "สอง");
  await untilStatus(second.id, "playing");
  await control("skip", alerts.streamer.as);
  await untilText(tab, "name", null);
  expect(namesOf(await entriesOf(tab, second)).at(-1)).toBe("stopped");
  expect((await untilStatus(second.id, "skipped")).alert).toEqual({ status: "skipped", reason: "control", shownAt: null, masked: false });

  await replay(first.id, alerts.streamer.as);
  await until(
    async () => namesOf(await entriesOf(tab, first)),
    (seen) => seen.join() === [...wholeAlert, ...wholeAlert].join(),
  );

  const third = await donate({ donatorName: "สาม" }, alerts.streamer.as);
  await untilText(tab, "name", "สาม");
  const waiting = [await donate({}, alerts.streamer.as), await donate({}, alerts.streamer.as)];
  expect(queueOf(await control("clear", alerts.streamer.as)).waitingCount).toBe(0);
  await untilStatus(third.id, "shown");
  const last = await donate({}, alerts.streamer.as);
  await untilStatus(last.id, "shown");
  for (const donation of waiting) await expect.poll(() => entriesOf(tab, donation)).toEqual([]);
  expect(tab.complaints).toEqual([]);
});

test("an alert that plays disappears with its sound when its donation is voided, and the next one is shown whole", async () => {
  const tab = await open();
  await untilConnected();
  const first = await donate({ donatorName: "คืนเงิน" }, alerts.streamer.as);
  const second = await donate({ donatorName: "ถัดไป" }, alerts.streamer.as);
  await untilText(tab, "name", "คืนเงิน");
  await untilStatus(first.id, "playing");
  await takeBack(first, "refund", alerts.streamer.as);
  await untilText(tab, "name", "ถัดไป");
  expect(namesOf(await entriesOf(tab, first)).at(-1)).toBe("stopped");
  await untilStatus(second.id, "shown");
  expect(namesOf(await entriesOf(tab, second))).toEqual(wholeAlert);
  expect((await untilStatus(first.id, "skipped")).alert).toEqual({ status: "skipped", reason: "voided", shownAt: null, masked: false });
  expect(tab.complaints).toEqual([]);
});

test("hiding everything removes card and sound from the page at once, blanks widgets, and outlasts a reload", async () => {
  await change({ minimumSeconds: 20, maximumSeconds: 30 }, alerts.streamer.as);
  const tab = await open();
  const widget = await open("recent", { context: tab.context });
  await untilConnected();
  const first = await donate({ donatorName: "หนึ่ง" }, alerts.streamer.as);
  await untilText(tab, "name", "หนึ่ง");
  await untilStatus(first.id, "playing");
  await expect.poll(() => widget.page.locator("main").isVisible()).toBe(true);

  await control("hide", alerts.streamer.as);
  // Long before the alert's own end.
  await until(
    () => textOf(tab, "name"),
    (seen) => seen === null,
    10_000,
  );
  await until(
    () => tab.page.evaluate("document.querySelectorAll('audio').length"),
    (count) => count === 0,
    10_000,
  );
  await until(
    () => widget.page.locator("main").isVisible(),
    (isVisible) => !isVisible,
    10_000,
  );
  expect(namesOf(await entriesOf(tab, first)).at(-1)).toBe("stopped");

  const second = await donate({ donatorName: "สอง" }, alerts.streamer.as);
  for (const { page } of [tab, widget]) await page.reload();
  await untilConnected();
  await tab.page.waitForTimeout(1_500);
  await expect.poll(() => textOf(tab, "name")).toBeNull();
  await expect.poll(() => widget.page.locator("main").isVisible()).toBe(false);

  await change({ minimumSeconds: 2, maximumSeconds: 5 }, alerts.streamer.as);
  await control("unhide", alerts.streamer.as);
  await untilText(tab, "name", "สอง");
  await expect.poll(() => widget.page.locator("main").isVisible()).toBe(true);
  await untilStatus(second.id, "shown");
  expect((await untilStatus(first.id, "skipped")).alert).toEqual({ status: "skipped", reason: "control", shownAt: null, masked: false });
  expect(tab.complaints).toEqual([]);
});

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
