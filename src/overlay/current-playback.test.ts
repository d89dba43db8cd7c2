import { describe, expect, test } from "vitest";
import { dueAt, isLive, type Lease, type Turn, verdictOn } from "./current-playback.ts";
import { usualTimes as times } from "./timeouts.ts";

const leased: Turn = { state: "leased", leasedAt: 0, startedAt: null, allowedMs: 60_000, attempts: 0, losses: 0 };
const playing: Turn = { ...leased, state: "playing", startedAt: 1_000 };
const live: Lease = { playerId: "p", connectionId: "c", until: 1e9 };
const goneAt = (until: number): Lease => ({ playerId: "p", connectionId: null, until });

test("a lease ends at its instant", () => {
  expect([isLive(live, 1e9 - 1), isLive(live, 1e9), isLive(goneAt(0), 0)]).toEqual([true, false, false]);
  expect(isLive({ playerId: null, connectionId: null, until: null }, 0)).toBe(false);
});

describe("handed to a connected player", () => {
  test("it has ten seconds to begin", () => {
    expect(verdictOn(leased, live, 9_999, times)).toBeNull();
    expect(verdictOn(leased, live, 10_000, times)).toEqual({ to: "queued", attempts: 1, losses: 0, cut: true });
  });

  test("the third time it is given up", () => {
    expect(verdictOn({ ...leased, attempts: 1 }, live, 10_000, times)).toMatchObject({ to: "queued", attempts: 2 });
    expect(verdictOn({ ...leased, attempts: 2 }, live, 10_000, times)).toEqual({ to: "unconfirmed", cut: true });
  });

  test("once begun it may take what it was allowed", () => {
    expect(verdictOn(playing, live, 60_999, times)).toBeNull();
    expect(verdictOn(playing, live, 61_000, times)).toEqual({ to: "unconfirmed", cut: false });
  });

  test("handed out once more in mid-play it has ten seconds to begin again", () => {
    const again = { ...playing, startedAt: null, leasedAt: 5_000 };
    expect(verdictOn(again, live, 14_999, times)).toBeNull();
    expect(verdictOn(again, live, 15_000, times)).toEqual({ to: "unconfirmed", cut: true });
  });
});

describe("its player has gone", () => {
  test("before the start: it waits again, at once", () => {
    expect(verdictOn(leased, goneAt(10), 10, times)).toEqual({ to: "queued", attempts: 0, losses: 1, cut: false });
  });

  test("too often: it is given up, so that others come through", () => {
    expect(verdictOn({ ...leased, losses: 8 }, goneAt(10), 10, times)).toMatchObject({ to: "queued", losses: 9 });
    expect(verdictOn({ ...leased, losses: 9 }, goneAt(10), 10, times)).toEqual({ to: "unconfirmed", cut: false });
  });

  test("in mid-play: it may come back within ten seconds", () => {
    expect(verdictOn(playing, goneAt(2_000), 11_999, times)).toBeNull();
    expect(dueAt(playing, goneAt(2_000), 3_000, times)).toBe(12_000);
    expect(verdictOn(playing, goneAt(2_000), 12_000, times)).toEqual({ to: "unconfirmed", cut: false });
  });
});
