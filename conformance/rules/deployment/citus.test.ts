import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { read, utils } from "@e965/xlsx";
import type pg from "pg";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { addKey, cli } from "../../suite/client/operator.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { inDatabase, joinNodes, missingCitus, startCitus } from "../../suite/servers/citus.ts";
import { withConnection } from "../../suite/servers/cluster.ts";
import { rehearseCitus } from "../../suite/servers/rehearsals/citus.ts";
import { longestGap } from "../../suite/servers/rehearsals/citus-steps.ts";
import type { Later } from "../../suite/servers/rehearsals/load.ts";
import { countTasks, findStatementFaults } from "../../suite/servers/rehearsals/task-counts.ts";
import { freePort, needsOwnProcess, startServer } from "../../suite/servers/start-server.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// A database with a history that was kept on a single PostgreSQL, and is distributed by Citus then: what it has and answers before and after.

/** `env`: of the operator, without a database. */
type HistoryOptions = { env: Record<string, string>; later: Later };

/** The rows of a table: how many, and a digest of what they say. */
type Rows = Readonly<{ count: number; digest: string | null }>;

/** `rows`: by table. `answers`: by path. */
type Reading = Readonly<{ rows: Readonly<Record<string, Rows>>; answers: Readonly<Record<string, unknown>> }>;

type History = Readonly<{
  before: Reading;
  after: Reading;
  /** Shards of donations by the node's port. */
  nodes: readonly number[];
  /** The status of a donation whose idempotency key the history has for another one, and of a new donation. */
  repeated: number;
  recorded: number;
  /** Donations in the report before and after the new one. */
  counts: readonly [number, number];
  /** What `database verify` says in the end. */
  verified: string;
}>;

/** The streamer of src/ops/upgrade/data.sql. */
const handle = "somchai";
const followedMs = 60_000;

async function distributeHistory({ env, later }: HistoryOptions): Promise<History> {
  const cluster = await startCitus();
  later(cluster.stop);
  const database = "history";
  await withConnection(cluster.url, (client) => client.query(`create database ${database}`));
  const url = inDatabase(cluster.url, database);
  const own = { ...env, HOST: "127.0.0.1", RATE_LIMITS: "off", LOG_LEVEL: "error", TTS_URL: "http://127.0.0.1:9/", DATABASE_URL: url };
  const serve = { log: join(cluster.coordinator.data, "../history.log"), env: own };

  await served(serve, async () => {}); // migrates
  await withConnection(url, async (client) => client.query(await readFile(join(checkout, "src/ops/upgrade/data.sql"), "utf8")));
  const single = await served(serve, async (address) => {
    await withConnection(url, untilFollowed);
    return answersOf(address);
  });
  const before = { rows: await withConnection(url, rowsOf), answers: single };

  await joinNodes(cluster.url, database);
  const distributed = { ...serve, env: { ...own, DISTRIBUTE: "citus" } };
  const answers = await served(distributed, answersOf);
  const after = { rows: await withConnection(url, rowsOf), answers };
  const nodes = await withConnection(url, nodesOfDonations);
  const operator = { env: distributed.env, handle };
  const key = await addKey(operator, handle, "write:donations read:donations", "default");
  const outcome = await served(distributed, (address) => record(address, key));
  return { before, after, nodes, ...outcome, verified: await cli(operator, "database", "verify") };
}

type Serve = { log: string; env: Record<string, string> };

/** Runs `work` while a server serves the database. */
async function served<T>({ log, env }: Serve, work: (address: string) => Promise<T>): Promise<T> {
  const port = String(await freePort());
  const address = `http://127.0.0.1:${port}`;
  const server = await startServer(address, { ...env, PORT: port, BASE_URL: address }, { log, quiet: true });
  return work(address).finally(server.stop);
}

