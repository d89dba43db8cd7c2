// `make bench PARTS=read`: each reading operation, and the token endpoint, beside the hand-written baseline on as many donations.

import { availableParallelism, loadavg } from "node:os";
import type { Cleanup } from "../../program.ts";
import { untilCaughtUp } from "../histories.ts";
import { count, send } from "../measure.ts";
import { absent, common, copyToOthers, prepareWords, rare, seed, spread } from "../seed.ts";
import { type EmptySetting, emptySetting } from "../setting.ts";
import { copyDonations } from "./baseline-donations.ts";
import { type Comparison, compare, comparisonHeading, type Load, type Measured, measureWith, type Plan, rowsOf } from "./comparison.ts";
import type { SpeedOptions } from "./create.ts";
import { handle, type Readers, startReaders } from "./participants.ts";

type ReadsMeasured = {
  rows: number;
  /** Other streamers with as many donations each. */
  others: number;
  rounds: number;
  seconds: number;
  cpus: number;
  /** Load average of one minute when it began and ended. */
  load: [number, number];
  comparisons: Comparison[];
};

type ReadsOptions = SpeedOptions & Pick<ReadsMeasured, "rows" | "others"> & { /** Titles to measure. */ only: RegExp };

const connections = 64;
const idsAsked = 200;

export async function measureReads(options: ReadsOptions, cleanup: Cleanup): Promise<ReadsMeasured> {
  const { rows, others, rounds, seconds, databaseUrl, only } = options;
  const loadBefore = loadavg()[0] as number;
  const setting = await emptySetting(databaseUrl, cleanup);
  const readers = await startReaders(setting, cleanup);
  await fill(setting, options);
  const ids = await idsOf(setting);
  const comparisons: Comparison[] = [];
  for (const plan of plansFor(readers).filter(({ title }) => only.test(title))) {
    const measured = plan.servers.map((): Measured[] => []);
    const measure = async (index: number, length: number) => {
      const { program, token } = plan.servers[index] as Plan["servers"][number];
      const load: Load =
        plan.kind === "token"
          ? await readers.refreshing[index === 0 ? "baseline" : "ours"](plan.connections)
          : { KIND: plan.kind, TOKEN: token, IDS: (index % 2 === 0 ? ids.baseline : ids.ours).join(" "), WORDS: words.join(" ") };
      const recording = plan.donationsPerSecond ? record(program.url, token, plan.donationsPerSecond) : undefined;
      return measureWith(program, { ...plan, load, seconds: length }).finally(() => recording?.stop());
    };
    for (const index of plan.servers.keys()) await measure(index, Math.max(2, plan.atLeastSeconds ?? 0)); // compiles what is hot
    for (let round = 0; round < rounds; round += 1)
      for (const index of plan.servers.keys()) measured[index]?.push(await measure(index, Math.max(seconds, plan.atLeastSeconds ?? 0)));
    comparisons.push(compare(plan, measured));
    console.log(`measured: ${plan.title}`);
  }
  return { rows, others, rounds, seconds, cpus: availableParallelism(), load: [loadBefore, loadavg()[0] as number], comparisons };
}

/** Records donations in the background until it is stopped. */
function record(url: string, token: string, perSecond: number): { stop: () => void } {
  let number = 0;
  const timer = setInterval(async () => {
    number += 1;
    const body = JSON.stringify({
      donatorName: `Mint ${number % 1_000}`,
      amount: 100,
      message: "gg",
      idempotencyKey: `${Date.now()}-${number}`,
    });
    const answer = await send(`${url}/api/v1/donations`, token, body);
    if (answer.status !== 201) throw new Error(`a donation was answered ${answer.status}: ${answer.body}`);
  }, 1_000 / perSecond);
  return { stop: () => clearInterval(timer) };
}

/** Words of the search, percent-encoded: some are in every fourth donation, some nowhere. */
const words = [rare.word, common.word, spread.most, spread.few, absent].map(encodeURIComponent);

/** `atLeastSeconds`: the baseline answers too seldom for a shorter round. `donationsPerSecond`: recorded meanwhile, on one connection. */
type ReadPlan = Plan & { atLeastSeconds?: number; donationsPerSecond?: number };

function plansFor({ baseline, ours }: Readers): ReadPlan[] {
  const withToken: Plan["servers"] = [baseline.jwt, ours.jwt];
  const withKey: Plan["servers"] = [baseline.key, ours.key];
  const plan = (title: string, kind: string, servers = withToken): ReadPlan => ({ title, kind, connections, servers });
  return [
    plan("me, API key", "me", withKey),
    plan("me, JWT", "me"),
    plan("get, API key", "get", withKey),
    plan("get, JWT", "get"),
    plan("list of 20", "list"),
    plan("list of 20, never the same again", "listnew"),
    plan("list of 100", "list100"),
    plan("search", "search"),
    plan("search, never the same again", "searchnew"),
    plan("stats of 30 days", "stats30"),
    { ...plan("stats of all time", "stats"), atLeastSeconds: 8 },
    plan("top donators", "top"),
    plan("amount trends", "trends"),
    plan("stats of 30 days, never the same again", "statsnew"),
    plan("top donators of 30 days, never the same again", "topnew"),
    plan("amount trends of 30 days, never the same again", "trendsnew"),
    { ...plan("stats of 30 days, ten donations a second", "stats30"), donationsPerSecond: 10 },
    { ...plan("top donators, ten donations a second", "top"), donationsPerSecond: 10 },
    { ...plan("amount trends, ten donations a second", "trends"), donationsPerSecond: 10 },
    { title: "token, by refresh token", kind: "token", connections: 8, threads: 8, servers: withToken },
  ];
}

/** The donations of the streamer and of the others, taken up by roll-ups and search, and the same in the baseline's table. */
async function fill({ client }: EmptySetting, { rows, others }: ReadsOptions): Promise<void> {
  await prepareWords(client);
  await seed(client, { handle, rows });
  if (others > 0) await copyToOthers(client, { handle, others });
  for (const one of [handle, ...Array.from({ length: others }, (_, n) => `crowd-${n + 1}`)])
    await untilCaughtUp(client, { handle: one, rows });
  await client.query(copyDonations);
  await client.query("vacuum analyze");
}

async function idsOf({ client }: EmptySetting): Promise<{ baseline: string[]; ours: string[] }> {
  const ours = await client.query("select id::text from donations order by sequence desc limit $1", [idsAsked]);
  const baseline = await client.query("select id::text from baseline_donations order by id desc limit $1", [idsAsked]);
  return { ours: ours.rows.map(({ id }) => id as string), baseline: baseline.rows.map(({ id }) => id as string) };
}

export function readsText({ rows, others, rounds, seconds, cpus, load, comparisons }: ReadsMeasured): string[] {
  const [before, after] = load.map((one) => one.toFixed(1));
  return [
    `Reading beside ${count(rows)} donations${others > 0 ? ` of each of ${count(others + 1)} streamers` : ""}: medians of ${rounds} rounds of ${seconds} s each, the servers in turn; in brackets the ratio to the baseline.`,
    `${cpus} cores, shared by server, database and load; load average ${before} before, ${after} after.`,
    "",
    ...comparisonHeading,
    ...comparisons.flatMap(rowsOf),
  ];
}
