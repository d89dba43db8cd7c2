import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

import { seeded } from "../generators/seeded.ts";
import { type CitusCluster, startCitus } from "../server/citus.ts";
import type { Cluster } from "../server/cluster.ts";
import { freePort } from "../server/free-port.ts";
import { cli, cliAll, keyCall } from "../server/operator.ts";
import { type Server, startServer } from "../server/start-server.ts";
import { type Load, startLoad } from "./load.ts";
import { nodesOfStreamers, rebalance } from "./shards.ts";

// Two server processes on a Citus cluster of a coordinator and two workers, under the load of many streamers: workers are killed in turn and
// come back, and at last one is added and gets its part of the shards.

/**
 * `env`: of the operator, without a database. `onRow` is called after each step. `later` gets what is to be undone at the end, the last one
 * first.
 */
export type CitusRehearsal = {
  env: Record<string, string>;
  kills: number;
  seed: number;
  streamers?: number;
  onRow?: (row: Row) => void;
  later: (undo: () => Promise<unknown>) => void;
};

/** What happened from one step to the next. */
export type Row = Readonly<{
  step: string;
  /** Streamers whose shard was away, or moved. */
  streamers: number;
  /** Donations of all streamers. */
  acknowledged: number;
  /** Answered 503: not recorded, and posted again. Of those streamers, and of all others. */
  refused: number;
  refusedElsewhere: number;
  /** Answered 500, or not at all: the outcome is unknown. */
  unknown: number;
  /** Seconds without a worker, or of the move. */
  seconds: number;
  /** Streamers of other shards of whom nothing was recorded for 30 s while the worker was away. */
  heldUp: number;
  /** Seconds from the worker's start until a donation of each of its streamers was recorded. */
  back: number;
}>;

export type Outcome = Readonly<{
  rows: readonly Row[];
  /** Of the whole time, like what follows. */
  acknowledged: number;
  lost: number;
  doubled: number;
  /** Recorded although every answer said that it is not. */
  unasked: number;
  unexpected: readonly string[];
  stored: number;
  /** Donations that the streamers' reports count. */
  reported: number;
  /** What `database verify` found. */
  verified: string;
  /** Shards of donations on the added worker. */
  movedShards: number;
}>;

type Streamer = { handle: string; key: string; load: ReturnType<typeof startLoad> };
type Stage = { cluster: CitusCluster; urls: string[]; operator: { env: Record<string, string>; handle: string }; streamers: Streamer[] };

export async function rehearseCitus(options: CitusRehearsal): Promise<Outcome> {
  const stage = await setStage(options);
  const stopLoads = () => Promise.all(stage.streamers.map(({ load }) => load.stop()));
  const rows = await runSteps(stage, options).finally(stopLoads);
  return { rows, ...(await judge(stage)) };
}

async function setStage({ env, streamers: count = 24, later }: CitusRehearsal): Promise<Stage> {
  const cluster = await startCitus();
  later(cluster.stop);
  const folder = await mkdtemp(join(tmpdir(), "namjai-rehearsal-"));
  later(() => rm(folder, { recursive: true }));
  const shared: Record<string, string> = {
    ...env,
    HOST: "127.0.0.1",
    RATE_LIMITS: "off",
    TTS: "off",
    LOG_LEVEL: "error",
    DATA_DIR: folder,
    DATABASE_URL: cluster.url,
    DISTRIBUTE: "citus",
    NOTIFIER: "postgres",
  };
  const [urls, servers]: [string[], Server[]] = [[], []];
  for (const number of [1, 2]) {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const log = join(folder, `server-${number}.log`);
    servers.push(await startServer(url, { ...shared, PORT: port, BASE_URL: url }, { log, quiet: true }));
    later(() => (servers[number - 1] as Server).stop());
    urls.push(url);
  }
  const operator = { env: shared, handle: "" };
  const handles = Array.from({ length: count }, (_, number) => `streamer-${number}`);
  const calls = handles.flatMap((handle) => [["streamers", "create", handle], keyCall(handle, "write:donations read:donations")]);
  const outputs = await cliAll(operator, calls);
  const streamers = handles.map((handle, index) => {
    const key = outputs[index * 2 + 1] as string;
    return { handle, key, load: startLoad({ urls: () => urls, key, writers: 1 }) };
  });
  return { cluster, urls, operator, streamers };
}

async function runSteps(stage: Stage, { kills, seed, onRow = () => {} }: CitusRehearsal): Promise<Row[]> {
  const random = seeded(seed);
  const rows: Row[] = [];
  const note = (row: Row): void => {
    rows.push(row);
    onRow(row);
  };
  const { workers } = stage.cluster;
  while (rows.length < kills) {
    await sleep(1_000 + 1_000 * random());
    const number = rows.length % workers.length;
    note(await killWorker(stage, workers[number] as Cluster, `worker ${number + 1} killed`));
  }
  note(await addWorker(stage));
  await sleep(1_000);
  return rows;
}

