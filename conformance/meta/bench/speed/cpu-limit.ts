// Limits each of several processes to a share of a core, by control groups (Linux, as root). A machine with few cores can then show how the
// server scales with its workers, although server, database and load together would need all of its cores.

import { access, mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The folder of the control groups, and the files that limit a group. */
type Groups = { root: string; files: (share: number) => [name: string, text: string][] };

const periodMicroseconds = 20_000; // short, so that a process that has used up its share does not wait for long
const quota = (share: number) => String(Math.round(share * periodMicroseconds));

const versions: readonly Groups[] = [
  {
    root: "/sys/fs/cgroup/cpu",
    files: (share) => [
      ["cpu.cfs_period_us", String(periodMicroseconds)],
      ["cpu.cfs_quota_us", quota(share)],
    ],
  },
  { root: "/sys/fs/cgroup", files: (share) => [["cpu.max", `${quota(share)} ${periodMicroseconds}`]] },
];

/** Runs `work` while none of these processes gets more than `share` of a core. Call `canLimit` before. */
export async function whileLimited<T>(pids: readonly number[], share: number, work: () => Promise<T>): Promise<T> {
  const groups = await findGroups();
  if (!groups) throw new Error("the CPU time of processes cannot be limited on this machine");
  const made: string[] = [];
  try {
    for (const pid of pids) {
      const group = await makeGroup(groups, `donations-bench-${pid}`, share);
      made.push(group);
      await writeFile(join(group, "cgroup.procs"), String(pid));
    }
    return await work();
  } finally {
    for (const pid of pids) await writeFile(join(groups.root, "cgroup.procs"), String(pid)).catch(() => {}); // it may have ended
    for (const group of made) await rmdir(group);
  }
}

export async function canLimit(): Promise<boolean> {
  return (await findGroups()) !== null;
}

/** The first version of control groups in which a group has the files that limit it; null when there is none. */
async function findGroups(): Promise<Groups | null> {
  for (const groups of versions) {
    const tried = await makeGroup(groups, `donations-bench-try-${process.pid}`, 1).catch(() => null);
    if (tried) return rmdir(tried).then(() => groups);
  }
  return null;
}

async function makeGroup({ root, files }: Groups, name: string, share: number): Promise<string> {
  const group = join(root, name);
  await access(join(root, "cgroup.procs"));
  await mkdir(group, { recursive: true });
  try {
    for (const [file, text] of files(share)) await writeFile(join(group, file), text);
  } catch (error) {
    await rmdir(group);
    throw error;
  }
  return group;
}
