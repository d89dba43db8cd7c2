// Alerts under the streamer's settings and controls, and on pages of several browsers, in OBS and elsewhere, on one process and on two: seen and heard in
// the page, with a speech engine that notes what it is asked.

import { describe, expect, test } from "vitest";
import { entriesOf, namesOf, setUpAlerts, untilText, wholeAlert } from "../../conformance/meta/browser/alert-setup.ts";
import { tone } from "../../conformance/meta/browser/fake-overlay.ts";
import { events, journal, type OverlayTab, textOf, until } from "../../conformance/meta/browser/overlay-tab.ts";
import { type Donation, takeBack } from "../../conformance/suite/client/api.ts";
import { change, control, donate, queue, queueOf, replay } from "../../conformance/suite/client/overlay/alert-controls.ts";
import { startProcess } from "../../conformance/suite/servers/start-server.ts";
import { operatorOf } from "../../conformance/suite/values/target.ts";

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

/** Evaluated before the page's own scripts: what tells a page that it is open in OBS. */
const inObs = "window.obsstudio = {};";

const overlays = async () => queueOf(await queue(alerts.streamer.as)).overlays;

const untilOverlays = (count: number) => until(overlays, (connected) => connected.length === count);

/** Opens a page in OBS, which leads, and one in another browser. */
async function openTwo(): Promise<[OverlayTab, OverlayTab]> {
  const obs = await open("", { script: inObs });
  const plain = await open();
  await untilOverlays(2);
  expect((await overlays())[0]).toMatchObject({ client: "obs", leads: true });
  return [obs, plain];
}

const shownAt = async (tab: OverlayTab, id: string) =>
  (await entriesOf(tab, { id })).find(({ event }) => event === "started" || event === "follows")?.at ?? Number.NaN;

test("three alerts in a row are shown by two browsers at the same moment, and only the leading one is heard", async () => {
  const tabs = await openTwo();
  for (let i = 0; i < 3; i += 1) {
    const { id } = await donate({}, alerts.streamer.as);
    await untilStatus(id, "shown");
    const [leading = 0, following = 0] = await Promise.all(tabs.map((tab) => shownAt(tab, id)));
    expect(following - leading).toBeLessThan(2_000); // 300 ms where the machine does nothing else
    const [obs, plain] = await Promise.all(tabs.map((tab) => entriesOf(tab, { id })));
    expect(namesOf(obs ?? [])).toEqual(wholeAlert);
    expect(plain?.filter(({ event }) => event === "sound").every((one) => (one as { muted?: boolean }).muted)).toBe(true);
    expect(obs?.some((one) => (one as { muted?: boolean }).muted)).toBe(false);
  }
  expect(tabs.flatMap(({ complaints }) => complaints)).toEqual([]);
});

test("when the leading browser goes in the middle, the other one shows the alert to its end, and it counts as shown once", async () => {
  const [obs, plain] = await openTwo();
  const { id } = await donate({ message: "ยาว ".repeat(20) }, alerts.streamer.as);
  await until(
    () => shownAt(plain, id),
    (at) => at > 0,
  );
  await obs.context.close();
  await untilStatus(id, "shown");
  const events = (await entriesOf(plain, { id })).map(({ event }) => event);
  expect(events.filter((event) => ["shown", "ended", "finished"].includes(event))).toEqual(["shown", "ended"]);
  expect((await journal(plain)).some(({ event }) => event === "leads")).toBe(true);
});

test("a page that is opened in the middle joins the alert, and hiding everything clears all pages", async () => {
  await change({ minimumSeconds: 30, maximumSeconds: 30 }, alerts.streamer.as);
  const [obs, plain] = await openTwo();
  const { id } = await donate({}, alerts.streamer.as);
  await until(
    () => shownAt(obs, id),
    (at) => at > 0,
  );
  const late = await open();
  await until(
    () => shownAt(late, id),
    (at) => at > 0,
  );
  await control("hide", alerts.streamer.as);
  for (const tab of [obs, plain, late])
    await until(
      async () => (await entriesOf(tab, { id })).map(({ event }) => event),
      (events) => events.includes("stopped"),
    );
});

test("a source in OBS that is hidden hands the lead to one that is shown, between two alerts", async () => {
  const hides = await open("", { script: inObs });
  await untilOverlays(1);
  await open("", { script: inObs });
  await untilOverlays(2);
  const [first] = await overlays();
  await hides.page.evaluate(`dispatchEvent(new CustomEvent("obsSourceActiveChanged", { detail: { active: false } }))`);
  await until(overlays, ([leading, other]) => leading?.active === true && leading.id !== first?.id && other?.active === false);
});

test("a page on another process follows, and shows the next alert when the first page's browser has gone", async (context) => {
  const operator = operatorOf(context);
  const other = await startProcess(operator, "overlay-follower", { TTS: "off" });
  try {
    const obs = await open("", { script: inObs });
    await untilOverlays(1);
    const there = await open("", { of: { ...alerts.streamer, url: other.url } });
    await untilOverlays(2);
    const first = await donate({}, alerts.streamer.as);
    await untilStatus(first.id, "shown");
    expect(await shownAt(there, first.id)).toBeGreaterThan(0);
    await obs.context.close();
    const next = await donate({}, alerts.streamer.as);
    await untilStatus(next.id, "shown");
    expect((await entriesOf(there, next)).map(({ event }) => event)).toContain("ended");
    await there.context.close();
  } finally {
    await other.stop();
  }
});

test("eight pages of as many browsers show an alert, of which one is acknowledged", async () => {
  const tabs = await Promise.all(Array.from({ length: 8 }, () => open()));
  await untilOverlays(8);
  const { id } = await donate({}, alerts.streamer.as);
  await untilStatus(id, "shown");
  const seen = await Promise.all(tabs.map(async (tab) => (await entriesOf(tab, { id })).map(({ event }) => event)));
  expect(seen.filter((events) => events.includes("shown"))).toHaveLength(8);
  expect(seen.filter((events) => events.includes("started"))).toHaveLength(1);
}, 120_000);
