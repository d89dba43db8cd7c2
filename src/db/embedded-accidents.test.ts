import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chown, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accompany, hold, kill } from "./embedded/companion.ts";
import { findPostmaster } from "./embedded/postmaster.ts";
import { othersReach } from "./embedded/runner.ts";
import { openEmbedded } from "./embedded.ts";
import { inThisProcess, query, removeDataDir, silent, temporaryDirectory, until } from "./testing.ts";

const NOBODY = 65534;
const PRESENCE = "from pg_stat_activity where application_name = 'donations presence'";
const ORDINARY_USER = process.getuid?.() === 0 && (await othersReach(import.meta.dirname)) ? { uid: NOBODY, gid: NOBODY } : undefined;

let base: string;
let dataDir: string;

beforeEach(async () => {
  base = await temporaryDirectory();
  dataDir = join(base, "data");
});

afterEach(async () => {
  await removeDataDir(dataDir);
  await removeDataDir(base);
});

test("a killed process leaves the database running, and the next one joins it", async () => {
  const companion = await accompany(dataDir);
  await query(companion.url, "create table words as select 'kept' as word");
  await kill(companion.child);
  const orphan = await postmaster();
  await inThisProcess(dataDir, async (url) => {
    expect(await query(url, "select word from words")).toEqual([{ word: "kept" }]);
    expect(await postmaster()).toEqual(orphan);
  });
  expect(orphan).toBeDefined();
  expect(await postmaster()).toBeUndefined();
});

test("a killed database starts again, even when its process id now belongs to another process of the same user", async () => {
  await mkdir(dataDir);
  if (ORDINARY_USER) await chown(dataDir, NOBODY, NOBODY);
  const victim = await accompany(dataDir, ORDINARY_USER);
  await query(victim.url, "create table words as select 'kept' as word");
  process.kill((await postmaster())!.pid, "SIGKILL");
  await kill(victim.child);
  const bystander = spawn("sleep", ["600"], { ...ORDINARY_USER, stdio: "ignore" });
  await pretendPid(bystander.pid!);
  const next = await accompany(dataDir, ORDINARY_USER);
  expect(await query(next.url, "select word from words")).toEqual([{ word: "kept" }]);
  await next.leave();
  await kill(bystander);
});

test("a database that dies under its holders comes back at the same URL, and stops when they leave", async () => {
  const [embedded, companion] = [await openEmbedded({ dataDir, log: silent }), await accompany(dataDir)];
  await query(embedded.url, "create table words as select 'kept' as word");
  const victim = await postmaster();
  process.kill(victim!.pid, "SIGKILL");
  await until(async () => (await query(embedded.url, `select 1 ${PRESENCE}`)).length === 2);
  expect(await query(embedded.url, "select word from words")).toEqual([{ word: "kept" }]);
  expect(await postmaster()).toEqual({ port: victim!.port, pid: expect.any(Number) });
  await companion.leave();
  expect(await postmaster()).toBeDefined();
  await embedded.release();
  expect(await postmaster()).toBeUndefined();
});

test("a database that has to come back on another port says that the server must be restarted", async () => {
  const lines: string[] = [];
  const embedded = await openEmbedded({ dataDir, log: pino({ level: "error" }, { write: (line) => lines.push(line) }) });
  const { pid, port } = (await postmaster())!;
  process.kill(pid, "SIGKILL");
  const stranger = await occupy(port);
  await until(async () => lines.length > 0);
  expect(lines.join()).toContain(`move to port ${(await postmaster())!.port}. Restart this server`);
  await embedded.release();
  expect(await postmaster()).toBeUndefined();
  stranger.close();
});

test("a database that cannot come back says so once, and is tried until it can", async () => {
  const lines: string[] = [];
  const embedded = await openEmbedded({ dataDir, log: pino({ level: "warn" }, { write: (line) => lines.push(line) }) });
  const settings = join(dataDir, "postgres", "postgresql.conf");
  const sound = await readFile(settings);
  await appendFile(settings, "\nnonsense_setting = 1\n");
  process.kill((await postmaster())!.pid, "SIGKILL");
  await until(async () => (await readFile(join(dataDir, "postgres.log"), "utf8")).split("nonsense_setting").length > 2);
  await writeFile(settings, sound);
  await until(async () => (await query(embedded.url, `select 1 ${PRESENCE}`)).length === 1);
  await embedded.release();
  expect(lines).toEqual([expect.stringContaining("it died, and is"), expect.stringContaining("nonsense_setting")]);
  expect(await postmaster()).toBeUndefined();
});

test("a database that died is not started again by a holder that leaves", async () => {
  const embedded = await openEmbedded({ dataDir, log: silent });
  process.kill((await postmaster())!.pid, "SIGKILL");
  await until(async () => !(await postmaster()));
  await embedded.release();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await postmaster()).toBeUndefined();
});

test("an interrupted initdb is done again, and its remains are removed", async () => {
  const child = hold(dataDir);
  await until(async () => (await readdir(await partial())).includes("PG_VERSION"));
  await kill(child);
  expect(await readdir(dataDir)).not.toContain("postgres");
  await mkdir(join(dataDir, "postgres.partial-older", "data"), { recursive: true });
  await inThisProcess(dataDir, async (url) => expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]));
  expect(await readdir(dataDir)).not.toContain("postgres.partial-older");
});

test("data that are gone are never replaced by an empty database", async () => {
  await inThisProcess(dataDir, async () => {});
  const data = join(dataDir, "postgres");
  await rename(data, join(base, "moved"));
  await symlink(join(base, "nowhere"), data);
  await expect(openEmbedded({ dataDir, log: silent })).rejects.toThrow(/cannot be read.*DATABASE_URL/);
});

test("a server that does not start says why, and names the way out", async () => {
  await inThisProcess(dataDir, async () => {});
  await appendFile(join(dataDir, "postgres", "postgresql.conf"), "\nnonsense_setting = 1\n");
  await expect(openEmbedded({ dataDir, log: silent })).rejects.toThrow(/nonsense_setting.*DATABASE_URL/s);
});

test("a DATA_DIR that cannot be made is named", async () => {
  await writeFile(dataDir, "a file");
  const below = join(dataDir, "below");
  await expect(openEmbedded({ dataDir: below, log: silent })).rejects.toThrow(/data\/below cannot be made.*DATABASE_URL/);
});

function postmaster() {
  return findPostmaster(join(dataDir, "postgres"));
}

/** Takes a port as soon as it is free, and answers nobody. */
async function occupy(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await until(() => once(server.listen(port, "127.0.0.1"), "listening").then(() => true));
  return server;
}

async function partial(): Promise<string> {
  const name = (await readdir(dataDir)).find((entry) => entry.startsWith("postgres.partial-"));
  return join(dataDir, name ?? "none yet", "data");
}

async function pretendPid(pid: number): Promise<void> {
  const file = join(dataDir, "postgres", "postmaster.pid");
  const [, ...rest] = (await readFile(file, "utf8")).split("\n");
  await writeFile(file, [pid, ...rest].join("\n"));
}
