// `make bench PARTS=create`: recording and the other operations beside the hand-written baseline and beside bare ceilings.
// Every round measures all servers in turn, so that other work of the machine affects all alike. Ratios are medians over the rounds.

import { access, mkdir, rmdir, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import type { Cleanup } from "../cleanup.ts";
import { emptySetting } from "../setting.ts";
import { percentile, send } from "../timed.ts";
import { settled } from "../upkeep.ts";
import { type Participant, type Participants, startAll } from "./participants.ts";
import { type Ceiling, databaseCeilings } from "./pgbench.ts";
import { familyOf } from "./usage.ts";
import { type Load, type Measured, measureWith } from "./wrk.ts";

export type SpeedOptions = { rounds: number; seconds: number; databaseUrl: string | undefined };

export type Figures = Omit<Measured, "load" | "refused">;

/** One kind of request at so many connections, by each server in turn; the first is what the others are compared with. */
export type Comparison = { title: string; kind: string; connections: number; lines: ComparedLine[] };

export type ComparedLine = {
  name: string;
  median: Figures;
  /** Medians of each round's ratio to the first line's figure in the same round. */
  ratio: Figures;
  rounds: Measured[];
};

export type Speed = SpeedMachine & { comparisons: Comparison[]; database: Ceiling[] };

type SpeedMachine = {
  rounds: number;
  seconds: number;
  cpus: number;
  /** Load average of one minute when it began and ended. */
  load: [number, number];
};

/** `share`: of a core that each process may have. */
export type Plan = { title: string; kind: string; connections: number; threads?: number; share?: number; servers: Participant[] };

const usual = 64;

/** The share of a core of each process with which two workers, the database and the load fit on two cores. */
const maxShare = 0.35;

export const limitedTitle = `create, each process limited to ${maxShare} of a core`;
const replayedKeys = 500;

// as in load.lua

export async function measureSpeed({ rounds, seconds, databaseUrl }: SpeedOptions, cleanup: Cleanup): Promise<Speed> {
  const loadBefore = loadavg()[0] as number;
  const setting = await emptySetting(databaseUrl, cleanup);
  const servers = await startAll(setting, cleanup);
  await warmUp(servers);
  const comparisons: Comparison[] = [];
  for (const plan of plansFor(servers)) {
    if (plan.share !== undefined && !(await canLimit())) {
      console.log(`not run: ${plan.title}: the machine has no control groups, or the user is not root`);
      continue;
    }
    const measured = plan.servers.map((): Measured[] => []);
    for (let round = 0; round < rounds; round += 1)
      for (const [index, { program, token }] of plan.servers.entries()) {
        await settled(setting); // so that the work that one server has left does not slow down the next
        const load: Load = { KIND: plan.kind, TOKEN: token };
        const measure = () => measureWith(program, { ...plan, load, seconds });
        const { share } = plan;
        measured[index]!.push(share === undefined ? await measure() : await whileLimited(await familyOf(program.pid), share, measure));
      }
    comparisons.push(compare(plan, measured));
    console.log(`measured: ${plan.title}, ${plan.connections} connections`);
  }
  const database = await databaseCeilings(setting, { rounds, seconds });
  return { rounds, seconds, cpus: availableParallelism(), load: [loadBefore, loadavg()[0] as number], comparisons, database };
}

function plansFor({ baseline, ours, oursWithJwt, twoWorkers, bareWriter, bareKoa, bareHttp }: Participants): Plan[] {
  const create = (connections: number, servers: Participant[]): Plan => ({ title: "create", kind: "create", connections, servers });
  return [
    create(1, [baseline, ours, oursWithJwt]),
    create(16, [baseline, ours, oursWithJwt]),
    create(usual, [baseline, ours, oursWithJwt, bareWriter, bareKoa, bareHttp]),
    create(256, [baseline, ours, oursWithJwt]),
    { title: "create, all cores", kind: "create", connections: 256, servers: [ours, twoWorkers] },
    { title: limitedTitle, kind: "create", connections: 256, share: maxShare, servers: [ours, twoWorkers] },
    { title: "a repeated idempotency key", kind: "replay", connections: usual, servers: [baseline, ours] },
    { title: "a donation that is refused", kind: "refused", connections: usual, servers: [baseline, ours] },
  ];
}

/** Sends requests before the measurement, so that V8 has compiled the code, and records the donations that will be repeated. */
async function warmUp({ baseline, ours, twoWorkers, bareWriter, bareKoa, bareHttp }: Participants): Promise<void> {
  for (const { program, token } of [baseline, ours, twoWorkers, bareWriter, bareKoa, bareHttp])
    await measureWith(program, { load: { KIND: "create", TOKEN: token }, connections: usual, seconds: 3 });
  for (const { program, token } of [baseline, ours]) {
    const repeat = async (number: number) => {
      const json = `{"donatorName":"สมชาย ใจดี","amount":123.45,"message":"ขอบคุณสำหรับสตรีมครับ","idempotencyKey":"replayed-${number}"}`;
      const { status, body } = await send(`${program.url}/api/v1/donations`, token, json);
      if (status !== 201) throw new Error(`a donation was answered ${status}: ${body}`);
    };
    await Promise.all(Array.from({ length: replayedKeys }, (_, number) => repeat(number)));
  }
}

/** The medians of each server's rounds, and their ratios to the first server's. */
export function compare({ title, kind, connections, servers }: Plan, measured: Measured[][]): Comparison {
  const first = measured[0] as Measured[];
  const lines = servers.map(({ name }, index) => {
    const rounds = measured[index] as Measured[];
    const ratios = rounds.map((round, number) => figures((of) => divided(of(round), of(first[number] as Measured))));
    return { name, median: median(rounds), ratio: median(ratios), rounds };
  });
  return { title, kind, connections, lines };
}

type Read = (of: Figures) => number | null;

const names = ["perSecond", "p50", "p99", "cpuMicroseconds", "databaseMicroseconds", "busy", "megabytes"] as const;

function figures(make: (read: Read) => number | null): Figures {
  return Object.fromEntries(names.map((name) => [name, make((of) => of[name])])) as Figures;
}

function median(all: readonly Figures[]): Figures {
  return figures((of) => {
    const values = all.map(of).filter((value) => value !== null);
    return values.length > 0 ? percentile(values, 0.5) : null;
  });
}

function divided(value: number | null, by: number | null): number | null {
  return value === null || by === null ? null : value / by;
}

/** The folder of the control groups, and the files that limit a group. */
type Groups = { root: string; files: (share: number) => [name: string, text: string][] };

const periodMicroseconds = 20_000;

// short, so that a process that has used up its share does not wait for long
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
async function whileLimited<T>(pids: readonly number[], share: number, work: () => Promise<T>): Promise<T> {
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

async function canLimit(): Promise<boolean> {
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
