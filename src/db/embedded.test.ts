import { type SpawnOptions, spawnSync } from "node:child_process";
import { chown, lstat, mkdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findPostmaster } from "./embedded/postmaster.ts";
import { canOthersReach } from "./embedded/runner.ts";
import { startClientProcess } from "./embedded/testing-client-process.ts";
import { openEmbedded } from "./embedded.ts";
import { inThisProcess, query, removeDataDir, silent, temporaryDirectory, until, usePreparedCluster } from "./testing.ts";

type Session = (work: (url: string) => Promise<void>) => Promise<void>;

const isRoot = process.getuid?.() === 0;
const nobody = 65534;
const hasNamespaces = spawnSync("unshare", ["--user", "true"]).status === 0;
const isReachable = await canOthersReach(import.meta.dirname);
const fromPresence = "from pg_stat_activity where application_name = 'donations presence'";

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

describe("the embedded PostgreSQL runs", () => {
  test("the embedded PostgreSQL runs below a 0700 parent, on a path with a blank and Thai letters", async () => {
    await mkdir(join(base, "บ้าน เรา"), { mode: 0o700 });
    dataDir = join(base, "บ้าน เรา", "ข้อ มูล");
    await expectDataToStay((work) => inThisProcess(dataDir, work));
    expect((await lstat(join(dataDir, "postgres"))).isDirectory()).toBe(!isRoot || hasNamespaces);
  });

  test.skipIf(!isRoot || !isReachable)(
    "the embedded PostgreSQL runs for an ordinary user (tested only by root, in a checkout that others can read)",
    async () => {
      await mkdir(dataDir);
      await chown(dataDir, nobody, nobody);
      await expectDataToStay((work) => inClientProcess(work, { uid: nobody, gid: nobody }));
      expect((await stat(join(dataDir, "postgres"))).uid).toBe(nobody);
    },
  );

  test.skipIf(!isRoot)("without user namespaces root's data belong to an ordinary user (tested only by root)", async () => {
    await expectDataToStay((work) => inClientProcess(work, withoutUnshare()));
    expect((await stat(join(dataDir, "postgres"))).uid).toBe(nobody);
    await expectDataToStay((work) => inThisProcess(dataDir, work));
  });

  test.skipIf(!isRoot)(
    "without user namespaces and below a 0700 parent, root's data are outside DATA_DIR (tested only by root)",
    async () => {
      await mkdir(join(base, "home"), { mode: 0o700 });
      dataDir = join(base, "home", "data");
      await expectDataToStay((work) => inClientProcess(work, withoutUnshare()));
      expect((await lstat(join(dataDir, "postgres"))).isSymbolicLink()).toBe(true);
    },
  );
});

describe("sharing the embedded PostgreSQL", () => {
  test("two processes that open a new directory at once get one database, and the last one to release it stops it", async () => {
    const [first, second] = await Promise.all([startClientProcess(dataDir), startClientProcess(dataDir)]);
    expect(first.url).toBe(second.url);
    await first.end();
    expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await second.end();
    expect(await postmaster()).toBeUndefined();
  });

  test("a release leaves the database running while another client is connected", async () => {
    await copyPrepared(dataDir);
    const embedded = await openEmbedded({ dataDir, log: silent });
    const client = new pg.Client(embedded.url);
    await client.connect();
    await embedded.release();
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await client.end();
    await inThisProcess(dataDir, async () => {});
    expect(await postmaster()).toBeUndefined();
  });

  test("a process connects its presence again when it was lost, so that an idle process keeps its database", async () => {
    await copyPrepared(dataDir);
    const client = await startClientProcess(dataDir);
    await query(client.url, `select pg_terminate_backend(pid, 5000) ${fromPresence}`);
    await until(async () => (await query(client.url, `select 1 ${fromPresence}`)).length === 1);
    await inThisProcess(dataDir, async () => {});
    expect(await postmaster()).toBeDefined();
    await client.end();
  });

  test("Ctrl-C on the program's process group does not end the database", async () => {
    await copyPrepared(dataDir);
    const client = await startClientProcess(dataDir, { detached: true });
    process.kill(-client.child.pid!, "SIGINT");
    await sleep(300);
    expect(await query(client.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await client.end();
  });

  test("a second release of the database does nothing", async () => {
    await copyPrepared(dataDir);
    const embedded = await openEmbedded({ dataDir, log: silent });
    await Promise.all([embedded.release(), embedded.release()]);
    await expect(embedded.release()).resolves.toBeUndefined();
    expect(await postmaster()).toBeUndefined();
  });
});

test("only the owner can read the database's password, and another password is refused", async () => {
  await copyPrepared(dataDir);
  await inThisProcess(dataDir, async (url) => {
    const file = join(dataDir, "postgres", "donations.password");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(new URL(url).password).toBe(await readFile(file, "utf8"));
    const guessed = Object.assign(new URL(url), { password: "guessed" }).href;
    await expect(query(guessed, "select 1")).rejects.toThrow(/password authentication failed/);
  });
});

test("the embedded PostgreSQL waits for the disk at each commit, sorts bytewise, and knows Thai letters", async () => {
  await copyPrepared(dataDir);
  await inThisProcess(dataDir, async (url) => {
    const settings = "current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit";
    const rows = await query(url, `select ${settings}, 'ก' ~ '[[:alpha:]]' as letter, 'B' < 'a' as bytewise`);
    expect(rows).toEqual([{ fsync: "on", commit: "on", letter: true, bytewise: true }]);
  });
});

test("the log of the embedded PostgreSQL has no text of a failed statement", async () => {
  await copyPrepared(dataDir);
  await inThisProcess(dataDir, async (url) => {
    await expect(query(url, "select 'somchai'::int")).rejects.toThrow();
  });
  const log = await readFile(join(dataDir, "postgres.log"), "utf8");
  expect(log).toContain("ready to accept connections");
  expect(log).not.toContain("somchai");
});

async function expectDataToStay(session: Session): Promise<void> {
  const word = String(Date.now());
  await session(async (url) => {
    await query(url, `create table if not exists words (word text); insert into words values ('${word}')`);
  });
  expect(await postmaster()).toBeUndefined();
  await session(async (url) => expect(await query(url, "select word from words")).toContainEqual({ word }));
}

async function inClientProcess(work: (url: string) => Promise<void>, options: SpawnOptions): Promise<void> {
  const client = await startClientProcess(dataDir, options);
  await work(client.url).finally(() => client.end());
}

function withoutUnshare(): SpawnOptions {
  return { env: { ...process.env, PATH: base } };
}

async function postmaster() {
  return findPostmaster(await realpath(join(dataDir, "postgres")));
}
