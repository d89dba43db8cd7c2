// The overlay page after reloads, crashes, lost connections and with several pages in one browser.

import { describe, expect, test } from "vitest";
import { openChromium } from "../../conformance/meta/browser/chromium.ts";
import { noWidgets, playbackOf, tone } from "../../conformance/meta/browser/fake-overlay.ts";
import {
  events,
  journal,
  type OverlayTab,
  setUpOverlay,
  speech,
  textOf,
  until,
  untilEvent,
} from "../../conformance/meta/browser/overlay-tab.ts";

const overlay = setUpOverlay();

const { open, untilConnected, steps, untilStep, setMinimum } = overlay;

/** Makes alerts short that begin from now on, and waits until all pages of the browser of this widget, which shows the total, know it. */
async function shortenAlerts(widget: OverlayTab): Promise<void> {
  setMinimum(2);
  overlay.fake.send("widgets", { ...noWidgets, totals: { ...noWidgets.totals, all: { amount: 5, count: 1 } } });
  await until(
    () => textOf(widget, "amount"),
    (amount) => amount === "฿5",
  );
}

test("a page that is reloaded during an alert plays it again from the beginning as the same player, and acknowledges one end", async () => {
  const tab = await open();
  await untilConnected();
  setMinimum(60);
  overlay.fake.play(playbackOf({ speech }));
  await untilStep("started");
  setMinimum(2);
  await tab.page.reload();
  expect(await untilEvent(tab, "ended")).toEqual(["shown", "started", "ended"]);
  await untilStep("ended");
  expect(steps()).toEqual(["started", "started", "ended"]);
  expect(new Set(overlay.fake.acknowledgements.map(({ player }) => player)).size).toBe(1);
});

test("an end that could not be acknowledged before the page was closed is acknowledged by the next page, and the alert is not shown again", async () => {
  const tab = await open();
  await untilConnected();
  overlay.fake.failures.ended = Array(50).fill(503);
  overlay.fake.play(playbackOf());
  await untilEvent(tab, "ended");
  await until(steps, (seen) => seen.includes("ended"));
  await tab.page.goto("about:blank"); // closing the last page ends the shared worker
  const sentBefore = overlay.fake.acknowledgements.length;
  overlay.fake.failures.ended = [];
  await tab.page.goto(`${overlay.fake.url}/overlay/#${overlay.fake.key}`);
  await until(steps, (seen) => seen.slice(sentBefore).includes("ended"));
  // An acknowledgement whose answer is late is sent again; the server accepts the repetition.
  expect([await events(tab), [...new Set(steps().slice(sentBefore))].sort()]).toEqual([[], ["ended", "started"]]);
  expect(new Set(overlay.fake.acknowledgements.map(({ player }) => player)).size).toBe(1);
  await tab.page.reload();
  await untilConnected();
  await tab.page.waitForTimeout(1_000);
  expect([await events(tab), [...new Set(steps().slice(sentBefore))].sort()]).toEqual([[], ["ended", "started"]]);
});

test("reloading the overlay during an alert keeps the event stream open while a widget of the browser is open", async () => {
  const tab = await open();
  const widget = await open({ context: tab.context, path: "total" });
  await untilConnected();
  const [stream] = overlay.fake.streams;
  setMinimum(60);
  overlay.fake.play(playbackOf({ speech }));
  await untilStep("started");
  await shortenAlerts(widget);
  await tab.page.reload();
  expect(await untilEvent(tab, "ended")).toEqual(["shown", "started", "ended"]);
  await untilStep("ended");
  expect(overlay.fake.streams).toEqual([stream]);
});

test("eight pages of one browser share one event stream, and its overlays show the alert; when the leading one is closed, another leads on", async () => {
  const first = await open();
  const others = await Promise.all(["", "goal", "", "total", "recent", "", "top"].map((path) => open({ context: first.context, path })));
  const all = [first, ...others];
  await until(
    () => overlay.fake.streams.map(({ query }) => query.get("plays")),
    (streams) => streams.length === 1 && streams[0] === "true",
  );
  setMinimum(60);
  overlay.fake.play(playbackOf({ speech }));
  await untilStep("started");
  const pagesWith = async (event: string) => (await Promise.all(all.map(journal))).map((seen) => seen.some((one) => one.event === event));
  const count = async (event: string) => (await pagesWith(event)).filter(Boolean).length;
  await until(
    () => count("shown"),
    (shown) => shown === 4,
  );
  expect([await count("started"), await count("follows")]).toEqual([1, 3]);
  const [closed] = all.splice((await pagesWith("started")).indexOf(true), 1);
  await closed?.page.close();
  await until(
    () => count("leads"),
    (leading) => leading === 1,
  );
  overlay.fake.stop(overlay.fake.snapshot.playback?.id ?? "");
  await until(
    () => count("stopped"),
    (stopped) => stopped === 3,
  );
  expect(steps()).toEqual(["started"]);
  expect(overlay.fake.streams.length).toBe(1);
});

test("when the leading page crashes, another page of the browser shows the alert to its end", async () => {
  const first = await open();
  const all = [first, await open({ context: first.context }), await open({ context: first.context })];
  await untilConnected();
  overlay.fake.speech = tone(4);
  overlay.fake.play(playbackOf({ speech: { ...speech, durationMs: 4_000 } }));
  await untilStep("started");
  const at = (await Promise.all(all.map(events))).findIndex((seen) => seen.includes("started"));
  const [crashed] = all.splice(at, 1);
  const devtools = await first.context.newCDPSession((crashed as OverlayTab).page);
  void devtools.send("Page.crash").catch(() => {});
  await untilStep("ended");
  expect([...new Set(steps())]).toEqual(["started", "ended"]); // the worker may have been in the page's process
  const seen = (await Promise.all(all.map(events))).flat();
  expect(["shown", "ended"].map((event) => seen.filter((one) => one === event).length)).toEqual([2, 1]);
});

