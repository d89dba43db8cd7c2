import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFile, chown, lstat, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openEmbedded } from "./embedded.ts";
import { findPostmaster } from "./embedded/postmaster.ts";
import { othersReach } from "./embedded/runner.ts";
import { removeDataDir, silent, temporaryDirectory } from "./testing.ts";

interface Companion {
  url: string;
  child: ChildProcess;
  /** Lets it release the database and waits for its end. */
  leave(): Promise<void>;
}

const AS_ROOT = process.getuid?.() === 0;
const NOBODY = 65534;
const REACHABLE = await othersReach(import.meta.dirname);
const HOLD = `
  import { openEmbedded } from ${JSON.stringify(new URL("embedded.ts", import.meta.url).href)};
  const log = { info() {}, warn() {}, debug() {}, error() {} };
  const embedded = await openEmbedded({ dataDir: process.argv[1], log });
  process.on("SIGINT", () => {});
  console.log(embedded.url);
  for await (const _ of process.stdin);
  await embedded.release();`;

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

describe("where it works", () => {
  test("below a 0700 parent, on a path with a blank and Thai letters", async () => {
    await mkdir(join(base, "บ้าน เรา"), { mode: 0o700 });
    dataDir = join(base, "บ้าน เรา", "ข้อ มูล");
    await remembers((work) => inThisProcess(dataDir, work));
  });

  test.skipIf(!AS_ROOT || !REACHABLE)("for an ordinary user (root and a checkout that others can read only)", async () => {
    await mkdir(dataDir);
    await chown(dataDir, NOBODY, NOBODY);
    await remembers((work) => inCompanion(work, { uid: NOBODY, gid: NOBODY }));
    expect((await stat(join(dataDir, "postgres"))).uid).toBe(NOBODY);
  });

  test.skipIf(!AS_ROOT)("for root without user namespaces (root only): the data belong to an ordinary user", async () => {
    await remembers((work) => inCompanion(work, withoutUnshare()));
    expect((await stat(join(dataDir, "postgres"))).uid).toBe(NOBODY);
    await remembers((work) => inThisProcess(dataDir, work));
  });

  test.skipIf(!AS_ROOT)("for root without user namespaces below a 0700 parent (root only): the data lie elsewhere", async () => {
    await mkdir(join(base, "home"), { mode: 0o700 });
    dataDir = join(base, "home", "data");
    await remembers((work) => inCompanion(work, withoutUnshare()));
    expect((await lstat(join(dataDir, "postgres"))).isSymbolicLink()).toBe(true);
  });
});

describe("after an accident", () => {
  test("a killed process leaves the database running, and the next one joins it", async () => {
    const companion = await accompany();
    await write(companion.url, "kept");
    const before = await postmaster();
    await kill(companion.child);
    await inThisProcess(dataDir, async (url) => expect(await read(url)).toEqual(["kept"]));
    expect(before).toBeDefined();
    expect(await postmaster()).toBeUndefined();
  });

  test("a killed database starts again, even when its process id now belongs to another process", async () => {
    const companion = await accompany();
    await write(companion.url, "kept");
    process.kill((await postmaster())!.pid, "SIGKILL");
    await kill(companion.child);
    await pretendPid(process.ppid);
    await inThisProcess(dataDir, async (url) => expect(await read(url)).toEqual(["kept"]));
  });

  test("an interrupted initdb is done again, and its remains are removed", async () => {
    const child = hold({});
    await until(async () => (await readdir(await partial())).includes("PG_VERSION"));
    await kill(child);
    expect(await readdir(dataDir)).not.toContain("postgres");
    await mkdir(join(dataDir, "postgres.partial-older", "data"), { recursive: true });
    await remembers((work) => inThisProcess(dataDir, work));
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
    await expect(openEmbedded({ dataDir, log: silent })).rejects.toThrow(/nonsense_setting[^]*DATABASE_URL/);
  });

  test("a DATA_DIR that cannot be made is named", async () => {
    await writeFile(dataDir, "a file");
    await expect(openEmbedded({ dataDir: join(dataDir, "below"), log: silent })).rejects.toThrow(/data\/below cannot be made.*DATABASE_URL/);
  });
});

