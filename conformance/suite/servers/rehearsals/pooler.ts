// Two server processes behind PgBouncer in transaction mode, whose connections are killed in the middle of commits.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { addStreamerWithKeys } from "../../client/operator.ts";
import { seeded } from "../../values/run-settings.ts";
import { startCluster, untilAnswering } from "../cluster.ts";
import { freePort, killProcess } from "../start-server.ts";
import { type Deviations, startLoad, startTwoServers } from "./load.ts";

// PgBouncer in front of a PostgreSQL server.

/** PgBouncer in transaction mode in front of all databases of a PostgreSQL server. */
type Pooler = {
  /** The address of the database of `url`, through the pooler. */
  through: (url: string) => string;
  /** Kills it with SIGKILL and starts another at its address. Resolves when that one answers. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
};

const program = "pgbouncer";

export const isPoolerInstalled = (): boolean => spawnSync(program, ["--version"]).status === 0;

type PoolerOptions = { serverUrl: string; mode?: "transaction" | "session"; servers?: number };

export async function startPooler({ serverUrl, mode = "transaction", servers = 10 }: PoolerOptions): Promise<Pooler> {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const [folder, port] = [await mkdtemp(join(tmpdir(), "namjai-pooler-")), await freePort()];
  await chmod(folder, 0o755);
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${serverPort} user=${username}${password ? ` password=${decodeURIComponent(password)}` : ""}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${servers}`,
    "max_client_conn = 1000",
    "server_login_retry = 1",
  ];
  const file = join(folder, "pgbouncer.ini");
  await writeFile(file, lines.join("\n"));
  const through = (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${port}`, search: "" }).href;
  let child = await start(file, through(serverUrl));
  return {
    through,
    kill: async () => {
      await killProcess(child);
      child = await start(file, through(serverUrl));
    },
    stop: async () => {
      await killProcess(child);
      await rm(folder, { recursive: true });
    },
  };
}

async function start(file: string, url: string): Promise<ChildProcess> {
  const user = process.getuid?.() === 0 ? ["-u", "postgres"] : []; // it refuses to run as root
  const child = spawn(program, ["-q", ...user, file], { stdio: "ignore" });
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`)));
  ended.catch(() => {});
  await Promise.race([untilAnswering(url), ended]);
  return child;
}

// The rehearsal: servers behind it while it is killed.

/** `kills`: of each kind. `env`: of the operator, without a database. */
type PoolerRehearsal = { env: Record<string, string>; kills: number; seed: number; writers?: number };

type Row = Deviations &
  Readonly<{
    kind: Kind;
    kills: number;
    /** Batches whose connection was lost while they were under way, as the processes' logs say. */
    lostBatches: number;
    acknowledged: number;
    refused: number;
    unknown: number;
    unexpected: number;
    /** Seconds of 503: of all kills, and the longest. */
    away: number;
    longest: number;
  }>;

export const kinds = ["connections ended", "connection SIGKILLed", "PgBouncer SIGKILLed", "PgBouncer SIGKILLed, commit waits"] as const;
type Kind = (typeof kinds)[number];

type TestBed = { urls: string[]; key: string; logs: string[]; database: pg.Client; url: string; pooler: Pooler };

/** A commit takes so long that a kill often meets one. */
const commitDelay = { commit_delay: 20_000, commit_siblings: 0, max_connections: 60 };

export async function rehearsePooler(options: PoolerRehearsal): Promise<Row[]> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const testBed = await setStage(options, undo);
    const rows: Row[] = [];
    for (const kind of kinds) rows.push(await rehearse(testBed, kind, options));
    return rows;
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

async function setStage({ env }: PoolerRehearsal, undo: (() => Promise<unknown>)[]): Promise<TestBed> {
  const cluster = await startCluster(commitDelay);
  undo.push(cluster.stop);
  const pooler = await startPooler({ serverUrl: cluster.url });
  undo.push(pooler.stop);
  const own = { DATABASE_URL: pooler.through(cluster.url), LISTEN_DATABASE_URL: cluster.url };
  const { urls, logs, env: shared } = await startTwoServers(env, own, (step) => undo.push(step));
  const operator = { env: shared, handle: "main" };
  const { key } = await addStreamerWithKeys(operator, "main", "write:donations read:donations");
  return { urls, key, logs, database: await connect(cluster.url), url: cluster.url, pooler };
}

async function rehearse(testBed: TestBed, kind: Kind, { kills, seed, writers = 8 }: PoolerRehearsal): Promise<Row> {
  const random = seeded(seed);
  const before = await countLostBatches(testBed.logs);
  const load = startLoad({ urls: () => testBed.urls, key: testBed.key, writers });
  for (let killed = 0; killed < kills; killed += 1) {
    await sleep(400 + 400 * random());
    await kill[kind](testBed);
    await untilAcknowledged(load.counted);
  }
  await sleep(500);
  await load.stop();
  testBed.database = await connect(testBed.url);
  const { away, unexpected, broken, acknowledged, refused, unknown } = load.counted();
  const lostBatches = (await countLostBatches(testBed.logs)) - before;
  const verified = await load.verify(testBed.database);
  return {
    kind,
    kills,
    lostBatches,
    acknowledged,
    refused,
    unknown,
    ...verified,
    unexpected: unexpected.length + broken,
    away: away.sum / 1_000,
    longest: away.longest / 1_000,
  };
}

const writing = "from pg_stat_activity where application_name = 'donations writer' and state = 'active'";

const kill: Record<Kind, (testBed: TestBed) => Promise<void>> = {
  "connections ended": async ({ database }) => {
    await untilWriting(database);
    await database.query(`select pg_terminate_backend(pid) ${writing}`);
  },
  // PostgreSQL ends all others then, and recovers.
  "connection SIGKILLed": async (testBed) => {
    const pid = await untilWriting(testBed.database);
    process.kill(pid, "SIGKILL");
    await sleep(100);
    await untilAnswering(testBed.url);
    testBed.database = await connect(testBed.url);
  },
  "PgBouncer SIGKILLed": async ({ database, pooler }) => {
    await untilWriting(database);
    await pooler.kill();
  },
  // The commit is not visible yet when the process looks for it, and comes all the same: it waits for a standby, which is given up later.
  "PgBouncer SIGKILLed, commit waits": async ({ database, pooler }) => {
    await setStandby(database, "nobody");
    await untilWriting(database, "and wait_event = 'SyncRep'");
    await pooler.kill();
    await sleep(500);
    await setStandby(database, "");
  },
};

async function setStandby(database: pg.Client, name: string): Promise<void> {
  await database.query(`alter system set synchronous_standby_names = '${name}'`);
  await database.query("select pg_reload_conf()");
}

/** The process id of a server process that records at this moment. */
async function untilWriting(database: pg.Client, condition = ""): Promise<number> {
  for (const deadline = Date.now() + 20_000; ; ) {
    const { rows } = await database.query<{ pid: number }>(`select pid ${writing} ${condition} limit 1`);
    if (rows[0]) return rows[0].pid;
    if (Date.now() > deadline) throw new Error("no donation was being recorded for 20 s");
  }
}

async function untilAcknowledged(counted: () => { acknowledged: number }): Promise<void> {
  const before = counted().acknowledged;
  for (const deadline = Date.now() + 30_000; counted().acknowledged <= before; await sleep(20))
    if (Date.now() > deadline) throw new Error("no donation was recorded within 30 s after a kill");
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // it is killed with the others
  await client.connect();
  return client;
}

async function countLostBatches(logs: readonly string[]): Promise<number> {
  const texts = await Promise.all(logs.map((log) => readFile(log, "utf8")));
  return texts.join("").split("the connection was lost while a batch was being recorded").length - 1;
}
