import { expect, test } from "vitest";
import { defaultSettings } from "../settings/settings.ts";
import { defaultTimes, defaultTimes as times } from "../timeouts.ts";
import { deadlineOf, timeoutOf } from "./end.ts";
import { isLive, type Lease } from "./overlay.ts";
import type { ActivePlayback, StoredPlayback } from "./playbacks.ts";
import { allowedMs } from "./start.ts";

const leased: ActivePlayback = { state: "leased", leasedAt: 0, startedAt: null, allowedMs: 60_000, attempts: 0, losses: 0 };
const playing: ActivePlayback = { ...leased, state: "playing", startedAt: 1_000 };
const live: Lease = { playerId: "p", connectionId: "c", until: 1e9, rank: 0 };
const goneAt = (until: number): Lease => ({ playerId: "p", connectionId: null, until, rank: 0 });

test("a lease is no longer live at the instant at which it ends", () => {
  expect([isLive(live, 1e9 - 1), isLive(live, 1e9), isLive(goneAt(0), 0)]).toEqual([true, false, false]);
  expect(isLive({ playerId: null, connectionId: null, until: null, rank: 0 }, 0)).toBe(false);
});

test("a playback that a connected player does not start within ten seconds is queued again, and the player is unresponsive", () => {
  expect(timeoutOf(leased, live, 9_999, times)).toBeNull();
  expect(timeoutOf(leased, live, 10_000, times)).toEqual({ to: "queued", attempts: 1, losses: 0, isUnresponsive: true });
});

test("a playback that was not started for the third time is unconfirmed", () => {
  expect(timeoutOf({ ...leased, attempts: 1 }, live, 10_000, times)).toMatchObject({ to: "queued", attempts: 2 });
  expect(timeoutOf({ ...leased, attempts: 2 }, live, 10_000, times)).toEqual({ to: "unconfirmed", isUnresponsive: true });
});

test("a playback that takes longer than it is allowed is unconfirmed", () => {
  expect(timeoutOf(playing, live, 60_999, times)).toBeNull();
  expect(timeoutOf(playing, live, 61_000, times)).toEqual({ to: "unconfirmed", isUnresponsive: false });
});

test("a playback that was handed out again while it played is unconfirmed unless it starts within ten seconds", () => {
  const again = { ...playing, startedAt: null, leasedAt: 5_000 };
  expect(timeoutOf(again, live, 14_999, times)).toBeNull();
  expect(timeoutOf(again, live, 15_000, times)).toEqual({ to: "unconfirmed", isUnresponsive: true });
});

test("a playback whose player disconnects before the start is queued again at once", () => {
  expect(timeoutOf(leased, goneAt(10), 10, times)).toEqual({ to: "queued", attempts: 0, losses: 1, isUnresponsive: false });
});

test("a playback whose players disconnect too often is unconfirmed, so that it does not block the queue", () => {
  expect(timeoutOf({ ...leased, losses: 8 }, goneAt(10), 10, times)).toMatchObject({ to: "queued", losses: 9 });
  expect(timeoutOf({ ...leased, losses: 9 }, goneAt(10), 10, times)).toEqual({ to: "unconfirmed", isUnresponsive: false });
});

test("a playback whose player disconnects after the start is unconfirmed unless the player comes back within ten seconds", () => {
  expect(timeoutOf(playing, goneAt(2_000), 11_999, times)).toBeNull();
  expect(deadlineOf(playing, goneAt(2_000), 3_000, times)).toBe(12_000);
  expect(timeoutOf(playing, goneAt(2_000), 12_000, times)).toEqual({ to: "unconfirmed", isUnresponsive: false });
});

/** Milliseconds for speech of nine seconds. */
function allowed(speechSpeed: number): number {
  const playback = { speech: { id: "s", mime: "audio/wav", durationMs: 9_000 }, variation: null };
  const times = { ...defaultTimes, overrunMs: 10_000 };
  return allowedMs(playback as StoredPlayback, { ...defaultSettings, speechSpeed }, times);
}

test("a playback may take longer while speech is slow, in whole milliseconds, and less while it is fast", () => {
  expect([0.5, 0.7, 1, 2].map(allowed)).toEqual([58_000, 52_858, 49_000, 44_500]);
});
