import { describe, expect, test } from "vitest";
import { type Evidence, findBreaches, type LastingEntry, type PlaybackRow } from "../browser/fault-rules.ts";

// Rules of `make faults`: two alerts without a fault, and each fault that the rules must report.

const row = (number: number, members: Partial<PlaybackRow> = {}): PlaybackRow => ({
  id: `playback-${number}`,
  donationId: `donation-${number}`,
  sequence: number,
  state: "shown",
  alertStatus: "shown",
  endedAt: number * 10_000 + 5_000,
  ...members,
});

/** Journal entries of a page that shows an alert from one second to another. */
const shows = (number: number, from: number, to: number, end = "ended", life = "page"): LastingEntry[] =>
  [
    { life, at: from * 1_000, event: "shown" },
    { life, at: to * 1_000, event: end },
  ].map((entry) => ({ ...entry, playbackId: `playback-${number}`, donationId: `donation-${number}` }));

/** The entry of a page that is closed. */
const closes = (at: number, life = "page"): LastingEntry => ({ life, at: at * 1_000, event: "gone", playbackId: "", donationId: "" });

const well: Evidence = {
  donations: ["donation-1", "donation-2"],
  playbacks: [row(1), row(2)],
  browsers: [[...shows(1, 10, 14), ...shows(2, 20, 24), closes(60)]],
  outages: [],
};

const unconfirmed = (endedAt: number): PlaybackRow => row(2, { state: "unconfirmed", alertStatus: "unconfirmed", endedAt });

test("two alerts that were shown in order are no breach", () => expect(findBreaches(well)).toEqual([]));

test("a page that is stopped 40 ms after another page began to play its alert is no breach", () =>
  expect(
    findBreaches({ ...well, browsers: [[...shows(1, 8, 10.04, "stopped", "first"), ...shows(1, 10, 14), ...shows(2, 20, 24)]] }),
  ).toEqual([]));

test("a page of the same browser that follows is no breach, and may have shown the alert to its end when the leading page is gone", () => {
  const [shown, ended] = shows(1, 10.1, 14, "finished", "follower") as [LastingEntry, LastingEntry];
  const follower = [shown, { ...shown, event: "follows" }, ended];
  expect(findBreaches({ ...well, browsers: [[...shows(1, 10, 14), ...follower, ...shows(2, 20, 24)]] })).toEqual([]);
  expect(findBreaches({ ...well, browsers: [[...shows(1, 10, 12, "gone"), ...follower, ...shows(2, 20, 24)]] })).toEqual([]);
});

test("a playback recorded as shown is no breach when its page was closed before its browser had stored that it had ended", () =>
  expect(findBreaches({ ...well, browsers: [[...shows(1, 10, 14), ...shows(2, 20, 20.5, "chime")]] })).toEqual([]));

test.each<[string, Partial<Evidence>, RegExp]>([
  ["an alert without a playback", { playbacks: [row(1)] }, /donation 1 has 0 playbacks/],
  ["an alert with two playbacks", { playbacks: [row(1), row(2), row(2, { id: "another" })] }, /donation 1 has 2 playbacks/],
  ["a playback without an end", { playbacks: [row(1), row(2, { endedAt: null })] }, /not ended/],
  [
    "a playback recorded as shown that no page showed to its end",
    { browsers: [[...shows(1, 10, 14), ...shows(2, 20, 24, "stopped")]] },
    /no page showed/,
  ],
  [
    "a playback recorded as shown a second after its start, by a page whose journal lacks the end",
    { playbacks: [row(1), row(2, { endedAt: 21_000 })], browsers: [[...shows(1, 10, 14), ...shows(2, 20, 20.5, "chime")]] },
    /no page showed/,
  ],
  ["a playback shown again after its end", { browsers: [[...shows(1, 10, 14), ...shows(1, 16, 17), ...shows(2, 20, 24)]] }, /shown again/],
  ["two playbacks at the same time", { browsers: [[...shows(1, 10, 14), ...shows(2, 13, 24)]] }, /plays over/],
  [
    "a page that plays on while another plays its alert",
    { browsers: [[...shows(1, 8, 10.06, "stopped", "first"), ...shows(1, 10, 14), ...shows(2, 20, 24)]] },
    /plays over/,
  ],
  ["playbacks in the wrong order", { browsers: [[...shows(2, 10, 14), ...shows(1, 20, 24)]] }, /came after/],
  [
    "an alert whose status differs from its playback's",
    { playbacks: [row(1), row(2, { alertStatus: "skipped" })] },
    /the alert is skipped/,
  ],
  [
    "a playback that is skipped although nobody skipped it",
    { playbacks: [row(1), row(2, { state: "skipped", alertStatus: "skipped" })] },
    /neither shown nor unconfirmed/,
  ],
  [
    "a playback that the server does not know",
    { browsers: [[...shows(1, 10, 14), ...shows(2, 20, 24), ...shows(3, 30, 34)]] },
    /unknown playback/,
  ],
])("%s is a breach", (_, change, expected) => {
  expect(findBreaches({ ...well, ...change })).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
});

