// `make bench PARTS=create`: recording and the other operations beside the hand-written baseline, beside bare ceilings, and beside what the database alone
// can record. Every round measures all servers in turn, so that other work of the machine affects all alike. Ratios are medians over the rounds.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { recordOne } from "../../../../src/donations/record/record-statements.ts";
import type { Cleanup } from "../../program.ts";
import { familyOf, holdTo, percentile, send } from "../measure.ts";
import { settled } from "../overhead.ts";
import { type EmptySetting, emptySetting } from "../setting.ts";
import { insert } from "./baseline-donations.ts";
import {
  type ComparedLine,
  type Comparison,
  compare,
  comparisonHeading,
  type Load,
  type Measured,
  measureWith,
  type Participant,
  type Plan,
  type Program,
  rowsOf,
  share,
  whole,
} from "./comparison.ts";
import { handle, type Participants, startAll } from "./participants.ts";

export type SpeedOptions = { rounds: number; seconds: number; databaseUrl: string | undefined };

/** Null: not run, because the machine has no pgbench. */
type Ceiling = { name: string; rowsPerSecond: number | null; load: number };

type Speed = {
  rounds: number;
  seconds: number;
  cpus: number;
  /** Load average of one minute when it began and ended. */
  load: [number, number];
  comparisons: Comparison[];
  database: Ceiling[];
};

const usual = 64;

/** The share of a core of each process with which two workers, the database and the load fit on two cores. */
const maxShare = 0.35;

const limitedTitle = `create, each process limited to ${maxShare} of a core`;
const replayedKeys = 500; // as in load.lua

