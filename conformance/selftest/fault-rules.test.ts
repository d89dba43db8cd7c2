import { describe, expect, test } from "vitest";

import { breaches, type Evidence, type PlaybackRow } from "../browser/fault-rules.ts";
import type { LastingEntry } from "../browser/lasting-journal.ts";

// Does the run of faults notice what must not happen? Two alerts that went well, and each thing that can be wrong with them.

const row = (number: number, members: Partial<PlaybackRow> = {}): PlaybackRow => ({
  id: `playback-${number}`,
  donationId: `donation-${number}`,
  sequence: number,
  state: "shown",
  alertStatus: "shown",
  endedAt: number * 10_000 + 5_000,
  ...members,
});

/** A page shows an alert, by its number, from one second to another. */
const shows = (number: number, from: number, to: number, end = "ended", life = "page"): LastingEntry[] =>
  [
    { life, at: from * 1_000, event: "shown" },
    { life, at: to * 1_000, event: end },
  ].map((entry) => ({ ...entry, playbackId: `playback-${number}`, donationId: `donation-${number}` }));

const well: Evidence = {
  donations: ["donation-1", "donation-2"],
  playbacks: [row(1), row(2)],
  browsers: [[...shows(1, 10, 14), ...shows(2, 20, 24)]],
  outages: [],
};

const unconfirmed = (endedAt: number): PlaybackRow => row(2, { state: "unconfirmed", alertStatus: "unconfirmed", endedAt });

test("what went well is no breach", () => expect(breaches(well)).toEqual([]));

test.each<[string, Partial<Evidence>, RegExp]>([
  ["an alert without a playback", { playbacks: [row(1)] }, /donation 1 has 0 playbacks/],
  ["an alert with two", { playbacks: [row(1), row(2), row(2, { id: "another" })] }, /donation 1 has 2 playbacks/],
  ["one that did not come to its end", { playbacks: [row(1), row(2, { endedAt: null })] }, /not over/],
  [
    "shown, and no page has shown it to its end",
    { browsers: [[...shows(1, 10, 14), ...shows(2, 20, 24, "stopped")]] },
    /no page has shown/,
  ],
  ["shown again after its end", { browsers: [[...shows(1, 10, 14), ...shows(1, 16, 17), ...shows(2, 20, 24)]] }, /shown again/],
  ["two at once", { browsers: [[...shows(1, 10, 14), ...shows(2, 13, 24)]] }, /plays over/],
  ["the wrong order", { browsers: [[...shows(2, 10, 14), ...shows(1, 20, 24)]] }, /came after/],
  ["another status of the alert", { playbacks: [row(1), row(2, { alertStatus: "skipped" })] }, /the alert is skipped/],
  ["skipped by nobody", { playbacks: [row(1), row(2, { state: "skipped", alertStatus: "skipped" })] }, /neither shown nor unconfirmed/],
  ["a playback that nobody knows", { browsers: [[...shows(1, 10, 14), ...shows(2, 20, 24), ...shows(3, 30, 34)]] }, /nobody knows/],
])("%s is a breach", (_, change, expected) => {
  expect(breaches({ ...well, ...change })).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
});

describe("unconfirmed", () => {
  const given = (change: Partial<Evidence>): Evidence => ({ ...well, playbacks: [row(1), unconfirmed(35_000)], ...change });
  const gone = [[...shows(1, 10, 14), ...shows(2, 20, 24, "gone")]];

  test("is right when its page was gone in mid-play", () => expect(breaches(given({ browsers: gone }))).toEqual([]));

  test("is a breach when its page lived", () =>
    expect(breaches(given({}))).toEqual([expect.stringContaining("its page had not gone in mid-play")]));

  test("is right when its page could not say so for most of ten seconds", () =>
    expect(breaches(given({ outages: [{ from: 23_000, to: 29_000 }] }))).toEqual([]));

  describe("after an end that the server could not hear", () => {
    const outages = [{ from: 23_500, to: 26_000 }];
    /** The page of both alerts is closed at 25 s; `back`: when this browser opens another. */
    const closed = (back?: number): LastingEntry[][] => {
      const about = { playbackId: "", donationId: "" };
      const next = back === undefined ? [] : [{ life: "another", at: back, event: "born", ...about }];
      return [[...shows(1, 10, 14), ...shows(2, 20, 24), { life: "page", at: 25_000, event: "gone", ...about }, ...next]];
    };

    test("unconfirmed after an unheard end is right when its browser never came back", () =>
      expect(breaches(given({ outages, browsers: closed() }))).toEqual([]));
    test("unconfirmed after an unheard end is right when its browser came back late", () =>
      expect(breaches(given({ outages, browsers: closed(32_000) }))).toEqual([]));
    test("unconfirmed after an unheard end is a breach when the page was loaded again at once", () =>
      expect(breaches(given({ outages, browsers: closed(25_300) }))).toHaveLength(1));
    test("unconfirmed is a breach when the server could hear the end", () =>
      expect(breaches(given({ browsers: closed() }))).toHaveLength(1));
  });

  test.each([
    ["a short one", { from: 23_000, to: 25_000 }],
    ["one before it played", { from: 8_000, to: 19_000 }],
    ["one after it", { from: 35_000, to: 50_000 }],
    ["one that left ten seconds to come back", { from: 29_000, to: 35_000 }],
  ])("is not excused by %s", (_, outage) => expect(breaches(given({ outages: [outage] }))).toHaveLength(1));
});
