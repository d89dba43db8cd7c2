// One kind of request, sent by wrk to several servers in turn, and the figures of each beside those of the first.

import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { count, type Machine, machineUsage, ms, percentile, usageOf } from "../measure.ts";

export type Program = { url: string; pid: number };

/** A server with the credential of its requests. */
export type Participant = { name: string; program: Program; token: string };

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

type Run = { load: Load; connections: number; threads?: number; seconds: number; timeoutSeconds?: number };

/** `errors`: answers with a status from 400 on. `statuses`: how many answers had each, where they are counted. `broken`: without an answer. */
export type Summary = {
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
  errors: number;
  statuses: Record<string, number>;
  broken: number;
};

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

/** `share`: of a core that each process may have. */
export type Plan = { title: string; kind: string; connections: number; threads?: number; share?: number; servers: Participant[] };

/** With so many connections a server that is slowed down refuses some: it answers 503 to what it could not answer soon. */
const refusingConnections = 256;

const script = fileURLToPath(new URL("load.lua", import.meta.url));

/** Throws when answers were not those that the kind of load must have: a fast failure is no result. */
export async function measureWith({ url, pid }: Program, run: Run): Promise<Measured> {
  const load = loadavg()[0] as number;
  const [before, machineBefore] = [await usageOf(pid), await machineUsage()];
  const summary = await wrk(url, run);
  const [after, machineAfter] = [await usageOf(pid), await machineUsage()];
  const { requests, errors, statuses, broken } = summary;
  const refused = statuses["503"] ?? 0;
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

export async function wrk(url: string, { load, connections, threads = 1, seconds, timeoutSeconds = 30 }: Run): Promise<Summary> {
  const words = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "--timeout", `${timeoutSeconds}s`, "--latency", "-s", script, url];
  const run = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const env = { PATH: process.env.PATH, RUN: run, ...(connections >= refusingConnections && { STATUSES: "1" }), ...load };
  const { stdout } = await promisify(execFile)("wrk", words, { env });
  return JSON.parse(stdout.trim().split("\n").at(-1) as string) as Summary;
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

export const comparisonHeading = [
  "| | conn. | requests/s | p50 ms | p99 ms | CPU µs each | database CPU µs each | machine busy | MB |",
  "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
];

/** A row for each server; from the second on, in brackets, the ratio to the first. */
export const rowsOf = (comparison: Comparison): string[] => comparison.lines.map((line, index) => row(comparison, line, index > 0));

function row({ title, connections }: Comparison, { name, median, ratio }: ComparedLine, compared: boolean): string {
  const cell = (of: (figures: Figures) => number | null, write: (value: number) => string) => {
    const [value, relative] = [of(median), of(ratio)];
    if (value === null) return "?";
    return compared && relative !== null ? `${write(value)} (${relative.toFixed(2)})` : write(value);
  };
  const cells = [
    cell(({ perSecond }) => perSecond, whole),
    cell(({ p50 }) => p50, ms),
    cell(({ p99 }) => p99, ms),
    cell(({ cpuMicroseconds }) => cpuMicroseconds, whole),
    cell(({ databaseMicroseconds }) => databaseMicroseconds, whole),
    share(median.busy),
    cell(({ megabytes }) => megabytes, whole),
  ];
  return `| ${title}: ${name} | ${connections} | ${cells.join(" | ")} |`;
}

export function share(part: number | null): string {
  return part === null ? "?" : `${whole(part * 100)} %`;
}

export function whole(value: number): string {
  return count(Math.round(value));
}
