import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { create, type Donation, list, recorded, search } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { exported } from "../../suite/client/workbook.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { type Cluster, postgresPrograms, startCluster, startStandby } from "../../suite/servers/cluster.ts";
import { freePort, needsOwnProcess, startServer } from "../../suite/servers/start-server.ts";
import { target } from "../../suite/values/target.ts";

// A server that reads from a standby.

/** A server on a PostgreSQL of its own that reads from a standby. */
type StandbyServer = {
  url: string;
  /** An API key that records and reads. */
  key: string;
  standby: Cluster;
  /** Runs a statement on the standby. */
  onStandby: (statement: string) => Promise<void>;
  /** How many reads went where, by outcome. */
  reads: () => Promise<Record<string, number>>;
  stop: () => Promise<void>;
};

/** `env`: of the operator, without a database. */
async function startStandbyServer(env: Record<string, string>): Promise<StandbyServer> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const primary = await startCluster();
    undo.push(primary.stop);
    const standby = await startStandby(primary.url);
    undo.push(standby.stop);
    const folder = await mkdtemp(join(tmpdir(), "namjai-standby-"));
    undo.push(() => rm(folder, { recursive: true }));
    const [port, metrics] = [String(await freePort()), String(await freePort())];
    const url = `http://127.0.0.1:${port}`;
    const own = { ...env, HOST: "127.0.0.1", PORT: port, BASE_URL: url, METRICS_PORT: metrics, RATE_LIMITS: "off", TTS: "off" };
    const databases = { DATABASE_URL: primary.url, READ_DATABASE_URL: standby.url, DATA_DIR: folder };
    const server = await startServer(url, { ...own, ...databases }, { log: join(folder, "server.log"), quiet: true });
    undo.push(server.stop);
    const { key } = await addStreamerWithKeys({ env: { ...own, ...databases }, handle: "main" }, "main", "write:donations read:donations");
    return { url, key, standby, onStandby: (statement) => run(standby.url, statement), reads: () => readOutcomes(metrics), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function readOutcomes(metricsPort: string): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const found = [...text.matchAll(/^standby_reads_total\{outcome="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(found.map(([, outcome, count]) => [outcome, Number(count)]));
}

// A server that reads from a standby answers what one on the primary alone would answer, whatever the standby has replayed.

beforeEach(needsOwnProcess);

const patience = { timeout: 120_000 };
/** In CI a missing program is a failure. */
const isRequired = process.env.CI !== undefined;

let server: StandbyServer | null = null;
beforeAll(async () => {
  const { operator } = target();
  if (!operator || (!isRequired && !(await postgresPrograms()))) return;
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operator.env;
  server = await startStandbyServer(env);
}, 600_000);
afterAll(() => server?.stop());

const at = () => ({ server: server?.url ?? "", key: server?.key ?? "" });

/** Expects every kind of answer to have the donation that was recorded just now; `count` is the number of all. */
async function expectInEveryAnswer({ id, donatorName }: Donation, count: number): Promise<void> {
  const bodyOf = async (reply: Promise<Reply>): Promise<{ data: { id: string }[] & { count: number } }> => {
    const { status, body, text } = await reply;
    expect(status, text).toBe(200);
    return body as { data: { id: string }[] & { count: number } };
  };
  const pages = [await bodyOf(list({ limit: 1 }, at())), await bodyOf(search({ q: donatorName }, at()))];
  expect(pages.map(({ data }) => data[0]?.id)).toEqual([id, id]);
  const { data } = await bodyOf(send({ path: "/api/v1/donations/stats", ...at() }));
  expect(data.count).toBe(count);
  const { rows } = await exported({}, server?.key, server?.url);
  expect(rows.map((row) => row["Donation id"]?.v)).toContain(id);
}

let count = 0;

/** Records a donation and expects every answer to have it. */
async function expectExact(): Promise<void> {
  const donation = recorded(await create({ donatorName: randomUUID(), amount: 1, message: "" }, at()));
  count += 1;
  await expectInEveryAnswer(donation, count);
}

/** Repeats `expectExact` until a read had this outcome since the call. */
async function expectExactUntil(outcome: string): Promise<void> {
  const before = (await server?.reads())?.[outcome] ?? 0;
  for (const deadline = Date.now() + 60_000; ((await server?.reads())?.[outcome] ?? 0) === before; await sleep(50)) {
    if (Date.now() > deadline) throw new Error(`no read was "${outcome}" within a minute`);
    await expectExact();
  }
}

test.each([
  ["follows", "standby", async () => {}],
  ["has stopped to replay", "behind", async () => server?.onStandby("select pg_wal_replay_pause()")],
  ["replays again", "standby", async () => server?.onStandby("select pg_wal_replay_resume()")],
  ["is killed", "away", async () => server?.standby.kill()],
  ["is started again", "standby", async () => server?.standby.start()],
])(
  "lists, searches, reports and exports have every acknowledged donation while the standby %s",
  patience,
  async (_state, outcome, change) => {
    if (!server) throw new Error("no server was started");
    await change();
    await expectExactUntil(outcome);
  },
);

test("a standby that was promoted is not read any more, because it counts by itself", patience, async () => {
  await server?.onStandby("select pg_promote()");
  await expectExactUntil("away");
});
