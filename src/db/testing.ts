// Temporary databases and directories for tests.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFile, chmod, cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { pino } from "pino";
import { beforeAll, inject } from "vitest";
import { lockByName } from "./advisory-lock.ts";
import { type Database, openDatabase } from "./database.ts";
import { openCluster } from "./embedded/cluster.ts";
import { findPostmaster } from "./embedded/postmaster.ts";
import { type Embedded, openEmbedded } from "./embedded.ts";
import { migrate, migrationsDirectory } from "./migrator/migrate.ts";

export type TemporaryServer = {
  url: string;
  /** Creates and opens a database on the server; `options` follow the name in `create database`. */
  freshDatabase(options?: string): Promise<Database>;
  /** Opens a new database with all migrations: a copy, which takes less than half the time of migrating one. */
  migratedDatabase(): Promise<Database>;
  remove(): Promise<void>;
};

export const silent = pino({ level: "silent" });

/** A directory that every user can reach, as a checkout in a shared place would be. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "donations-test-")));
  await chmod(directory, 0o755);
  return directory;
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

/** Creates the data of a server that keeps its shared memory beside them: in /dev/shm it would stay when the server is killed. */
export async function createCluster(dataDir: string): Promise<void> {
  await openCluster(dataDir, silent);
  await appendFile(join(dataDir, "postgres", "postgresql.conf"), "dynamic_shared_memory_type = mmap\n");
}

/** Ends the server of `dataDir` and deletes everything, also data that are outside `dataDir`. */
export async function removeDataDir(dataDir: string): Promise<void> {
  const cluster = await abandonServer(dataDir);
  if (cluster && !cluster.startsWith(dataDir)) await rm(join(cluster, ".."), { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Ends the server of `dataDir`, if one runs, without a checkpoint: that would write a hundred databases to the disk, which are deleted
 * next. Returns the directory of its data.
 */
export async function abandonServer(dataDir: string): Promise<string | undefined> {
  const cluster = await realpath(join(dataDir, "postgres")).catch(() => undefined);
  const postmaster = cluster && (await findPostmaster(cluster));
  if (!postmaster) return cluster;
  process.kill(postmaster.pid, "SIGQUIT");
  await until(async () => (await findPostmaster(cluster))?.pid !== postmaster.pid);
  return cluster;
}

/** Opens an embedded server for one test file: the one that all files of a run share, or a new one when there is none, as in `make release`. */
export async function temporaryServer(): Promise<TemporaryServer> {
  const shared = process.env.VITEST ? inject("dataDir") : undefined;
  const directory = shared ?? (await temporaryDirectory());
  if (!shared) await createCluster(directory);
  const embedded = shared ? await openShared(shared) : await openEmbedded({ dataDir: directory, log: silent });
  const admin = await openDatabase({ databaseUrl: embedded.url, dataDir: directory, log: silent });
  const open = (name: string): Promise<Database> => {
    const url = Object.assign(new URL(embedded.url), { pathname: `/${name}` }).href;
    return openDatabase({ databaseUrl: url, dataDir: directory, log: silent });
  };
  const freshDatabase = async (options = ""): Promise<Database> => {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await admin.knex.raw(`create database ${name} ${options}`);
    return open(name);
  };
  return {
    url: embedded.url,
    freshDatabase,
    migratedDatabase: async () => {
      await prepareTemplate(admin, open);
      return freshDatabase(`template ${template}`);
    },
    remove: async () => {
      await admin.close();
      await embedded.release();
      if (!shared) await removeDataDir(directory);
    },
  };
}

let sharedUrl: Promise<string> | undefined;

/** Vitest's main process keeps the server running: a worker asks once where it is, instead of opening it for each file with four connections. */
async function openShared(dataDir: string): Promise<Embedded> {
  const ask = async () => {
    const embedded = await openEmbedded({ dataDir, log: silent });
    await embedded.release();
    return embedded.url;
  };
  sharedUrl ??= ask();
  return { url: await sharedUrl, release: async () => {} };
}

const template = "migrated_template";

/** The first test file of a run migrates the template; the others wait for it. It gets its name when it is complete. */
async function prepareTemplate(admin: Database, open: (name: string) => Promise<Database>): Promise<void> {
  await admin.knex.transaction(async (transaction) => {
    await lockByName(transaction, "template of test databases");
    const { rows } = await transaction.raw("select 1 from pg_database where datname = ?", [template]);
    if (rows.length > 0) return;
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await admin.knex.raw(`create database ${name}`);
    const database = await open(name);
    await migrate(database).finally(() => database.close());
    await admin.knex.raw(`alter database ${name} rename to ${template}`);
  });
}

type TearDown = () => Promise<void>;

/**
 * Gives a test file a migrated database of its own, which is open while its tests run. `setUp` runs before them; what it returns is called after
 * them.
 */
export function useDatabase(setUp: (database: Database) => Promise<TearDown | undefined> | Promise<void> = async () => {}): Database {
  const database = {} as Database;
  beforeAll(async () => {
    const server = await temporaryServer();
    Object.assign(database, await server.migratedDatabase());
    const tearDown = await setUp(database);
    return async () => {
      await tearDown?.();
      await database.close();
      await server.remove();
    };
  });
  return database;
}

/** Opens the embedded database in this process, and releases it when `work` is done. */
export async function inThisProcess(dataDir: string, work: (url: string) => Promise<void>): Promise<void> {
  const embedded = await openEmbedded({ dataDir, log: silent });
  await work(embedded.url).finally(() => embedded.release());
}

/** Copies the program's migrations that are chosen by their names into a directory. */
export async function copyMigrations(directory: string, isChosen: (name: string) => boolean): Promise<void> {
  const isCopied = (file: string): boolean =>
    file === migrationsDirectory || isChosen(relative(migrationsDirectory, file).split(/[./\\]/, 1)[0] ?? "");
  await cp(migrationsDirectory, directory, { recursive: true, filter: isCopied });
}

/** Runs one statement on a new connection. */
export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Waits until `condition` is true; an error counts as false. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition().catch(() => false))) await sleep(5);
}

// A database cluster that is created once for the tests of a file, because initdb takes longer than most tests.

/** Returns a function that copies the cluster into a data directory, where no server has run yet. */
export function usePreparedCluster(): (dataDir: string) => Promise<void> {
  let prepared = "";
  beforeAll(async () => {
    prepared = await temporaryDirectory();
    await createCluster(prepared);
    return () => removeDataDir(prepared);
  });
  return async (dataDir) => {
    await promisify(execFile)("cp", ["-R", "-p", `${prepared}/.`, dataDir]);
  };
}
