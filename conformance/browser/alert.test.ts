import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Donation, found, get } from "../harness/client/api.ts";
import { change, control, donate, queue, queueOf, replay } from "../harness/overlay/alert-controls.ts";
import { cli } from "../harness/server/operator.ts";
import { type Process, startProcess } from "../harness/server/process.ts";
import { target } from "../harness/server/target.ts";
import { startChromium, withSound } from "./chromium.ts";
import { tone } from "./fake-overlay.ts";
import { injections } from "./injections.ts";
import { type LiveStreamer, newLiveStreamer } from "./live-streamer.ts";
import { type Entry, events, journal, type OverlayTab, openOverlay, textOf, until, untilEvent } from "./overlay-tab.ts";
import { type SpeechEngine, startSpeechEngine } from "./speech-engine.ts";

// From the donation to the picture and the sound, and nothing in between is made up: a server process of its own, with an engine that
// speaks, and pages in Chromium. Each test has a streamer of its own.

const spoken = 1.5;

let browser: Browser;
let engine: SpeechEngine;
let server: Process | null = null;
let streamer: LiveStreamer;
const contexts = new Set<BrowserContext>();

beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  [browser, engine] = await Promise.all([startChromium(withSound), startSpeechEngine(tone(spoken), { delay: 300 })]);
  server = await startProcess(operator, "alert", { TTS_URL: engine.url });
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  engine?.close();
});
beforeEach(async (context) => {
  if (!server) return context.skip("not run: needs the operator's CLI, and API_URL is someone else's server");
  streamer = await newStreamer();
  await change({ minimumSeconds: 2, maximumSeconds: 5 }, streamer.as);
}, 60_000);
afterEach(async () => {
  for (const context of contexts) await context.close();
  contexts.clear();
});

const newStreamer = (): Promise<LiveStreamer> => newLiveStreamer(target().operator!, server!.url);

async function open(path = "", options: Parameters<typeof openOverlay>[2] & { of?: LiveStreamer } = {}): Promise<OverlayTab> {
  const tab = await openOverlay(browser, options.of ?? streamer, { path, ...options });
  contexts.add(tab.context);
  return tab;
}

/** Before anything is posted: an overlay is connected. */
const untilConnected = ({ as } = streamer) =>
  until(
    async () => queueOf(await queue(as)),
    ({ connected }) => connected,
  );
const untilStatus = (id: string, status: string, { as } = streamer): Promise<Donation> =>
  until(
    async () => found(await get(id, as)),
    ({ alert }) => alert.status === status,
    30_000,
  );
const untilText = (tab: OverlayTab, part: string, text: string | null) =>
  until(
    () => textOf(tab, part),
    (seen) => seen === text,
  );
/** What a page noted of a donation. */
const of = async (tab: OverlayTab, { id }: Pick<Donation, "id">): Promise<Entry[]> =>
  (await journal(tab)).filter((entry) => (entry as Entry & { donationId: string }).donationId === id);
const names = (entries: Entry[]): string[] =>
  entries.map(({ event, sound, outcome }) => (event === "sound" ? `${sound} ${outcome}` : event));
/** An alert from its first moment to its last. */
const whole = ["shown", "started", "chime ended", "speech ended", "ended"];