describe("unconfirmed", () => {
  const evidenceWith = (change: Partial<Evidence>): Evidence => ({ ...well, playbacks: [row(1), unconfirmed(35_000)], ...change });
  const closedInMidPlay = [[...shows(1, 10, 14), ...shows(2, 20, 24, "gone")]];

  test("an unconfirmed playback is no breach when its page was closed while playing", () =>
    expect(findBreaches(evidenceWith({ browsers: closedInMidPlay }))).toEqual([]));

  test("an unconfirmed playback is no breach when its page stopped because it was closed", () => {
    const stopped = [...shows(1, 10, 14), ...shows(2, 20, 24, "stopped")];
    expect(findBreaches(evidenceWith({ browsers: [[...stopped, closes(24.001)]] }))).toEqual([]);
    expect(findBreaches(evidenceWith({ browsers: [[...stopped, closes(33)]] }))).toHaveLength(1);
  });

  test("an unconfirmed playback is a breach when its page stayed open", () =>
    expect(findBreaches(evidenceWith({}))).toEqual([
      expect.stringContaining("unconfirmed although the server could be reached when it had ended"),
    ]));

  test("an unconfirmed playback is a breach when its page was closed while playing and its browser opened another one in time", () =>
    expect(
      findBreaches(
        evidenceWith({
          browsers: [[...shows(1, 10, 14), ...shows(2, 20, 24, "gone"), { ...closes(28, "next"), event: "born" }, closes(60, "next")]],
        }),
      ),
    ).toEqual([expect.stringContaining("its browser could have come back in time")]));

  test("an unconfirmed playback is no breach when its page could not reach the server for most of ten seconds", () =>
    expect(findBreaches(evidenceWith({ outages: [{ from: 23_000, to: 30_500 }] }))).toEqual([]));

  describe("after an end that did not reach the server", () => {
    const outages = [{ from: 23_500, to: 26_000 }];
    /** The page of both alerts is closed, at 25 s; `back`: when this browser opens another. */
    const closed = ({ back, at = 25 }: { back?: number; at?: number } = {}): LastingEntry[][] => {
      const next = back === undefined ? [] : [{ ...closes(back, "another"), event: "born" }, closes(60, "another")];
      return [[...shows(1, 10, 14), ...shows(2, 20, 24), closes(at), ...next]];
    };

    test("a playback whose end did not reach the server is rightly unconfirmed when its browser never reconnected", () =>
      expect(findBreaches(evidenceWith({ outages, browsers: closed() }))).toEqual([]));
    test("a playback whose end did not reach the server is rightly unconfirmed when its browser reconnected late", () =>
      expect(findBreaches(evidenceWith({ outages, browsers: closed({ back: 32 }) }))).toEqual([]));
    test("a playback whose end did not reach the server must not stay unconfirmed when its page was reloaded at once", () =>
      expect(findBreaches(evidenceWith({ outages, browsers: closed({ back: 25.3 }) }))).toHaveLength(1));
    test("a playback whose end did not reach the server is rightly unconfirmed when its browser left as soon as the server was back", () =>
      expect(findBreaches(evidenceWith({ outages, browsers: closed({ at: 28 }) }))).toEqual([]));
    test("an unconfirmed playback is a breach when its end could reach the server", () =>
      expect(findBreaches(evidenceWith({ browsers: closed({ at: 26 }) }))).toHaveLength(1));
  });

  test("an unconfirmed playback is a breach in spite of a hundred short outages", () => {
    const outages = Array.from({ length: 100 }, (_, index) => ({ from: index * 200, to: index * 200 + 100 }));
    expect(findBreaches(evidenceWith({ outages }))).toHaveLength(1);
  });

  test.each([
    ["a short outage", { from: 23_000, to: 25_000 }],
    ["an outage before it played", { from: 8_000, to: 19_000 }],
    ["an outage after it played", { from: 35_000, to: 50_000 }],
    ["an outage after which its page had ten seconds to reconnect", { from: 29_000, to: 35_000 }],
  ])("an unconfirmed playback is a breach in spite of %s", (_, outage) =>
    expect(findBreaches(evidenceWith({ outages: [outage] }))).toHaveLength(1),
  );
});
