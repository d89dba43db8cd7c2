import { expect, test } from "vitest";
import { pulsedClock } from "./clock.ts";
import { fakeClock } from "./testing.ts";

test("a pulse runs what is due, in order and once, when timers are late", async () => {
  const slow = fakeClock();
  const clock = pulsedClock({ ...slow, after: (ms, run) => slow.after(ms + 60_000, run) });
  const seen: string[] = [];
  clock.after(2_000, () => seen.push("b"));
  clock.after(1_000, () => seen.push("a"));
  clock.after(1_500, () => seen.push("never"))();
  clock.after(9_000, () => seen.push("late"));
  await slow.pass(3_000);
  expect(seen).toEqual([]);
  clock.pulse();
  clock.pulse();
  expect(seen).toEqual(["a", "b"]);
  await slow.pass(100_000);
  expect(seen).toEqual(["a", "b", "late"]);
});
