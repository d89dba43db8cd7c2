import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chown, mkdir, readdir, readFile, realpath, rename, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPostmaster } from "./embedded/postmaster.ts";
import { canOthersReach } from "./embedded/runner.ts";
import { killProcess, spawnClientProcess, startClientProcess } from "./embedded/testing-client-process.ts";
import { openEmbedded } from "./embedded.ts";
import { inThisProcess, query, removeDataDir, silent, temporaryDirectory, until, usePreparedCluster } from "./testing.ts";

const nobody = 65534;
const fromPresence = "from pg_stat_activity where application_name = 'donations presence'";
const ordinaryUser = process.getuid?.() === 0 && (await canOthersReach(import.meta.dirname)) ? { uid: nobody, gid: nobody } : undefined;

let base: string;
let dataDir: string;

const copyPrepared = usePreparedCluster();

beforeEach(async () => {
  base = await temporaryDirectory();
  dataDir = join(base, "data");
});

afterEach(async () => {
  await removeDataDir(dataDir);
  await removeDataDir(base);
});

test("a killed process leaves the database running, and the next process uses it", async () => {
  await copyPrepared(dataDir);
  const client = await startClientProcess(dataDir);
  await query(client.url, "create table words as select 'kept' as word");
  await killProcess(client.child);
  const orphan = await postmaster();
  await inThisProcess(dataDir, async (url) => {
    expect(await query(url, "select word from words")).toEqual([{ word: "kept" }]);
    expect(await postmaster()).toEqual(orphan);
  });
  expect(orphan).toBeDefined();
  expect(await postmaster()).toBeUndefined();
});

test("a process that may not look into the running database's process, as beside a service of systemd, finds it", async (context) => {
  if (process.getuid?.() !== 0) return context.skip("not run: only root starts PostgreSQL in a user namespace of its own");
  await copyPrepared(dataDir);
  const client = await startClientProcess(dataDir);
  const running = await postmaster();
  const program = `
    import { readlink } from "node:fs/promises";
    import { findPostmaster } from ${JSON.stringify(new URL("embedded/postmaster.ts", import.meta.url).href)};
    const isShown = await readlink("/proc/${running?.pid}/cwd").then(() => true, () => false);
    console.log(JSON.stringify({ isShown, found: await findPostmaster(process.argv[1]) }));`;
  const words = ["--user", "--map-root-user", process.execPath, "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)("unshare", [...words, await realpath(join(dataDir, "postgres"))]);
  await client.end();
  expect(JSON.parse(stdout)).toEqual({ isShown: false, found: running });
});

test("a killed database starts again, even when its process id now belongs to another process of the same user", async () => {
  await mkdir(dataDir);
  if (ordinaryUser) await chown(dataDir, nobody, nobody);
  const victim = await startClientProcess(dataDir, ordinaryUser);
  await query(victim.url, "create table words as select 'kept' as word");
  process.kill((await postmaster())!.pid, "SIGKILL");
  await killProcess(victim.child);
  const bystander = spawn("sleep", ["600"], { ...ordinaryUser, stdio: "ignore" });
  await writePid(bystander.pid!);
  const next = await startClientProcess(dataDir, ordinaryUser);
  expect(await query(next.url, "select word from words")).toEqual([{ word: "kept" }]);
  await next.end();
  await killProcess(bystander);
});

test("a database that dies while processes use it starts again at the same URL, and stops when they release it", async () => {
  await copyPrepared(dataDir);
  const [embedded, client] = [await openEmbedded({ dataDir, log: silent }), await startClientProcess(dataDir)];
  await query(embedded.url, "create table words as select 'kept' as word");
  const victim = await postmaster();
  process.kill(victim!.pid, "SIGKILL");
  await until(async () => (await query(embedded.url, `select 1 ${fromPresence}`)).length === 2);
  expect(await query(embedded.url, "select word from words")).toEqual([{ word: "kept" }]);
  expect(await postmaster()).toEqual({ port: victim!.port, pid: expect.any(Number) });
  await client.end();
  expect(await postmaster()).toBeDefined();
  await embedded.release();
  expect(await postmaster()).toBeUndefined();
});

test("a database that starts again on another port logs that the server must be restarted", async () => {
  await copyPrepared(dataDir);
  const lines: string[] = [];
  const embedded = await openEmbedded({ dataDir, log: pino({ level: "error" }, { write: (line) => lines.push(line) }) });
  const { pid, port } = (await postmaster())!;
  process.kill(pid, "SIGKILL");
  const otherServer = await occupy(port);
  await until(async () => lines.length > 0);
  expect(lines.join()).toContain(`move to port ${(await postmaster())!.port}. Restart this server`);
  await embedded.release();
  expect(await postmaster()).toBeUndefined();
  otherServer.close();
});

test("a database that cannot start again is logged once, and tried until it can", async () => {
  await copyPrepared(dataDir);
  const lines: string[] = [];
  const embedded = await openEmbedded({ dataDir, log: pino({ level: "warn" }, { write: (line) => lines.push(line) }) });
  const settings = join(dataDir, "postgres", "postgresql.conf");
  const sound = await readFile(settings);
  await appendFile(settings, "\nnonsense_setting = 1\n");
  process.kill((await postmaster())!.pid, "SIGKILL");
  await until(async () => (await readFile(join(dataDir, "postgres.log"), "utf8")).split("nonsense_setting").length > 2);
  await writeFile(settings, sound);
  await until(async () => (await query(embedded.url, `select 1 ${fromPresence}`)).length === 1);
  await embedded.release();
  expect(lines).toEqual([expect.stringContaining("it died, and is"), expect.stringContaining("nonsense_setting")]);
  expect(await postmaster()).toBeUndefined();
});

test("a database that died is not started again by a process that releases it", async () => {
  await copyPrepared(dataDir);
  const embedded = await openEmbedded({ dataDir, log: silent });
  process.kill((await postmaster())!.pid, "SIGKILL");
  await until(async () => !(await postmaster()));
  await embedded.release();
  await sleep(2_000);
  expect(await postmaster()).toBeUndefined();
});

test("an interrupted initdb is run again, and what it left is removed", async () => {
  const child = spawnClientProcess(dataDir);
  await until(async () => (await readdir(await partialDataDir())).includes("PG_VERSION"));
  await killProcess(child);
  expect(await readdir(dataDir)).not.toContain("postgres");
  await mkdir(join(dataDir, "postgres.partial-older", "data"), { recursive: true });
  await inThisProcess(dataDir, async (url) => expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]));
  expect(await readdir(dataDir)).not.toContain("postgres.partial-older");
});