describe("a donation that was posted", () => {
  test("is shown and heard to its end, once, acknowledged, recorded as shown, and in every widget", { timeout: 60_000 }, async () => {
    const goal = { title: "ไมค์ใหม่", target: 1_000, from: "2020-01-01" };
    await change({ goal }, streamer.as);
    const tab = await open();
    const paths = ["goal", "total?span=today", "recent", "top"] as const;
    const [goalTab, totalTab, recentTab, topTab] = await Promise.all(paths.map((path) => open(path, { context: tab.context })));
    await untilText(goalTab!, "current", "฿0");
    await untilConnected();

    const { id } = await donate({ donatorName: "สมชาย ใจดี", amount: 1234.5, message: "สู้ ๆ นะครับ <b>555</b> 🎉" }, streamer.as);
    await untilEvent(tab, "started");
    expect([await textOf(tab, "name"), await textOf(tab, "amount"), await textOf(tab, "text")]).toEqual([
      "สมชาย ใจดี",
      "฿1,234.50",
      "สู้ ๆ นะครับ <b>555</b> 🎉",
    ]);
    expect((await untilStatus(id, "playing")).alert.shownAt).toBeNull();
    const { alert } = await untilStatus(id, "shown");
    expect(alert).toEqual({ status: "shown", reason: null, shownAt: expect.any(String) });

    const seen = await of(tab, { id });
    expect(names(seen)).toEqual(whole);
    const [, started, chime, speech, ended] = seen as [Entry, Entry, Entry, Entry, Entry];
    expect(chime.seconds).toBeGreaterThan(1.4);
    expect(speech.seconds).toBeGreaterThan(spoken - 0.1);
    expect(speech.at - chime.at).toBeGreaterThan(1_000 * spoken - 100);
    const shownAt = Date.parse(alert.shownAt ?? "");
    expect(shownAt, "the record's time is that of the acknowledged end").toBeGreaterThanOrEqual(ended.at - 5);
    expect(shownAt - ended.at).toBeLessThan(3_000);
    expect(started.at).toBeLessThan(speech.at);
    expect(await textOf(tab, "name")).toBeNull();

    await untilText(goalTab!, "current", "฿1,234.50");
    await untilText(totalTab!, "amount", "฿1,234.50");
    expect(await recentTab!.page.locator("li").allTextContents()).toEqual(["สมชาย ใจดี฿1,234.50สู้ ๆ นะครับ <b>555</b> 🎉"]);
    expect(await topTab!.page.locator("li").allTextContents()).toEqual(["1สมชาย ใจดี฿1,234.50"]);
    expect([tab, goalTab!, totalTab!, recentTab!, topTab!].flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  test("with skipAlert: no alert, but the widgets change", { timeout: 60_000 }, async () => {
    const tab = await open();
    const total = await open("total", { context: tab.context });
    await untilText(total, "amount", "฿0");
    await untilConnected();
    const silent = await donate({ amount: 70, skipAlert: true }, streamer.as);
    await untilText(total, "amount", "฿70");
    // The next one is shown: the silent one would have been before it.
    const loud = await donate({ amount: 30 }, streamer.as);
    await untilStatus(loud.id, "shown");
    await untilText(total, "amount", "฿100");
    expect(await of(tab, silent)).toEqual([]);
    expect(names(await of(tab, loud))).toEqual(whole);
    expect(found(await get(silent.id, streamer.as)).alert.shownAt).toBeNull();
  });
});

describe("native and external donations", () => {
  /** Keeps what the stream sends. The page holds the stream itself, so that the test can look into it. */
  const listening = `
    delete window.SharedWorker;
    window.received = "";
    const ask = window.fetch;
    window.fetch = async (...request) => {
      const response = await ask(...request);
      if (!String(request[0]).includes("overlay/stream")) return response;
      const [ours, its] = response.body.tee();
      (async () => { for await (const text of ours.pipeThrough(new TextDecoderStream())) window.received += text; })().catch(() => {});
      return new Response(its, response);
    };`;
  const receivedBy = async ({ page }: OverlayTab): Promise<[string, unknown][]> =>
    ((await page.evaluate("window.received")) as string)
      .split("\n\n")
      .map((block) => /^event: (.*)\ndata: (.*)$/.exec(block))
      .flatMap((match) => (match ? [[match[1] as string, JSON.parse(match[2] as string)]] : []));
  /** Ids, the source and the moment of reading are a donation's own. */
  const alike = (events: [string, unknown][]) =>
    events.map(([name, data]) => [
      name,
      JSON.parse(
        JSON.stringify(data, (member, value) =>
          /^(id|donationId|playbackId|source|asOf)$/.test(member) && typeof value === "string" ? "" : value,
        ),
      ),
    ]);

  test("with the same members are the same to the page, event by event", { timeout: 90_000 }, async () => {
    const members = { donatorName: "น้องปุ๊กกี้", amount: 99.5, message: "เล่นเก่งมาก ❤️", createdAt: new Date().toISOString() };
    const receive = async (post: (whose: LiveStreamer) => Promise<string>, whose: LiveStreamer) => {
      const tab = await open("", { of: whose, script: listening });
      await untilConnected(whose);
      const id = await post(whose);
      await untilStatus(id, "shown", whose);
      await tab.page.waitForTimeout(1_500); // whatever else may come
      return { events: await receivedBy(tab), journal: names(await of(tab, { id })) };
    };
    const external = await receive(async ({ as }) => (await donate(members, as)).id, streamer);
    const other = await newStreamer();
    await change({ minimumSeconds: 2, maximumSeconds: 5 }, other.as);
    const native = await receive(async ({ operator }) => {
      const words = ["--source", "native", "--channel", "promptpay", "--amount", "99.5", "--name", members.donatorName];
      const more = ["--message", members.message, "--created-at", members.createdAt];
      return JSON.parse(await cli(operator, "donations", "add", "--streamer", operator.handle, ...words, ...more)).id;
    }, other);

    const sources = ({ events }: typeof native) =>
      events.filter(([name]) => name === "playback").map(([, data]) => (data as { source: string }).source);
    expect([sources(external), sources(native)]).toEqual([["external"], ["native"]]);
    // The alert waits for its speech and the widgets for their data: either may come first.
    const sorted = ({ events }: typeof native) => alike(events).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    expect(sorted(native)).toEqual(sorted(external));
    expect(external.events.map(([name]) => name).sort()).toEqual(["playback", "snapshot", "stop", "widgets"]);
    expect(external.journal).toEqual(whole);
    expect(native.journal).toEqual(whole);
  });
});

describe("the streamer's settings", () => {
  test("a minimum and blocked words leave alerts out; the volume is that of the sound, also while it plays", {
    timeout: 60_000,
  }, async () => {
    const tab = await open();
    await untilConnected();
    await change({ minimumAmount: 50, blockedWords: ["คำหยาบ"], volume: 30 }, streamer.as);
    const small = await donate({ amount: 49.99 }, streamer.as);
    const rude = await donate({ amount: 60, message: "คำหยาบ จริงๆ" }, streamer.as);
    const good = await donate({ amount: 50, message: "คำสุภาพ" }, streamer.as);
    const reason = async ({ id }: Donation) => (await untilStatus(id, "skipped")).alert.reason;
    expect([await reason(small), await reason(rude)]).toEqual(["below_minimum", "filtered"]);
    const volume = () => tab.page.evaluate("document.querySelector('audio')?.volume");
    await until(volume, (seen) => seen === 0.3);
    await change({ volume: 10 }, streamer.as);
    await until(volume, (seen) => seen === 0.1, 2_500);
    await untilStatus(good.id, "shown");
    expect(await events(tab)).toEqual(["shown", "started", "ended"]);
  });

  test("speech switched off: the chime alone", { timeout: 60_000 }, async () => {
    await change({ speech: false }, streamer.as);
    const tab = await open();
    await untilConnected();
    const before = engine.asked.length;
    const donation = await donate({}, streamer.as);
    await untilStatus(donation.id, "shown");
    expect(names(await of(tab, donation))).toEqual(whole.filter((name) => !name.startsWith("speech")));
    expect(engine.asked.length).toBe(before);
  });
});

test("pause, skip, replay and clear are seen in the page", { timeout: 90_000 }, async () => {
  const tab = await open();
  await untilConnected();
  const first = await donate({ donatorName: "หนึ่ง" }, streamer.as);
  const second = await donate({ donatorName: "สอง" }, streamer.as);
  await untilText(tab, "name", "หนึ่ง");
  await control("pause", streamer.as);
  await untilStatus(first.id, "shown");
  await tab.page.waitForTimeout(1_500);
  expect(await of(tab, second), "while alerts are paused none begins").toEqual([]);

  await control("resume", streamer.as);
  await untilText(tab, "name", "สอง");
  await untilStatus(second.id, "playing");
  await control("skip", streamer.as);
  await untilText(tab, "name", null);
  expect(names(await of(tab, second)).at(-1)).toBe("stopped");
  expect((await untilStatus(second.id, "skipped")).alert).toEqual({ status: "skipped", reason: "control", shownAt: null });

  await replay(first.id, streamer.as);
  await until(
    async () => names(await of(tab, first)),
    (seen) => seen.join() === [...whole, ...whole].join(),
  );

  const third = await donate({ donatorName: "สาม" }, streamer.as);
  await untilText(tab, "name", "สาม");
  const waiting = [await donate({}, streamer.as), await donate({}, streamer.as)];
  expect(queueOf(await control("clear", streamer.as)).waitingCount).toBe(0);
  await untilStatus(third.id, "shown");
  const last = await donate({}, streamer.as);
  await untilStatus(last.id, "shown");
  for (const donation of waiting) expect(await of(tab, donation)).toEqual([]);
  expect(tab.complaints).toEqual([]);
});

test("what a donator writes is text on the alert and in the widgets, and no rule of the page is broken", { timeout: 90_000 }, async () => {
  const watching =
    "window.violations = []; addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective))";
  const tab = await open("", { script: watching });
  const recent = await open("recent?count=10", { context: tab.context, script: watching });
  const top = await open("top?count=10", { context: tab.context, script: watching });
  await untilConnected();
  for (const text of injections) {
    const donatorName = text.slice(0, 50);
    const { id } = await donate({ donatorName, message: text }, streamer.as);
    await untilText(tab, "name", donatorName);
    expect(await textOf(tab, "text")).toBe(text);
    await until(
      async () => (await recent.page.locator("li").first().allTextContents())[0],
      (row) => row === `${donatorName}฿20${text}`,
    );
    await untilStatus(id, "playing");
    await control("skip", streamer.as);
    await untilText(tab, "name", null);
  }
  const seen = await top.page.locator("li .name").allTextContents();
  expect(seen.length).toBe(10);
  for (const name of seen) expect(injections.map((text) => text.slice(0, 50))).toContain(name);
  for (const { page, complaints } of [tab, recent, top]) {
    expect(
      await page.evaluate("[window.violations, window.ran ?? null, document.querySelectorAll('script, img, iframe, h1, a').length]"),
    ).toEqual([[], null, 1]);
    expect(complaints).toEqual([]);
  }
});

describe("many pages", () => {
  test("eight of one browser at once play an alert once, and none stays empty", { timeout: 90_000 }, async () => {
    const first = await open();
    const more = await Promise.all(["", "", "", "goal", "total", "recent", "top"].map((path) => open(path, { context: first.context })));
    const tabs = [first, ...more];
    const overlays = tabs.slice(0, 4);
    await change({ goal: { title: "เป้า", target: 40, from: "2020-01-01" } }, streamer.as);
    await untilConnected();
    const donations = [await donate({}, streamer.as), await donate({}, streamer.as)];
    for (const { id } of donations) await untilStatus(id, "shown");
    for (const donation of donations) {
      const seen = (await Promise.all(overlays.map((tab) => of(tab, donation)))).map(names);
      expect(seen.filter(({ length }) => length > 0)).toEqual([whole]);
    }
    const [, , , , goal, total, recent, top] = tabs as [OverlayTab, OverlayTab, OverlayTab, OverlayTab, ...OverlayTab[]];
    await untilText(goal!, "current", "฿40");
    await untilText(total!, "amount", "฿40");
    for (const [tab, count] of [
      [recent!, 2],
      [top!, 1],
    ] as const)
      await until(
        () => tab.page.locator("li").count(),
        (seen) => seen === count,
      );
    expect(tabs.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  test("of two browsers one plays; the other takes over when it goes", { timeout: 90_000 }, async () => {
    const one = await open();
    await untilConnected();
    const other = await open();
    const before = await donate({}, streamer.as);
    await untilStatus(before.id, "shown");
    expect([names(await of(one, before)), await of(other, before)]).toEqual([whole, []]);
    await one.context.close();
    const after = await donate({}, streamer.as);
    await untilStatus(after.id, "shown");
    expect(names(await of(other, after))).toEqual(whole);
  });
});