test.each([
  ["playing until its end", 12],
  ["played once when it ends before the worker is replaced", 2],
])("an alert is %s when the shared worker crashes", async (_title, seconds) => {
  const tab = await open();
  await untilConnected();
  overlay.fake.speech = tone(seconds);
  overlay.fake.play(playbackOf({ speech: { ...speech, durationMs: seconds * 1000 } }));
  await untilStep("started");
  const devtools = await (await openChromium()).newBrowserCDPSession();
  const { targetInfos } = await devtools.send("Target.getTargets");
  const worker = targetInfos.find(({ type, url }) => type === "shared_worker" && url.startsWith(overlay.fake.url));
  await devtools.send("Target.closeTarget", { targetId: worker?.targetId ?? "" });
  await until(steps, (seen) => seen.includes("ended"));
  await tab.page.waitForTimeout(1_000);
  await expect.poll(() => events(tab)).toEqual(["shown", "started", "ended"]);
  expect(overlay.fake.streams.length).toBe(1);
});

describe("connection lost during an alert", () => {
  async function cutDuringAlert(speechSeconds: number): Promise<OverlayTab> {
    const tab = await open();
    await untilConnected();
    overlay.fake.speech = tone(speechSeconds);
    overlay.fake.play(playbackOf({ speech: { ...speech, durationMs: 1_000 * speechSeconds } }));
    await untilStep("started");
    overlay.fake.refusals = [0, 503];
    overlay.fake.cut();
    return tab;
  }

  test("an alert goes on after reconnecting when the server still has this player", async () => {
    const tab = await cutDuringAlert(4);
    const [stream] = await until(
      () => [...overlay.fake.streams],
      (streams) => streams.length === 1,
    );
    expect(stream?.query.get("playing")).toBe(overlay.fake.snapshot.playback?.id);
    await untilStep("ended");
    await expect.poll(() => events(tab)).toEqual(["shown", "started", "ended"]);
  });

  test("an alert stops after reconnecting when the server has no playback for this player", async () => {
    const tab = await cutDuringAlert(60);
    overlay.fake.snapshot.playback = null;
    await untilEvent(tab, "stopped");
    await expect.poll(() => textOf(tab, "name")).toBeNull();
    expect(steps()).toEqual(["started"]);
  });

  test("the end of an alert during an outage is acknowledged after reconnecting", async () => {
    overlay.fake.failures.ended = [0, 503, 0];
    const tab = await cutDuringAlert(1);
    await untilEvent(tab, "ended");
    await until(steps, (seen) => seen.filter((step) => step === "ended").length >= 4);
    await until(
      () => overlay.fake.snapshot.playback,
      (playback) => playback === null,
    );
    await expect.poll(() => events(tab)).toEqual(["shown", "started", "ended"]);
  });
});

test("a page whose overlay key is refused shows nothing and does not connect again", async () => {
  overlay.fake.key = "old";
  const tab = await open({ path: "?debug" });
  await untilConnected();
  setMinimum(60);
  overlay.fake.play(playbackOf());
  await untilEvent(tab, "started");
  overlay.fake.key = "new";
  overlay.fake.cut();
  await untilEvent(tab, "stopped");
  await until(
    () => tab.page.locator(".notice").textContent(),
    (text) => text === "refused",
  );
  const requests: string[] = [];
  tab.page.on("request", (request) => requests.push(request.url()));
  await tab.page.waitForTimeout(2_000);
  expect(requests).toEqual([]);
  expect(overlay.fake.streams).toEqual([]);
});

test("a page whose worker fails to load, and then loads late, plays an alert once", async () => {
  // The page tries again 2 s after the silence began, and once more 1 s after the failure, while the second attempt still loads.
  overlay.fake.scripts = [
    { afterMs: 1_500, fails: true },
    { afterMs: 1_500, fails: false },
  ];
  const tab = await open();
  await untilConnected();
  overlay.fake.speech = tone(8);
  overlay.fake.play(playbackOf({ speech: { ...speech, durationMs: 8_000 } }));
  await untilStep("ended");
  await expect.poll(() => events(tab)).toEqual(["shown", "started", "ended"]);
});

test("a browser without SharedWorker plays alerts", async () => {
  const tab = await open({ script: "delete window.SharedWorker" });
  await untilConnected();
  setMinimum(60);
  overlay.fake.play(playbackOf({ speech }));
  await untilStep("started");
  setMinimum(2);
  await tab.page.reload();
  await untilStep("ended");
  expect(steps()).toEqual(["started", "started", "ended"]);
  expect(new Set(overlay.fake.acknowledgements.map(({ player }) => player)).size).toBe(1);
});

test("a page that follows another one still says so when its connection was lost and is back", async () => {
  overlay.fake.snapshot.role = "standby";
  const tab = await open();
  const hint = tab.page.locator(".hint", { hasText: "which plays their sound" });
  await hint.waitFor();
  overlay.fake.cut();
  await until(
    () => tab.page.evaluate<number>("window.journal.filter(({ status }) => status === 'live').length"),
    (count) => count === 2,
  );
  expect(await hint.count()).toBe(1);
});
