import { expect, test } from "vitest";
import { scanPauseMs } from "./interval-task.ts";

test("a scan is repeated after fifty times as long as it took, two seconds to a minute, or two when it found as many as it may", () => {
  const rows = [
    { tookMs: 10, isFull: false, pause: 2_000 },
    { tookMs: 40, isFull: false, pause: 2_000 },
    { tookMs: 1_000, isFull: false, pause: 50_000 },
    { tookMs: 3_000, isFull: false, pause: 60_000 },
    { tookMs: 1_000, isFull: true, pause: 2_000 },
  ];
  for (const { tookMs, isFull, pause } of rows) expect(scanPauseMs(tookMs, isFull)).toBe(pause);
});