export async function measureSpeed({ rounds, seconds, databaseUrl }: SpeedOptions, cleanup: Cleanup): Promise<Speed> {
  const loadBefore = loadavg()[0] as number;
  const setting = await emptySetting(databaseUrl, cleanup);
  const servers = await startAll(setting, cleanup);
  await warmUp(servers);
  const comparisons: Comparison[] = [];
  for (const plan of plansFor(servers)) {
    if (plan.share !== undefined && !(await canHold())) {
      console.log(`not run: ${plan.title}: the machine has no control groups, or the user is not root`);
      continue;
    }
    const measured = plan.servers.map((): Measured[] => []);
    for (let round = 0; round < rounds; round += 1)
      for (const [index, { program, token }] of plan.servers.entries()) {
        await settled(setting); // so that the work that one server has left does not slow down the next
        const load: Load = { KIND: plan.kind, TOKEN: token };
        const measure = () => measureWith(program, { ...plan, load, seconds });
        measured[index]!.push(plan.share === undefined ? await measure() : await whileHeld(program, plan.share, measure));
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

async function canHold(): Promise<boolean> {
  const letGo = await holdTo(1, []);
  await letGo?.();
  return letGo !== null;
}

/** Runs `work` while no process of the server gets more than `part` of a core. Call `canHold` before. */
async function whileHeld<T>({ pid }: Program, part: number, work: () => Promise<T>): Promise<T> {
  const releases: (() => Promise<void>)[] = [];
  try {
    for (const one of await familyOf(pid)) {
      const letGo = await holdTo(part, [one.pid]);
      if (!letGo) throw new Error("the CPU time of processes cannot be limited on this machine");
      releases.push(letGo);
    }
    return await work();
  } finally {
    for (const letGo of releases) await letGo();
  }
}

// What the database alone can record: pgbench with the baseline's insert, and with our recording statement one row and fifty at a time.

async function databaseCeilings(
  { databaseUrl, client }: EmptySetting,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Ceiling[]> {
  const { rows } = await client.query("select streamer_id as id from streamer_handles where handle = $1", [handle]);
  const record = recording();
  const candidates = [
    { name: "the baseline's insert, 20 clients", sql: inserting(), rows: 1, clients: 20 },
    { name: "our statement with 1 row, 1 client", sql: record(rows[0].id, 1), rows: 1, clients: 1 },
    { name: "our statement with 50 rows, 1 client", sql: record(rows[0].id, 50), rows: 50, clients: 1 },
  ];
  const ceilings: Ceiling[] = [];
  for (const { name, sql, rows, clients } of candidates) {
    const load = loadavg()[0] as number;
    const perSecond: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const transactions = await pgbench(databaseUrl, sql, { clients, seconds });
      if (transactions !== null) perSecond.push(transactions * rows);
    }
    ceilings.push({ name, rowsPerSecond: perSecond.length > 0 ? percentile(perSecond, 0.5) : null, load });
  }
  return ceilings;
}

/** Transactions a second; null without the program. */
async function pgbench(url: string, sql: string, { clients, seconds }: { clients: number; seconds: number }): Promise<number | null> {
  const directory = await mkdtemp(join(tmpdir(), "namjai-bench-"));
  const script = join(directory, "script.sql");
  await writeFile(script, `${sql};\n`);
  const words = ["-n", "-M", "prepared", "-f", script, "-c", String(clients), "-T", String(seconds), url];
  try {
    const { stdout } = await promisify(execFile)("pgbench", words);
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const name = "'สมชาย ใจดี'";
const message = "'ขอบคุณสำหรับสตรีมครับ'";
const key = "gen_random_uuid()::text";

function inserting(): string {
  const values = [name, "123.45", message, "null", key, "false", "null"];
  return insert.replace(/\$(\d+)/g, (_, number) => values[Number(number) - 1] as string);
}

/** The very statement that the server runs. */
function recording(): (streamerId: string, rows: number) => string {
  const statement = recordOne(false);
  return (streamerId, rows) => {
    const id = `'${streamerId}'`;
    const donation = ["'THB'", message, "null", "false", "'external'", "'external'", "null", "null"];
    const values = [id, "gen_random_uuid()", id, key, name, `'n:' || ${name}`, "123.45", ...donation];
    return statement
      .replaceAll("$1::uuid", `${id}::uuid`)
      .replace(
        /\$(\d+)::(\w+)\[\]/g,
        (_, number, type) => `(select array_agg((${values[Number(number) - 1] ?? "null"})::${type}) from generate_series(1, ${rows}))`,
      );
  };
}

export function speedText({ rounds, seconds, cpus, load, comparisons, database }: Speed): string[] {
  const [before, after] = load.map((one) => one.toFixed(1));
  return [
    `Medians of ${rounds} rounds of ${seconds} s each, the servers in turn; in brackets the ratio to the first line.`,
    `${cpus} cores, shared by server, database and load; load average ${before} before, ${after} after.`,
    "",
    ...comparisonHeading,
    ...comparisons.flatMap(rowsOf),
    "",
    "| pgbench, the database alone | rows/s |",
    "|---|--:|",
    ...database.map(({ name, rowsPerSecond }) => `| ${name} | ${rowsPerSecond === null ? "not run: no pgbench" : whole(rowsPerSecond)} |`),
    "",
    ...verdicts(comparisons),
    ...refusals(comparisons),
  ];
}

/** The servers that refused some of the requests, which no figure counts as answered; times are of all answers. */
function refusals(comparisons: readonly Comparison[]): string[] {
  return comparisons.flatMap(({ title, connections, lines }) =>
    lines.flatMap(({ name, rounds }) => {
      const refused = rounds.map((round) => round.refused);
      if (refused.every((number) => number === 0)) return [];
      return `- ${title}, ${connections} connections: ${name} refused ${refused.map(whole).join(", ")} requests with 503 in its rounds`;
    }),
  );
}

type Aim = { what: string; measured: number | null; limit: number; atMost: boolean; remark?: string };

/** Every aim, and whether it was reached. */
function verdicts(comparisons: readonly Comparison[]): string[] {
  return aims(comparisons).map(({ what, measured, limit, atMost, remark = "" }) => {
    const aim = `${atMost ? "at most" : "at least"} ${limit}`;
    if (measured === null) return `- ${what}: ${aim}; cannot be measured on this machine`;
    const isReached = atMost ? measured <= limit : measured >= limit;
    return `- ${what}: ${measured.toFixed(2)}, ${isReached ? "reached" : "missed"} (${aim})${remark}`;
  });
}

function aims(comparisons: readonly Comparison[]): Aim[] {
  const line = (connections: number, name: string) =>
    comparisons.find((one) => one.kind === "create" && one.connections === connections)?.lines.find((one) => one.name === name);
  const [ours, alone, bareWriter] = [line(64, "ours"), line(1, "ours"), line(64, "Koa + bodyparser + our writer")];
  if (!ours || !alone || !bareWriter) return [];
  return [
    { what: "create at 64, requests/s to the baseline's", measured: ours.ratio.perSecond, limit: 2.2, atMost: false },
    { what: "create at 64, p99 to the baseline's", measured: ours.ratio.p99, limit: 0.5, atMost: true },
    { what: "create at 64, server CPU to the baseline's", measured: ours.ratio.cpuMicroseconds, limit: 0.55, atMost: true },
    {
      what: "create at 64, requests/s to the bare writer's",
      measured: ours.ratio.perSecond / bareWriter.ratio.perSecond,
      limit: 0.7,
      atMost: false,
    },
    { what: "create at 1, p50 to the baseline's", measured: alone.ratio.p50, limit: 1.1, atMost: true },
    ...workersAim(comparisons),
  ];
}

/** The second worker can use only what one process, its database and the load leave of the machine. */
function workersAim(comparisons: readonly Comparison[]): Aim[] {
  const [one, two] = linesOf(comparisons, "create, all cores");
  if (!one || !two) return [];
  const busy = one.median.busy;
  const remark =
    busy === null
      ? ""
      : `; with one, ${share(busy)} of the machine is busy with server, database and load, so the ratio cannot exceed ${(1 / busy).toFixed(2)}`;
  const what = "create at 256, two workers' requests/s to one's";
  return [
    { what, measured: two.ratio.perSecond, limit: 1.6, atMost: false, remark },
    ...linesOf(comparisons, limitedTitle)
      .slice(1)
      .map(({ ratio }) => ({
        what: `${what}, each process limited to a share of a core`,
        measured: ratio.perSecond,
        limit: 1.6,
        atMost: false,
      })),
  ];
}

function linesOf(comparisons: readonly Comparison[], title: string): ComparedLine[] {
  return comparisons.find((one) => one.title === title)?.lines ?? [];
}
