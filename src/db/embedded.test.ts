import { type SpawnOptions, spawnSync } from "node:child_process";
import { chown, lstat, mkdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { accompany } from "./embedded/companion.ts";
import { findPostmaster } from "./embedded/postmaster.ts";
import { othersReach } from "./embedded/runner.ts";
import { openEmbedded } from "./embedded.ts";
import { inThisProcess, query, removeDataDir, silent, temporaryDirectory, until } from "./testing.ts";

type Session = (work: (url: string) => Promise<void>) => Promise<void>;

const AS_ROOT = process.getuid?.() === 0;
const NOBODY = 65534;
const NAMESPACES = spawnSync("unshare", ["--user", "true"]).status === 0;
const REACHABLE = await othersReach(import.meta.dirname);
const PRESENCE = "from pg_stat_activity where application_name = 'donations presence'";

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
    expect((await lstat(join(dataDir, "postgres"))).isDirectory()).toBe(!AS_ROOT || NAMESPACES);
  });

  test.skipIf(!AS_ROOT || !REACHABLE)("for an ordinary user (tried only by root, in a checkout that others can read)", async () => {
    await mkdir(dataDir);
    await chown(dataDir, NOBODY, NOBODY);
    await remembers((work) => inCompanion(work, { uid: NOBODY, gid: NOBODY }));
    expect((await stat(join(dataDir, "postgres"))).uid).toBe(NOBODY);
  });

  test.skipIf(!AS_ROOT)("for root without user namespaces, whose data then belong to an ordinary user (tried only by root)", async () => {
    await remembers((work) => inCompanion(work, withoutUnshare()));
    expect((await stat(join(dataDir, "postgres"))).uid).toBe(NOBODY);
    await remembers((work) => inThisProcess(dataDir, work));
  });

  test.skipIf(!AS_ROOT)(
    "for root without user namespaces below a 0700 parent, whose data then lie elsewhere (tried only by root)",
    async () => {
      await mkdir(join(base, "home"), { mode: 0o700 });
      dataDir = join(base, "home", "data");
      await remembers((work) => inCompanion(work, withoutUnshare()));
      expect((await lstat(join(dataDir, "postgres"))).isSymbolicLink()).toBe(true);
    },
  );
});

describe("sharing", () => {
  test("two processes at once on a new directory get one database, and the last to leave stops it", async () => {
    const [first, second] = await Promise.all([accompany(dataDir), accompany(dataDir)]);
    expect(first.url).toBe(second.url);
    await first.leave();
    expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
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
    const companion = await accompany(dataDir);
    await query(companion.url, `select pg_terminate_backend(pid, 5000) ${PRESENCE}`);
    await until(async () => (await query(companion.url, `select 1 ${PRESENCE}`)).length === 1);
    await inThisProcess(dataDir, async () => {});
    expect(await postmaster()).toBeDefined();
    await companion.leave();
  });

  test("Ctrl-C reaches the program's process group, not the database", async () => {
    const companion = await accompany(dataDir, { detached: true });
    process.kill(-companion.child.pid!, "SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await query(companion.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await companion.leave();
  });

  test("a release may be repeated", async () => {
    const embedded = await openEmbedded({ dataDir, log: silent });
    await Promise.all([embedded.release(), embedded.release()]);
    await expect(embedded.release()).resolves.toBeUndefined();
    expect(await postmaster()).toBeUndefined();
  });
});

test("only the owner reads the password, and no other opens the door", async () => {
  await inThisProcess(dataDir, async (url) => {
    const file = join(dataDir, "postgres", "donations.password");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(new URL(url).password).toBe(await readFile(file, "utf8"));
    const guessed = Object.assign(new URL(url), { password: "guessed" }).href;
    await expect(query(guessed, "select 1")).rejects.toThrow(/password authentication failed/);
  });
});

test("it waits for the disk at each commit, sorts bytewise, and knows Thai letters", async () => {
  await inThisProcess(dataDir, async (url) => {
    const settings = "current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit";
    const rows = await query(url, `select ${settings}, 'ก' ~ '[[:alpha:]]' as letter, 'B' < 'a' as bytewise`);
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

async function remembers(session: Session): Promise<void> {
  const word = String(Date.now());
  await session(async (url) => {
    await query(url, `create table if not exists words (word text); insert into words values ('${word}')`);
  });
  expect(await postmaster()).toBeUndefined();
  await session(async (url) => expect(await query(url, "select word from words")).toContainEqual({ word }));
}

async function inCompanion(work: (url: string) => Promise<void>, options: SpawnOptions): Promise<void> {
  const companion = await accompany(dataDir, options);
  await work(companion.url).finally(() => companion.leave());
}

function withoutUnshare(): SpawnOptions {
  return { env: { ...process.env, PATH: base } };
}

async function postmaster() {
  return findPostmaster(await realpath(join(dataDir, "postgres")));
}