describe("sharing", () => {
  test("two processes at once on a new directory get one database, and the last to leave stops it", async () => {
    const [first, second] = await Promise.all([accompany(), accompany()]);
    expect(first.url).toBe(second.url);
    await first.leave();
    await write(second.url, "kept");
    await second.leave();
    expect(await postmaster()).toBeUndefined();
  });

  test("a release leaves it running while any other client is connected", async () => {
    const embedded = await openEmbedded({ dataDir, log: silent });
    const client = new pg.Client(embedded.url);
    await client.connect();
    await embedded.release();
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await client.end();
    await inThisProcess(dataDir, async () => {});
    expect(await postmaster()).toBeUndefined();
  });

  test("a lost presence comes back, so that an idle process keeps its database", async () => {
    const companion = await accompany();
    await query(companion.url, "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'donations presence'");
    await until(async () => (await query(companion.url, "select 1 from pg_stat_activity where application_name = 'donations presence'")).length === 1);
    await inThisProcess(dataDir, async () => {});
    expect(await postmaster()).toBeDefined();
    await companion.leave();
  });

  test("Ctrl-C reaches the program's process group, not the database", async () => {
    const companion = await accompany({ detached: true });
    process.kill(-companion.child.pid!, "SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await write(companion.url, "kept");
    await companion.leave();
  });

  test("a release is done once, however often it is asked for", async () => {
    const embedded = await openEmbedded({ dataDir, log: silent });
    await Promise.all([embedded.release(), embedded.release()]);
    await expect(embedded.release()).resolves.toBeUndefined();
  });
});

test("only the owner reads the password, and no other opens the door", async () => {
  await inThisProcess(dataDir, async (url) => {
    const file = join(dataDir, "postgres", "donations.password");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(new URL(url).password).toBe(await readFile(file, "utf8"));
    await expect(query(Object.assign(new URL(url), { password: "guessed" }).href, "select 1")).rejects.toThrow(/password authentication failed/);
  });
});

test("it waits for the disk at each commit, sorts bytewise, and knows Thai letters", async () => {
  await inThisProcess(dataDir, async (url) => {
    const rows = await query(url, `
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, 'ก' ~ '[[:alpha:]]' as letter, 'B' < 'a' as bytewise`);
    expect(rows).toEqual([{ fsync: "on", commit: "on", letter: true, bytewise: true }]);
  });
});

test("its log holds no words of a failed statement", async () => {
  await inThisProcess(dataDir, async (url) => {
    await expect(query(url, "select 'somchai'::int")).rejects.toThrow();
  });
  const log = await readFile(join(dataDir, "postgres.log"), "utf8");
  expect(log).toContain("ready to accept connections");
  expect(log).not.toContain("somchai");
});

type Session = (work: (url: string) => Promise<void>) => Promise<void>;

async function remembers(session: Session): Promise<void> {
  const before = Date.now();
  await session((url) => write(url, String(before)));
  expect(await postmaster()).toBeUndefined();
  await session(async (url) => expect(await read(url)).toContain(String(before)));
}

async function inThisProcess(directory: string, work: (url: string) => Promise<void>): Promise<void> {
  const embedded = await openEmbedded({ dataDir: directory, log: silent });
  await work(embedded.url).finally(() => embedded.release());
}

async function inCompanion(work: (url: string) => Promise<void>, options: object): Promise<void> {
  const companion = await accompany(options);
  await work(companion.url).finally(() => companion.leave());
}

async function accompany(options: object = {}): Promise<Companion> {
  const child = hold(options);
  const [first] = await Promise.race([once(child.stdout!, "data"), once(child, "exit")]);
  if (typeof first !== "object") throw new Error(`the companion ended with ${first}`);
  const leave = async () => {
    child.stdin!.end();
    await once(child, "exit");
  };
  return { url: String(first).trim(), child, leave };
}

function hold(options: object): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", HOLD, dataDir], { stdio: ["pipe", "pipe", "inherit"], ...options });
}

function withoutUnshare(): object {
  return { env: { ...process.env, PATH: base } };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

function postmaster() {
  return findPostmaster(join(dataDir, "postgres"));
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

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function write(url: string, word: string): Promise<void> {
  await query(url, `create table if not exists words (word text); insert into words values ('${word}')`);
}

async function read(url: string): Promise<string[]> {
  return (await query(url, "select word from words")).map(({ word }) => word);
}

async function query(url: string, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(url);
  await client.connect();
  return client.query(sql).then(({ rows }) => rows).finally(() => client.end());
}
