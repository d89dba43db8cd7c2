import { expect, test } from "vitest";
import { isDiskFull, noteFullDisk } from "./failures.ts";

/** Long ago, so that the disks of other tests are not full. */
const longAgo = { database: -2_000_000, server: -1_000_000 };

test.each([
  ["53100", "database", "server"],
  ["ENOSPC", "server", "database"],
] as const)(
  "after a failure with the code %s the disk of the %s is full for half a minute, and that of the %s is not",
  (code, disk, other) => {
    const start = longAgo[disk];
    noteFullDisk(Object.assign(new Error("no space left on device"), { code }), start);
    const states = (now: number) => [isDiskFull(disk, now), isDiskFull(other, now)];
    expect([states(start), states(start + 29_999), states(start + 30_000)]).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ]);
    noteFullDisk(Object.assign(new Error("too many connections"), { code: "53300" }), start + 40_000);
    expect(states(start + 40_000)).toEqual([false, false]);
  },
);
