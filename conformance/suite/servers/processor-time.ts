// The processor's time of a PostgreSQL server: how much its processes have taken, and how much they get.

import { readFileSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const ticksPerSecond = 100; // USER_HZ of Linux
const root = "/sys/fs/cgroup/cpu";
const periodMicroseconds = 20_000;

/** Milliseconds of the processor that these processes have taken, with the children that the first one has had. */
export function processorMs(pids: readonly number[]): number {
  const ticks = pids.map((pid, index) => ticksOf(pid, index === 0));
  return (ticks.reduce((sum, own) => sum + own, 0) * 1_000) / ticksPerSecond;
}

function ticksOf(pid: number, withChildren: boolean): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, userOfChildren = 0, systemOfChildren = 0] = fields.slice(11, 15);
    return user + system + (withChildren ? userOfChildren + systemOfChildren : 0);
  } catch {
    return 0; // it has ended
  }
}

/**
 * Holds processes, and those that they start, to a part of one core by a control group (version 1). Resolves to a function that removes the
 * group, when they have ended; to null where this machine lets nobody make one.
 */
export async function holdTo(part: number, pids: readonly number[], name: string): Promise<(() => Promise<void>) | null> {
  const group = join(root, name);
  try {
    await mkdir(group);
    await writeFile(join(group, "cpu.cfs_period_us"), String(periodMicroseconds));
    await writeFile(join(group, "cpu.cfs_quota_us"), String(Math.round(part * periodMicroseconds)));
    for (const pid of pids) await writeFile(join(group, "cgroup.procs"), String(pid));
    return () => rmdir(group);
  } catch {
    await rmdir(group).catch(() => {});
    return null;
  }
}
