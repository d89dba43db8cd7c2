// What processes cost the machine, as Linux knows it; null elsewhere.

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

type Usage = { cpuSeconds: number; megabytes: number };

/** Seconds of all cores together. */
export type Machine = {
  busySeconds: number;
  allSeconds: number;
  /** Of every process of PostgreSQL. */
  databaseSeconds: number;
};

const ticksPerSecond = 100;

// USER_HZ, the same on every Linux that Node runs on

/** A server process, with the workers that it started. */
export async function usageOf(pid: number): Promise<Usage | null> {
  const all = await processes();
  const own = all?.filter((one) => one.pid === pid || one.parent === pid) ?? [];
  if (own.length === 0) return null;
  const megabytes = await Promise.all(own.map((one) => residentMegabytes(one.pid)));
  return { cpuSeconds: sum(own.map(({ cpuSeconds }) => cpuSeconds)), megabytes: sum(megabytes) };
}

/** The same processes. */
export async function familyOf(pid: number): Promise<number[]> {
  const all = (await processes()) ?? [];
  return all.filter((one) => one.pid === pid || one.parent === pid).map((one) => one.pid);
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
    databaseSeconds: sum(database.map(({ cpuSeconds, endedSeconds }) => cpuSeconds + endedSeconds)),
  };
}

type Process = {
  pid: number;
  parent: number;
  name: string;
  cpuSeconds: number;
  /** Of its children that have ended. */
  endedSeconds: number;
};

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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** The resident memory of the process once it no longer changes, because V8 returns memory with a delay. */
export async function settledMegabytes(metrics: string): Promise<number> {
  const read = async () => {
    const text = await (await fetch(metrics)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 2 ** 20;
  };
  const readings = [await read()];
  for (let second = 0; second < 60; second += 1) {
    await sleep(1_000);
    readings.push(await read());
    const last = readings.slice(-8);
    if (last.length === 8 && Math.max(...last) - Math.min(...last) < 1) break;
  }
  return readings.at(-1) as number;
}
