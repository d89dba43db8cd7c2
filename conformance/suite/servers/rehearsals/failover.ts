// Two server processes whose PostgreSQL primary fails under load, again and again: Patroni makes its synchronous standby the primary.

import { setTimeout as sleep } from "node:timers/promises";
import { addStreamerWithKeys } from "../../client/operator.ts";
import { seeded } from "../../values/run-settings.ts";
import { withConnection } from "../cluster.ts";
import { type Node, type PatroniCluster, type Site, startPatroni } from "../patroni.ts";
import { type Counted, countReported, startLoad, startTwoServers, type Target, type Verified } from "./load.ts";

/** `env`: of the operator, without a database. `failures`: in turn. `site`: of the machines, if not loopback. `onRow` is called after each. */
type FailoverRehearsal = {
  env: Record<string, string>;
  count: number;
  seed: number;
  failures?: readonly Failure[];
  site?: Site;
  writers?: number;
  onRow?: (row: Row) => void;
};

/** What happens to a machine, by the node that is the primary then. It lasts for `lastsMs`, or until a donation is recorded again. */
export type Failure = Readonly<{
  name: string;
  lastsMs?: number;
  begin: (primary: Node) => void | Promise<void>;
  mend: (primary: Node) => void | Promise<void>;
}>;

/**
 * What happens to the primary: its PostgreSQL is killed; it and its Patroni are killed, as in a power cut; both stop without ending, and
 * close no connection, until they are killed as a watchdog would.
 */
export const kills: readonly Failure[] = [
  { name: "PostgreSQL killed", begin: (node) => node.killPostgres(), mend: () => {} }, // Patroni starts it
  { name: "machine killed", begin: (node) => node.killMachine(), mend: (node) => node.startMachine() },
  {
    name: "machine stopped",
    begin: (node) => node.freeze(),
    mend: async (node) => {
      await node.killMachine();
      await node.startMachine();
    },
  },
];

/** What happened from one failure to the next. */
type Row = Readonly<{
  failure: string;
  /** Another machine is the primary afterwards; else the same one went on. */
  replaced: boolean;
  /** The pair was whole again afterwards, within three minutes; else there are no further failures. */
  rejoined: boolean;
  acknowledged: number;
  /** Answered 503: not recorded, and posted again. */
  refused: number;
  /** Answered 500: the outcome is unknown. */
  unknown: number;
  /** Acknowledged and not there. */
  lost: number;
  /** There more than once. */
  doubled: number;
  /** Seconds in which donations were refused and none was acknowledged. */
  refusing: number;
  /** Seconds from the failure to the first acknowledgement of a donation that was posted after it. */
  away: number;
  reports: number;
  wrongReports: number;
}>;

type Outcome = Verified & Readonly<{ rows: readonly Row[] }>;

type TestBed = { cluster: PatroniCluster; urls: string[]; key: string };
type Running = TestBed & { load: ReturnType<typeof startLoad>; reports: ExactReports };

export async function rehearseFailover(options: FailoverRehearsal): Promise<Outcome> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const testBed = await setStage(options, undo);
    const target = { urls: () => testBed.urls, key: testBed.key };
    const load = startLoad({ ...target, reads: true, writers: options.writers ?? 4 });
    const reports = startExactReports(target, load.counted);
    const rows = await failAll({ ...testBed, load, reports }, options).finally(() => Promise.all([load.stop(), reports.stop()]));
    const verified = await verify(testBed.cluster.url, load);
    const { acknowledged, unread, unexpected } = load.counted();
    const stored = await countStored(testBed.cluster.url);
    const missing = unread > 0 ? [`${unread} acknowledged donations were not found by the other process`] : [];
    const apart = rows.filter(({ rejoined }) => !rejoined).map(({ failure }) => `after "${failure}" the pair was not whole again`);
    return {
      rows,
      acknowledged,
      ...verified,
      unexpected: [...unexpected, ...missing, ...apart, ...reports.counted().wrong],
      stored,
      reported: await countReported(testBed.urls[0] as string, testBed.key),
    };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

async function setStage({ env, site }: FailoverRehearsal, undo: (() => Promise<unknown>)[]): Promise<TestBed> {
  const cluster = await startPatroni(site);
  undo.push(cluster.stop);
  const own = { DATABASE_URL: cluster.url, READ_DATABASE_URL: cluster.standbyUrl, LOG_LEVEL: "warn" };
  const { urls, env: shared } = await startTwoServers(env, own, (step) => undo.push(step));
  const { key } = await addStreamerWithKeys({ env: shared, handle: "main" }, "main", "write:donations read:donations");
  return { cluster, urls, key };
}

