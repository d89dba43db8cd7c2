// What the parts of the bench measure with: a request, timed; what processes cost the machine, as Linux knows it (null elsewhere), and how they are held
// to a share of a core; figures, and tables for the terminal.

import { access, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";

export type Timed = { status: number; body: Buffer; firstByteMs: number; ms: number };

type Usage = { cpuSeconds: number; megabytes: number };

/** Seconds of all cores together. */
export type Machine = {
  busySeconds: number;
  allSeconds: number;
  /** Of every process of PostgreSQL. */
  databaseSeconds: number;
};

type Process = {
  pid: number;
  parent: number;
  name: string;
  cpuSeconds: number;
  /** Of its children that have ended. */
  endedSeconds: number;
};

/** Closes idle connections long before a server does: a request that is sent while the server closes its connection fails. */
const agent = new Agent({ keepAlive: true, maxSockets: 128, timeout: 5_000 });

export function send(url: string, key: string, json?: string, onChunk?: (chunk: Buffer) => void): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = { Authorization: `Bearer ${key}`, ...(json === undefined ? {} : { "Content-Type": "application/json" }) };
    const outgoing = request(url, { agent, method: json === undefined ? "GET" : "POST", headers }, (message) => {
      let firstByteMs = 0;
      const chunks: Buffer[] = [];
      message.on("data", (chunk: Buffer) => {
        firstByteMs ||= performance.now() - start;
        if (onChunk) onChunk(chunk);
        else chunks.push(chunk);
      });
      message.on("error", reject);
      message.on("end", () =>
        resolve({ status: message.statusCode ?? 0, body: Buffer.concat(chunks), firstByteMs, ms: performance.now() - start }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(json);
  });
}

/** Opens streams, a few at a time. */
export const openStreams: ReturnType<typeof pLimit> = pLimit(32);

/** Opens a stream of events on a connection of its own. `onBlock`: with the time at which a block came. Resolves when the first one has come. */
export function openStream(url: string, key: string, onBlock: (block: string, at: number) => void): Promise<{ close: () => void }> {
  const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: new Agent(), headers }, (message) => {
      if (message.statusCode !== 200) return reject(new Error(`a stream was answered ${message.statusCode}`));
      let text = "";
      message.setEncoding("utf8").on("data", (chunk: string) => {
        const at = performance.now();
        const blocks = (text + chunk).split("\n\n");
        text = blocks.pop() as string;
        for (const block of blocks) onBlock(block, at);
        if (blocks.length > 0) resolve({ close: () => outgoing.destroy() });
      });
      message.on("error", () => {});
    });
    outgoing.on("error", reject).end();
  });
}

/** The body of a 200. Throws on any other answer. */
export function bodyOf({ status, body }: Timed, url: string): { data: unknown; pagination?: { nextCursor: string | null } } {
  if (status !== 200) throw new Error(`${url} answered ${status}: ${body.toString("utf8").slice(0, 500)}`);
  return JSON.parse(body.toString("utf8"));
}

const ticksPerSecond = 100; // USER_HZ, the same on every Linux that Node runs on

/** A server process, with the workers that it started. */
export async function usageOf(pid: number): Promise<Usage | null> {
  const own = await familyOf(pid);
  if (own.length === 0) return null;
  const megabytes = await Promise.all(own.map((one) => residentMegabytes(one.pid)));
  return { cpuSeconds: sum(own.map(({ cpuSeconds }) => cpuSeconds)), megabytes: sum(megabytes) };
}

/** A server process and the workers that it started. */
export async function familyOf(pid: number): Promise<Process[]> {
  const all = (await processes()) ?? [];
  return all.filter((one) => one.pid === pid || one.parent === pid);
}

/** What these processes have taken, with their children that have ended. */
export async function cpuSecondsOf(pids: readonly number[]): Promise<number> {
  const all = (await processes()) ?? [];
  return sum(all.filter(({ pid }) => pids.includes(pid)).map(allSeconds));
}

export async function machineUsage(): Promise<Machine | null> {
  const all = await processes();
  if (!all) return null;
  const [, user, nice, system, idle, wait, ...others] = (await readFile("/proc/stat", "utf8")).split("\n", 1)[0]!.split(/ +/).map(Number);
  const busy = sum([user, nice, system, ...others.slice(0, 3)] as number[]); // interrupts, and what other guests of the machine took
  const database = all.filter(({ name }) => name === "postgres");
  return {
    busySeconds: busy / ticksPerSecond,
    allSeconds: (busy + (idle as number) + (wait as number)) / ticksPerSecond,
    databaseSeconds: sum(database.map(allSeconds)),
  };
}

const allSeconds = ({ cpuSeconds, endedSeconds }: Process): number => cpuSeconds + endedSeconds;

async function processes(): Promise<Process[] | null> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return null;
  const read = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").then(toProcess, () => null)));
  return read.filter((one) => one !== null);
}

function toProcess(stat: string): Process {
  const [from, to] = [stat.indexOf("("), stat.lastIndexOf(")")]; // the name between may hold blanks
  const fields = stat.slice(to + 2).split(" ");
  return {
    pid: Number(stat.slice(0, from)),
    parent: Number(fields[1]),
    name: stat.slice(from + 1, to),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    endedSeconds: (Number(fields[13]) + Number(fields[14])) / ticksPerSecond,
  };
}

/** 0 where there is no /proc. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** Resident memory, as the metrics of the server on this port say it. */
export async function servedMegabytes(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 2 ** 20;
}

/** The same once it no longer changes, because V8 returns memory with a delay. */
export async function settledMegabytes(metricsPort: number): Promise<number> {
  const readings = [await servedMegabytes(metricsPort)];
  for (let second = 0; second < 60; second += 1) {
    await sleep(1_000);
    readings.push(await servedMegabytes(metricsPort));
    const last = readings.slice(-8);
    if (last.length === 8 && Math.max(...last) - Math.min(...last) < 1) break;
  }
  return readings.at(-1) as number;
}

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

/**
 * Holds processes, and those that they start from then on, together to a share of one core. Resolves to a function that lets them go; to null
 * where the machine has no control groups, or the user is not root.
 */
export async function holdTo(share: number, pids: readonly number[]): Promise<(() => Promise<void>) | null> {
  for (const { root, files } of versions) {
    const group = join(root, `namjai-bench-${process.pid}-${pids[0] ?? "try"}`);
    const letGo = async () => {
      for (const pid of pids) await writeFile(join(root, "cgroup.procs"), String(pid)).catch(() => {}); // it may have ended
      await rmdir(group);
    };
    try {
      await access(join(root, "cgroup.procs"));
      await mkdir(group);
      for (const [file, text] of files(share)) await writeFile(join(group, file), text);
      for (const pid of pids) await writeFile(join(group, "cgroup.procs"), String(pid));
      return letGo;
    } catch {
      await letGo().catch(() => {});
    }
  }
  return null;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Numbers to the right, the first row above a line. */
export function table(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (/^[\d.,%-]+$/.test(cell) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return lines.join("\n");
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)}%`;
}

export const count = (number: number): string => number.toLocaleString("en-US");

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
