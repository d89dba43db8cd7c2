import { expect, test } from "vitest";
import { pulsedClock } from "./clock.ts";
import { fakeClock } from "./testing.ts";

test("a pulse runs the timers that are due, in order and once, when the browser delays them", async () => {
  const slow = fakeClock();
  const clock = pulsedClock({ ...slow, after: (ms, run) => slow.after(ms + 60_000, run) });
  const seen: string[] = [];
  clock.after(2_000, () => seen.push("b"));
  clock.after(1_000, () => seen.push("a"));
  clock.after(1_500, () => seen.push("never"))();
  clock.after(9_000, () => seen.push("late"));
  await slow.advance(3_000);
  expect(seen).toEqual([]);
  clock.pulse();
  clock.pulse();
  expect(seen).toEqual(["a", "b"]);
  await slow.advance(100_000);
  expect(seen).toEqual(["a", "b", "late"]);
});
