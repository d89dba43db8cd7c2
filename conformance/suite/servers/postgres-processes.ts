// Finds and signals the processes of a PostgreSQL server.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The postmaster of a data directory and its children; none when it does not run. */
export function postgresPids(data: string): number[] {
  try {
    const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    if (!readFileSync(`/proc/${postmaster}/cmdline`, "utf8").includes(data)) return [];
    const children = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === postmaster);
    return [postmaster, ...children.map(Number)];
  } catch {
    return [];
  }
}

/** Sends a signal to processes. Those that have ended meanwhile are left out. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {} // it has ended meanwhile
}

function parentOf(pid: string): number | null {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
  } catch {
    return null; // gone meanwhile
  }
}