test("a missing data directory is never replaced by an empty database", async () => {
  await copyPrepared(dataDir);
  await inThisProcess(dataDir, async () => {});
  const data = join(dataDir, "postgres");
  await rename(data, join(base, "moved"));
  await symlink(join(base, "nowhere"), data);
  await expect(openEmbedded({ dataDir, log: silent })).rejects.toThrow(/cannot be read.*DATABASE_URL/);
});

test("a database that does not start is an error that names the reason and DATABASE_URL", async () => {
  await copyPrepared(dataDir);
  await inThisProcess(dataDir, async () => {});
  await appendFile(join(dataDir, "postgres", "postgresql.conf"), "\nnonsense_setting = 1\n");
  await expect(openEmbedded({ dataDir, log: silent })).rejects.toThrow(/nonsense_setting.*DATABASE_URL/s);
});

test("a DATA_DIR that cannot be created is an error that names it", async () => {
  await writeFile(dataDir, "a file");
  const below = join(dataDir, "below");
  await expect(openEmbedded({ dataDir: below, log: silent })).rejects.toThrow(/data\/below cannot be created.*DATABASE_URL/);
});

function postmaster() {
  return findPostmaster(join(dataDir, "postgres"));
}

/** Listens on a port as soon as it is free, and closes every connection. */
async function occupy(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await until(() => once(server.listen(port, "127.0.0.1"), "listening").then(() => true));
  return server;
}

async function partialDataDir(): Promise<string> {
  const name = (await readdir(dataDir)).find((entry) => entry.startsWith("postgres.partial-"));
  return join(dataDir, name ?? "none yet", "data");
}

async function writePid(pid: number): Promise<void> {
  const file = join(dataDir, "postgres", "postmaster.pid");
  const [, ...rest] = (await readFile(file, "utf8")).split("\n");
  await writeFile(file, [pid, ...rest].join("\n"));
}