/** The answers to all requests of the test of upgrades, by path. */
async function answersOf(address: string): Promise<Record<string, unknown>> {
  const data = await readFile(join(checkout, "src/ops/upgrade/data.sql"), "utf8");
  const [api = "", overlay = ""] = ["v1", "o1"].map((kind) => new RegExp(`namjai_${kind}_\\w+`).exec(data)?.[0]);
  const released = JSON.parse(await readFile(join(checkout, "src/ops/upgrade/released.json"), "utf8")) as {
    answers: Record<string, unknown>;
  };
  const answers: Record<string, unknown> = {};
  for (const path of Object.keys(released.answers)) {
    const key = path.startsWith("/api/v1/overlay/") ? overlay : api;
    const answer = await fetch(`${address}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isJson = answer.headers.get("content-type")?.includes("json");
    answers[path] = { status: answer.status, body: isJson ? JSON.parse(bytes.toString(), withoutVolatile) : rowsIn(bytes) };
  }
  return answers;
}

/** The donations of an export, without its summary, which has the time of the export; sound as text. */
function rowsIn(bytes: Buffer): unknown {
  if (bytes.subarray(0, 2).toString() !== "PK") return bytes.toString("base64");
  const { SheetNames, Sheets } = read(bytes);
  return utils.sheet_to_json(Sheets[SheetNames[0] ?? ""] ?? {}, { raw: false, defval: "" });
}

const volatile = ["asOf", "requestId", "nextCursor", "today", "thisWeek", "thisMonth", "thisYear"];
const withoutVolatile = (name: string, value: unknown): unknown => (volatile.includes(name) ? undefined : value);

async function untilFollowed(client: pg.Client): Promise<void> {
  for (const deadline = Date.now() + followedMs; ; await sleep(200)) {
    const { rowCount } = await client.query(
      `select from (select streamer_id, max(sequence) as last, count(*) from donations group by 1) d
       left join report_progress p using (streamer_id) where p.rolled_sequence is distinct from d.last
         or d.count >= 256 and not exists (select from donation_search_blocks b where b.streamer_id = d.streamer_id)`,
    );
    if (rowCount === 0) return;
    if (Date.now() > deadline) throw new Error(`there were no roll-ups and search blocks within ${followedMs / 1_000} s`);
  }
}

async function rowsOf(client: pg.Client): Promise<Record<string, Rows>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e') order by 1`,
  );
  const found: Record<string, Rows> = {};
  for (const { name } of tables) {
    // The texts are ordered by this program: Citus orders no aggregate over all shards.
    const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
    const texts = rows.map(({ text }) => text).toSorted();
    found[name] = { count: texts.length, digest: createHash("sha256").update(texts.join("\n")).digest("hex") };
  }
  return found;
}

async function nodesOfDonations(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ port: number }>(
    "select nodeport as port from citus_shards where table_name = 'donations'::regclass group by 1 order by 1",
  );
  return rows.map(({ port }) => port);
}

async function record(address: string, key: string): Promise<Pick<History, "repeated" | "recorded" | "counts">> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const post = async (idempotencyKey: string): Promise<number> => {
    const body = JSON.stringify({ donatorName: "Somsri", amount: 5, idempotencyKey });
    return (await fetch(`${address}/api/v1/donations`, { method: "POST", headers, body })).status;
  };
  const count = async (): Promise<number> => {
    const answer = await fetch(`${address}/api/v1/donations/stats`, { headers });
    return ((await answer.json()) as { data: { count: number } }).data.count;
  };
  const [before, repeated, recorded] = [await count(), await post("key-2"), await post("key-new")];
  return { repeated, recorded, counts: [before, await count()] };
}

// The small version of `make rehearse-citus`. The extension is in no package registry, so it may be missing in CI as well.

beforeEach(async (context) => {
  needsOwnProcess(context);
  const missing = await missingCitus();
  if (missing) context.skip(`not run: ${missing}`);
});

/** Adds what is undone at the end of the test, the last one first. */
const later = (undo: () => Promise<unknown>): void => onTestFinished(async () => void (await undo()));

test("no acknowledged donation is lost or doubled, and streamers of other shards go on, when machines of Citus are killed, frozen, added and restored", async (context) => {
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operatorOf(context).env;
  const { rows, restored, ...before } = await rehearseCitus({ env, kills: 1, seed: target().seed, streamers: 8, later });
  for (const { lost, doubled, unasked, unexpected, stored, reported } of [before, restored]) {
    expect({ lost, doubled, unasked, unexpected }).toEqual({ lost: 0, doubled: 0, unasked: 0, unexpected: [] });
    expect(reported).toBe(stored);
  }
  expect(before.movedShards).toBeGreaterThan(0);
  for (const { refusedElsewhere, unknownElsewhere, others } of rows) {
    expect({ refusedElsewhere, unknownElsewhere }).toEqual({ refusedElsewhere: 0, unknownElsewhere: 0 });
    expect(others).toBeLessThan(longestGap);
  }
}, 600_000);

test("every operation is answered, a statement of a request asks one shard at most, and an idle server sends what is listed", async (context) => {
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operatorOf(context).env;
  const counts = await countTasks({ env, later });
  expect(counts.refused).toEqual([]);
  expect(counts.unasked).toEqual([]);
  expect(counts.requests.length).toBeGreaterThan(100);
  expect(findStatementFaults(counts)).toEqual([]);
}, 600_000);

test("a history of a single PostgreSQL has the same rows and answers after Citus has distributed it, and goes on", async (context) => {
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operatorOf(context).env;
  const { before, after, nodes, repeated, recorded, counts, verified } = await distributeHistory({ env, later });
  expect(before.rows.donations?.count).toBe(304);
  expect(nodes.length, "both workers have shards").toBe(2);
  expect(after.rows).toEqual(before.rows);
  expect(Object.keys(before.answers).length).toBeGreaterThan(30);
  expect(after.answers).toEqual(before.answers);
  expect([repeated, recorded, counts[1] - counts[0]]).toEqual([422, 201, 1]);
  expect(JSON.parse(verified).faults).toBe(0);
}, 600_000);
