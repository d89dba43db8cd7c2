// One run of wrk against one server.

import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Program } from "./participants.ts";
import { type Machine, machineUsage, usageOf } from "./usage.ts";

/** What load.lua reads from its environment. */
export type Load = { KIND: string; TOKEN?: string; [name: string]: string | undefined };

export type Measured = {
  /** Refusals are not among them. */
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Of the server process; null where the machine does not say. */
  cpuMicroseconds: number | null;
  /** Of all processes of the database. */
  databaseMicroseconds: number | null;
  /** Share of all cores that was at work, whatever at. */
  busy: number | null;
  megabytes: number | null;
  /** Answers of 503, because the server had more to do than it could. */
  refused: number;
  /** Load average of one minute when it began. */
  load: number;
};

export type Run = { load: Load; connections: number; threads?: number; seconds: number };

/** `errors`: answers with a status from 400 on; `refused`: those with 503, where they are counted. */
type Summary = { requests: number; seconds: number; p50: number; p99: number; errors: number; refused: number; broken: number };

/** With so many connections a server that is slowed down refuses some: it answers 503 to what it could not answer soon. */
const refusingConnections = 256;

const script = fileURLToPath(new URL("load.lua", import.meta.url));

/** Throws when answers were not those that the kind of load must have: a fast failure is no result. */
export async function measureWith({ url, pid }: Program, run: Run): Promise<Measured> {
  const load = loadavg()[0] as number;
  const [before, machineBefore] = [await usageOf(pid), await machineUsage()];
  const summary = await wrk(url, run);
  const [after, machineAfter] = [await usageOf(pid), await machineUsage()];
  const { requests, errors, refused, broken } = summary;
  const answered = requests - refused;
  const wrong = run.load.KIND === "refused" ? requests - errors : errors - refused;
  if (wrong > 0 || broken > 0 || answered === 0)
    throw new Error(
      `${run.load.KIND} at ${url}: of ${requests} answers ${wrong} were wrong ones, ${refused} were 503, ${broken} were broken`,
    );
  return {
    perSecond: answered / summary.seconds,
    p50: summary.p50,
    p99: summary.p99,
    cpuMicroseconds: before && after && ((after.cpuSeconds - before.cpuSeconds) * 1e6) / answered,
    ...machineFigures(machineBefore, machineAfter, answered),
    megabytes: after?.megabytes ?? null,
    refused,
    load,
  };
}

function machineFigures(before: Machine | null, after: Machine | null, requests: number): Pick<Measured, "databaseMicroseconds" | "busy"> {
  if (!before || !after) return { databaseMicroseconds: null, busy: null };
  return {
    databaseMicroseconds: ((after.databaseSeconds - before.databaseSeconds) * 1e6) / requests,
    busy: (after.busySeconds - before.busySeconds) / (after.allSeconds - before.allSeconds),
  };
}

export async function hasWrk(): Promise<boolean> {
  const error = await promisify(execFile)("wrk", ["-v"]).catch((failure: NodeJS.ErrnoException) => failure); // it fails as well: with 1
  return !(error instanceof Error && error.code === "ENOENT");
}

async function wrk(url: string, { load, connections, threads = 1, seconds }: Run): Promise<Summary> {
  const words = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "--latency", "-s", script, url];
  const run = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const env = { PATH: process.env.PATH, RUN: run, ...(connections >= refusingConnections && { MAY_REFUSE: "1" }), ...load };
  const { stdout } = await promisify(execFile)("wrk", words, { env });
  return JSON.parse(stdout.trim().split("\n").at(-1) as string) as Summary;
}