async function killWorker({ cluster, streamers }: Stage, worker: Cluster, step: string): Promise<Row> {
  const { there, elsewhere } = await divide(cluster, streamers, worker);
  const count = countFrom(there, elsewhere);
  await worker.sigkill();
  const killedAt = performance.now();
  const going = await Promise.all(elsewhere.map(({ load }) => isAcknowledged(load, killedAt, 30_000)));
  await sleep(Math.max(0, killedAt + 2_000 - performance.now())); // so that donations of its streamers meet the gap
  await worker.start();
  const startedAt = performance.now();
  const back = await Promise.all(there.map((streamer) => whenAcknowledged(streamer, startedAt)));
  return {
    step,
    streamers: there.length,
    ...count(),
    seconds: inSeconds(startedAt - killedAt),
    heldUp: going.filter((isGoing) => !isGoing).length,
    back: inSeconds(Math.max(startedAt, ...back) - startedAt),
  };
}

async function addWorker({ cluster, streamers }: Stage): Promise<Row> {
  const count = countFrom([], streamers);
  const begunAt = performance.now();
  const added = await cluster.addWorker();
  await withConnection(cluster.url, rebalance);
  const movedAt = performance.now();
  const { there } = await divide(cluster, streamers, added);
  const going = await Promise.all(streamers.map(({ load }) => isAcknowledged(load, movedAt, 30_000)));
  return {
    step: "a worker added, shards rebalanced",
    streamers: there.length,
    ...count(),
    seconds: inSeconds(movedAt - begunAt),
    heldUp: going.filter((isGoing) => !isGoing).length,
    back: 0,
  };
}

async function divide({ url }: CitusCluster, streamers: readonly Streamer[], worker: Cluster) {
  const ports = await withConnection(url, nodesOfStreamers);
  const isThere = ({ handle }: Streamer) => ports.get(handle) === Number(new URL(worker.url).port);
  return { there: streamers.filter(isThere), elsewhere: streamers.filter((streamer) => !isThere(streamer)) };
}

/** Begins to count; the result is what was counted since. */
function countFrom(there: readonly Streamer[], elsewhere: readonly Streamer[]) {
  const sums = (streamers: readonly Streamer[]) => {
    const counted = streamers.map(({ load }) => load.counted());
    const sum = (value: (of: (typeof counted)[number]) => number) => counted.reduce((total, of) => total + value(of), 0);
    return { acknowledged: sum((of) => of.acknowledged), refused: sum((of) => of.refused), unknown: sum((of) => of.unknown) };
  };
  const [here, others] = [sums(there), sums(elsewhere)];
  return () => {
    const [hereNow, othersNow] = [sums(there), sums(elsewhere)];
    return {
      acknowledged: hereNow.acknowledged - here.acknowledged + othersNow.acknowledged - others.acknowledged,
      refused: hereNow.refused - here.refused,
      refusedElsewhere: othersNow.refused - others.refused,
      unknown: hereNow.unknown - here.unknown + othersNow.unknown - others.unknown,
    };
  };
}

/** Whether a donation that was posted after `since` is acknowledged within the time. */
async function isAcknowledged(load: Load, since: number, ms: number): Promise<boolean> {
  return Promise.race([load.acknowledgedSince(since).then(() => true), sleep(ms, false, { ref: false })]);
}

async function whenAcknowledged({ handle, load }: Streamer, since: number): Promise<number> {
  if (!(await isAcknowledged(load, since, 120_000))) throw new Error(`no donation of ${handle} was recorded within 120 s`);
  return performance.now();
}

const inSeconds = (ms: number): number => Math.round(ms / 100) / 10;

async function judge({ cluster, urls, operator, streamers }: Stage): Promise<Omit<Outcome, "rows">> {
  const sum = { acknowledged: 0, lost: 0, doubled: 0, unasked: 0, reported: 0 };
  const unexpected: string[] = [];
  const database = new pg.Client({ connectionString: cluster.url });
  await database.connect();
  try {
    for (const { handle, key, load } of streamers) {
      const [counted, judged] = [load.counted(), await load.judge(database)];
      sum.acknowledged += counted.acknowledged;
      for (const what of ["lost", "doubled", "unasked"] as const) sum[what] += judged[what];
      unexpected.push(...counted.unexpected.map((status) => `${handle}: ${status}`));
      sum.reported += await reported(urls[0] as string, key);
    }
    const { rows } = await database.query<{ count: number }>("select count(*)::int as count from donations");
    const added = Number(new URL(cluster.workers.at(-1)?.url ?? "").port);
    const { rows: moved } = await database.query<{ count: number }>(
      "select count(*)::int as count from citus_shards where table_name = 'donations'::regclass and nodeport = $1",
      [added],
    );
    const verified = await cli(operator, "database", "verify").catch(
      (error: { stdout?: string; message: string }) => error.stdout || error.message,
    );
    return { ...sum, unexpected, stored: rows[0]?.count ?? 0, verified, movedShards: moved[0]?.count ?? 0 };
  } finally {
    await database.end();
  }
}

async function reported(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/donations/stats`, { headers: { Authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: { count: number } }).data.count;
}

async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}