async function failAll(running: Running, { count, seed, failures = kills, onRow = () => {} }: FailoverRehearsal): Promise<Row[]> {
  const random = seeded(seed);
  const rows: Row[] = [];
  while (rows.length < count && rows.at(-1)?.rejoined !== false) {
    await sleep(1_000 + 1_000 * random());
    const { lost, doubled, ...row } = await fail(running, failures[rows.length % failures.length] as Failure);
    const before = (name: "lost" | "doubled") => rows.reduce((sum, earlier) => sum + earlier[name], 0);
    rows.push({ ...row, lost: lost - before("lost"), doubled: doubled - before("doubled") });
    onRow(rows.at(-1) as Row);
  }
  return rows;
}

/** Donations lost and doubled are those of all failures so far. */
async function fail({ cluster, load, reports }: Running, { name, lastsMs = 0, begin, mend }: Failure): Promise<Row> {
  const [before, asked, wrong] = [load.counted(), reports.counted().asked, reports.counted().wrong.length];
  const node = await cluster.primary();
  if (!node) throw new Error("there is no primary that could fail");
  await begin(node);
  const begunAt = performance.now();
  const acknowledging = within(120_000 + lastsMs, "no donation was recorded after a failure", load.acknowledgedSince(begunAt));
  // A failure that lasts ends whether or not donations are recorded meanwhile.
  await (lastsMs > 0 ? sleep(lastsMs) : acknowledging);
  await mend(node);
  const acknowledgedAt = await acknowledging;
  const rejoined = await cluster.untilSynchronous().then(
    () => true,
    () => false,
  );
  const [after, { lost, doubled }] = [load.counted(), await verify(cluster.url, load)];
  return {
    failure: name,
    replaced: (await cluster.primary())?.name !== node.name,
    rejoined,
    acknowledged: after.acknowledged - before.acknowledged,
    refused: after.refused - before.refused,
    unknown: after.unknown - before.unknown,
    lost,
    doubled,
    refusing: Math.round((after.away.sum - before.away.sum) / 100) / 10,
    away: Math.round(acknowledgedAt - begunAt) / 1_000,
    reports: reports.counted().asked - asked,
    wrongReports: reports.counted().wrong.length - wrong,
  };
}

async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const late = sleep(ms, undefined, { ref: false }).then(() => Promise.reject(new Error(`${what} within ${ms / 1_000} s`)));
  return Promise.race([promise, late]);
}

/** HAProxy may have a connection to a primary that hangs. */
const limits = { connectionTimeoutMillis: 5_000, query_timeout: 60_000 };

async function verify(url: string, load: Running["load"]): ReturnType<typeof load.verify> {
  return withConnection(url, load.verify, limits);
}

const countStored = (url: string): Promise<number> =>
  withConnection(
    url,
    async (client) => (await client.query<{ count: number }>("select count(*)::int as count from donations")).rows[0]?.count ?? 0,
    limits,
  );

// Reports that are asked for while donations of 1 baht are posted and something fails.

type ExactReports = {
  counted: () => ReportCounts;
  stop: () => Promise<void>;
};

/** `wrong`: answers that lack an acknowledged donation, or have more than were posted. `refused`: 503. */
type ReportCounts = Readonly<{ asked: number; refused: number; wrong: readonly string[] }>;

/**
 * Asks the processes in turn for the number of donations and their sum. An answer must have every donation that was acknowledged before it
 * was asked for, and none that was posted after it came.
 */
function startExactReports({ urls, key }: Target, load: () => Counted): ExactReports {
  const counts = { asked: 0, refused: 0, wrong: [] as string[] };
  const headers = { Authorization: `Bearer ${key}` };
  let isOver = false;
  const ask = async (url: string): Promise<void> => {
    const least = load().acknowledged;
    const answer = await fetch(`${url}/api/v1/donations/stats`, { headers }).catch(() => null);
    const body = (await answer?.json().catch(() => null)) as { data?: { count: number; total: number } } | null;
    counts.asked += 1;
    if (answer?.status === 503) counts.refused += 1;
    else if (answer?.status !== 200 || !body?.data) counts.wrong.push(`status ${answer?.status}`);
    else if (body.data.count < least || body.data.count > load().posted || body.data.total !== body.data.count)
      counts.wrong.push(`${body.data.count} donations of ${body.data.total} baht, and ${least} were acknowledged of ${load().posted}`);
  };
  const running = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      await ask(urls()[turn % urls().length] as string);
      await sleep(50);
    }
  })();
  return {
    counted: () => counts,
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
