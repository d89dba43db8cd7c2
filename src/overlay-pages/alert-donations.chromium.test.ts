// From a donation to picture and sound: what every donation shows, and pages side by side.

import { describe, expect, test } from "vitest";
import { entriesOf, namesOf, setUpAlerts, speechSeconds, untilText, wholeAlert } from "../../conformance/meta/browser/alert-setup.ts";
import { type Entry, injections, type OverlayTab, textOf, until, untilEvent } from "../../conformance/meta/browser/overlay-tab.ts";
import type { LiveStreamer } from "../../conformance/meta/browser/streamers.ts";
import { get, readDonation } from "../../conformance/suite/client/api.ts";
import { cli } from "../../conformance/suite/client/operator.ts";
import { change, control, donate } from "../../conformance/suite/client/overlay/alert-controls.ts";

const alerts = setUpAlerts();

const { createStreamer, open, untilConnected, untilStatus } = alerts;

describe("a posted donation", () => {
  test("two goals on two pages each count the donations of their own days", async () => {
    const goals = [
      { id: "past", title: "Past", target: 50, from: "2001-01-01", to: "2001-12-31" },
      { id: "now", title: "Now", target: 1_000, from: "2020-01-01" },
    ];
    await change({ goals }, alerts.streamer.as);
    const first = await open("goal");
    const second = await open("goal?goal=now", { context: first.context });
    await untilText(first, "current", "฿0");
    await untilText(second, "current", "฿0");
    await donate({ amount: 20, skipAlert: true, createdAt: "2001-06-15T12:00Z" }, alerts.streamer.as);
    await donate({ amount: 300, skipAlert: true }, alerts.streamer.as);
    await untilText(first, "current", "฿20");
    await untilText(second, "current", "฿300");
    expect(await Promise.all([first, second].map((tab) => textOf(tab, "title")))).toEqual(["Past", "Now"]);
    await change({ goals: goals.toReversed() }, alerts.streamer.as);
    await untilText(first, "current", "฿300");
    expect([first, second].flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  test("a posted donation is shown and spoken once, recorded as shown, and counted in every widget", async () => {
    const goal = { title: "ไมค์ใหม่", target: 1_000, from: "2020-01-01" };
    await change({ goal }, alerts.streamer.as);
    const tab = await open();
    const paths = ["goal", "total?span=today", "recent", "top"] as const;
    const [goalTab, totalTab, recentTab, topTab] = await Promise.all(paths.map((path) => open(path, { context: tab.context })));
    await untilText(goalTab!, "current", "฿0");
    await untilConnected();

    const { id } = await donate({ donatorName: "สมชาย ใจดี", amount: 1234.5, message: "สู้ ๆ นะครับ <b>555</b> 🎉" }, alerts.streamer.as);
    await untilEvent(tab, "started");
    expect(await Promise.all(["name", "amount", "text"].map((part) => textOf(tab, part)))).toEqual([
      "สมชาย ใจดี",
      "฿1,234.50",
      "สู้ ๆ นะครับ <b>555</b> 🎉",
    ]);
    expect((await untilStatus(id, "playing")).alert.shownAt).toBeNull();
    const { alert } = await untilStatus(id, "shown");
    const seenAt = Date.now();
    expect(alert).toEqual({ status: "shown", reason: null, shownAt: expect.any(String), masked: false });

    const seen = await entriesOf(tab, { id });
    expect(namesOf(seen)).toEqual(wholeAlert);
    const [, started, chime, speech, ended] = seen as [Entry, Entry, Entry, Entry, Entry];
    expect(chime.seconds).toBeGreaterThan(1.4);
    expect(speech.seconds).toBeGreaterThan(speechSeconds - 0.1);
    expect(speech.at - chime.at).toBeGreaterThan(1_000 * speechSeconds - 100);
    const shownAt = Date.parse(alert.shownAt ?? "");
    expect(shownAt, "the record's time is that of the acknowledged end").toBeGreaterThanOrEqual(ended.at - 5);
    expect(shownAt).toBeLessThanOrEqual(seenAt);
    expect(started.at).toBeLessThan(speech.at);
    await expect.poll(() => textOf(tab, "name")).toBeNull();

    await untilText(goalTab!, "current", "฿1,234.50");
    await untilText(totalTab!, "amount", "฿1,234.50");
    await expect.poll(() => recentTab!.page.locator("li").allTextContents()).toEqual(["สมชาย ใจดี฿1,234.50สู้ ๆ นะครับ <b>555</b> 🎉"]);
    await expect.poll(() => topTab!.page.locator("li").allTextContents()).toEqual(["1สมชาย ใจดี฿1,234.50"]);
    expect([tab, goalTab!, totalTab!, recentTab!, topTab!].flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  test("a donation with skipAlert changes the widgets and causes no alert", async () => {
    const tab = await open();
    const total = await open("total", { context: tab.context });
    await untilText(total, "amount", "฿0");
    await untilConnected();
    const silent = await donate({ amount: 70, skipAlert: true }, alerts.streamer.as);
    await untilText(total, "amount", "฿70");
    // Alerts are played in order: when the next one is shown, the silent one was not played.
    const loud = await donate({ amount: 30 }, alerts.streamer.as);
    await untilStatus(loud.id, "shown");
    await untilText(total, "amount", "฿100");
    await expect.poll(() => entriesOf(tab, silent)).toEqual([]);
    expect(namesOf(await entriesOf(tab, loud))).toEqual(wholeAlert);
    expect(readDonation(await get(silent.id, alerts.streamer.as)).alert.shownAt).toBeNull();
  });
});

describe("native and external donations", () => {
  /** Page script that records the event stream. Without SharedWorker the page opens the stream itself, so that it can be recorded. */
  const recordStream = `
    delete window.SharedWorker;
    window.received = "";
    const originalFetch = window.fetch;
    window.fetch = async (...request) => {
      const response = await originalFetch(...request);
      if (!String(request[0]).includes("overlay/stream")) return response;
      const [recorded, forPage] = response.body.tee();
      (async () => { for await (const text of recorded.pipeThrough(new TextDecoderStream())) window.received += text; })().catch(() => {});
      return new Response(forPage, response);
    };`;
  const receivedBy = async ({ page }: OverlayTab): Promise<[string, unknown][]> =>
    ((await page.evaluate("window.received")) as string)
      .split("\n\n")
      .map((block) => /^event: (.*)\ndata: (.*)$/.exec(block))
      .flatMap((match) => (match ? [[match[1] as string, JSON.parse(match[2] as string)]] : []));
  /** Removes what differs between two donations: ids, source and time of reading. */
  const normalize = (events: [string, unknown][]) =>
    events.map(([name, data]) => [
      name,
      JSON.parse(
        JSON.stringify(data, (member, value) =>
          /^(id|donationId|playbackId|source|asOf)$/.test(member) && typeof value === "string" ? "" : value,
        ),
      ),
    ]);

  test("the page gets the same events for a native and an external donation with the same members", async () => {
    const members = { donatorName: "น้องปุ๊กกี้", amount: 99.5, message: "เล่นเก่งมาก ❤️", createdAt: new Date().toISOString() };
    const receive = async (post: (whose: LiveStreamer) => Promise<string>, whose: LiveStreamer) => {
      const tab = await open("", { of: whose, script: recordStream });
      await untilConnected(whose);
      const id = await post(whose);
      await untilStatus(id, "shown", whose);
      await tab.page.waitForTimeout(1_500); // time for further events
      return { events: await receivedBy(tab), journal: namesOf(await entriesOf(tab, { id })) };
    };
    const external = await receive(async ({ as }) => (await donate(members, as)).id, alerts.streamer);
    const other = await createStreamer();
    await change({ minimumSeconds: 2, maximumSeconds: 5 }, other.as);
    const native = await receive(async ({ operator }) => {
      const words = ["--source", "native", "--channel", "promptpay", "--amount", "99.5", "--name", members.donatorName];
      const more = ["--message", members.message, "--created-at", members.createdAt];
      return JSON.parse(await cli(operator, "donations", "add", "--streamer", operator.handle, ...words, ...more)).id;
    }, other);

    const sources = ({ events }: typeof native) =>
      events.filter(([name]) => name === "playback").map(([, data]) => (data as { source: string }).source);
    expect([sources(external), sources(native)]).toEqual([["external"], ["native"]]);
    // The order of the playback event and the widgets event is not fixed.
    const sorted = ({ events }: typeof native) => normalize(events).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    expect(sorted(native)).toEqual(sorted(external));
    expect(external.events.map(([name]) => name).sort()).toEqual(["playback", "snapshot", "stop", "widgets"]);
    expect(external.journal).toEqual(wholeAlert);
    expect(native.journal).toEqual(wholeAlert);
  });
});

test("text of donators is shown as text in alerts and widgets, and violates no content security policy", async () => {
  const watchViolations =
    "window.violations = []; addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective))";
  const tab = await open("", { script: watchViolations });
  const recent = await open("recent?count=10", { context: tab.context, script: watchViolations });
  const top = await open("top?count=10", { context: tab.context, script: watchViolations });
  await untilConnected();
  for (const text of injections) {
    const donatorName = text.slice(0, 50);
    const { id } = await donate({ donatorName, message: text }, alerts.streamer.as);
    await untilText(tab, "name", donatorName);
    await expect.poll(() => textOf(tab, "text")).toBe(text);
    await until(
      async () => (await recent.page.locator("li").first().allTextContents())[0],
      (row) => row === `${donatorName}฿20${text}`,
    );
    await untilStatus(id, "playing");
    await control("skip", alerts.streamer.as);
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

describe("several pages", () => {
  test("four overlays of one browser show each alert, of which one leads, and every widget shows its data", async () => {
    const first = await open();
    const more = await Promise.all(["", "", "", "goal", "total", "recent", "top"].map((path) => open(path, { context: first.context })));
    const tabs = [first, ...more];
    const overlays = tabs.slice(0, 4);
    await change({ goal: { title: "เป้า", target: 40, from: "2020-01-01" } }, alerts.streamer.as);
    await untilConnected();
    const donations = [await donate({}, alerts.streamer.as), await donate({}, alerts.streamer.as)];
    for (const { id } of donations) await untilStatus(id, "shown");
    for (const donation of donations) {
      const seen = (await Promise.all(overlays.map((tab) => entriesOf(tab, donation)))).map(namesOf);
      expect(seen.filter((names) => names.includes("started"))).toEqual([wholeAlert]);
      expect(seen.filter((names) => names.includes("follows"))).toHaveLength(3);
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

  test("one of two browsers leads; the other leads when it is closed", async () => {
    const one = await open();
    await untilConnected();
    const other = await open();
    const before = await donate({}, alerts.streamer.as);
    await untilStatus(before.id, "shown");
    expect(namesOf(await entriesOf(one, before))).toEqual(wholeAlert);
    expect(namesOf(await entriesOf(other, before))).not.toContain("started");
    await one.context.close();
    const after = await donate({}, alerts.streamer.as);
    await untilStatus(after.id, "shown");
    expect(namesOf(await entriesOf(other, after))).toEqual(wholeAlert);
  });
});
