import { expect, test } from "vitest";
import { defaultSettings } from "../settings/settings.ts";
import { defaultTimes } from "../timeouts.ts";
import type { StoredPlayback } from "./playbacks.ts";
import { allowedMs } from "./start.ts";

/** Milliseconds for speech of nine seconds. */
function allowed(speechSpeed: number): number {
  const playback = { speech: { id: "s", mime: "audio/wav", durationMs: 9_000 }, variation: null };
  const times = { ...defaultTimes, overrunMs: 10_000 };
  return allowedMs(playback as StoredPlayback, { ...defaultSettings, speechSpeed }, times);
}

test("a playback may take longer while speech is slow, in whole milliseconds, and less while it is fast", () => {
  expect([0.5, 0.7, 1, 2].map(allowed)).toEqual([58_000, 52_858, 49_000, 44_500]);
});
