import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Logger, pino } from "pino";
import { uuidv7 } from "uuidv7";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { query, silent, type TemporaryServer, temporaryServer, until } from "../db/testing.ts";
import type { Notifier } from "./notifier.ts";
import { type NotifierParts, openNotifier } from "./open-notifier.ts";
import { openRelay, type Relay, redisCommand, type TemporaryRedis, temporaryRedis } from "./testing.ts";

// The same rules for every adapter: those between processes for the two that reach other processes.

type Broker = {
  /** What the others need not wait or fail for. */
  start?: () => Promise<void>;
  /** By way of a relay that can be cut. */
  parts: () => Omit<NotifierParts, "log">;
  relay: () => Relay;
  connections: () => Promise<number>;
  killConnections: () => Promise<unknown>;
  /** A message on the channel that no notifier wrote. */
  say: (message: string) => Promise<unknown>;
};

let server: TemporaryServer;
let database: Database;
let redis: TemporaryRedis;
let toPostgres: Relay;
let toRedis: Relay;
const open: Notifier[] = [];

beforeAll(async () => {
  server = await temporaryServer();
  database = await server.freshDatabase();
  toPostgres = await openRelay(database.url);
});
afterEach(() => Promise.all(open.splice(0).map((notifier) => notifier.close())));
afterAll(async () => {
  await toPostgres.cut();
  await database.close();
  await server.remove();
  await toRedis?.cut();
  await redis?.stop();
});

const viaRelay = (url: string, relay: Relay) => Object.assign(new URL(url), { port: `${relay.port}` }).href;

const ownSessions = "from pg_stat_activity where application_name = 'donations notifier' and datname = current_database()";

const postgres: Broker = {
  parts: () => ({
    config: { notifier: "postgres", redisUrl: null, brand: "namjai" },
    databaseUrl: viaRelay(database.url, toPostgres),
  }),
  relay: () => toPostgres,
  connections: async () => (await query(database.url, `select 1 ${ownSessions}`)).length,
  killConnections: () => query(database.url, `select pg_terminate_backend(pid) ${ownSessions}`),
  say: (message) => query(database.url, `notify "namjai:overlay", '${message}'`),
};

const redisClients = async () => String(await redisCommand(redis.url, "CLIENT", "LIST")).match(/^.*name=notifier.*$/gm) ?? [];

const viaRedis: Broker = {
  start: async () => {
    redis ??= await temporaryRedis();
    toRedis ??= await openRelay(redis.url);
  },
  parts: () => ({
    config: { notifier: "redis", redisUrl: viaRelay(redis.url, toRedis), brand: "namjai" },
    databaseUrl: "postgres://nowhere",
  }),
  relay: () => toRedis,
  connections: async () => (await redisClients()).length,
  killConnections: async () => {
    for (const client of await redisClients()) await redisCommand(redis.url, "CLIENT", "KILL", "ID", /id=(\d+)/.exec(client)![1]!);
  },
  say: (message) => redisCommand(redis.url, "PUBLISH", "namjai:overlay", message),
};

const inProcess: Pick<Broker, "start" | "parts"> = {
  parts: () => ({ config: { notifier: "process", redisUrl: null, brand: "namjai" }, databaseUrl: "postgres://nowhere" }),
};

// In CI a missing Redis is a failure; elsewhere the rest can be tried without it.
const hasRedis = process.env.CI !== undefined || spawnSync("redis-server", ["--version"]).status === 0;
const overRedis: [string, Broker][] = hasRedis ? [["redis", viaRedis]] : [];
if (!hasRedis) test.skip("not run: redis, because there is no redis-server (apt-get install redis-server)");

describe.each([["process", inProcess], ["postgres", postgres], ...overRedis])("%s, in its own process", (_, broker) => {
  const start = (log?: Logger) => opened(broker, log);
  beforeAll(() => broker.start?.());

  test("tells its own listeners at once, all of them", () => {
    const { notifier, heard } = start();
    const second = listen(notifier);
    notifier.notify("a");
    expect([heard, second]).toEqual([["a"], ["a"]]);
  });

  test("10,000 calls take no time and become few", async () => {
    const { notifier, heard } = start();
    const started = performance.now();
    for (let i = 0; i < 10_000; i += 1) notifier.notify("a");
    const took = performance.now() - started;
    await pause(100);
    expect(took).toBeLessThan(1_000);
    expect(heard.length).toBeGreaterThan(1);
    expect(heard.length).toBeLessThanOrEqual(2 + took / 20);
  });

  test("a call is never swallowed by one before it", async () => {
    const { notifier } = start();
    let state = 0;
    const seen: number[] = [];
    notifier.subscribe(() => seen.push(state));
    for (state = 1; state <= 50; state += 1) {
      notifier.notify("a");
      await pause(1);
    }
    await pause(60);
    expect(seen[0]).toBe(1);
    expect(seen.at(-1)).toBeGreaterThanOrEqual(50); // after the last call: in the millisecond that follows it, or later
    expect(seen.length).toBeLessThan(20);
  });

  test("a listener that throws harms nobody", () => {
    const lines: string[] = [];
    const { notifier } = start(collecting(lines));
    notifier.subscribe(() => {
      throw new Error("listener");
    });
    const heard = listen(notifier);
    notifier.notify("a");
    expect(heard).toEqual(["a"]);
    expect(lines.filter((line) => line.includes("a listener of the notifier failed"))).toHaveLength(1);
  });

  test("after closing it does nothing, without complaint; closing twice is one", async () => {
    const { notifier, heard } = start();
    notifier.notify("a");
    notifier.notify("a");
    await notifier.close();
    notifier.notify("b");
    await notifier.close();
    await pause(60);
    expect(heard).toEqual(["a"]);
  });
});

describe.each([["postgres", postgres], ...overRedis])("%s, between processes", (_, broker) => {
  const start = (log?: Logger) => opened(broker, log);
  beforeAll(() => broker.start?.());

  test("another process hears, and leaves nothing behind that would keep it alive", async () => {
    const { notifier, heard } = start();
    const other = fork(join(import.meta.dirname, "testing-process.ts"), [JSON.stringify(broker.parts())], { execArgv: [] });
    const otherHeard: string[] = [];
    other.on("message", ({ heard }: { heard: string }) => otherHeard.push(heard));
    const [ours, theirs] = [uuidv7(), uuidv7()];
    await until(async () => {
      notifier.notify(ours);
      other.send({ tell: theirs });
      await pause(30);
      return heard.includes(theirs) && otherHeard.includes(ours);
    });
    other.send({ close: true });
    expect(await once(other, "exit")).toEqual([0, null]);
  });

  test("each process hears the other", async () => {
    const [a, b] = await connected(start(), start());
    const [fromA, fromB] = [uuidv7(), uuidv7()];
    a.notifier.notify(fromA);
    b.notifier.notify(fromB);
    await until(async () => a.heard.includes(fromB) && b.heard.includes(fromA));
    await pause(60);
    expect(count(a.heard, fromA)).toBe(1); // its own does not come back to it
    expect(count(b.heard, fromA)).toBe(1);
  });

  test("10,000 calls for one streamer are few messages, the last of them after the last call", async () => {
    const [a, b] = await connected(start(), start());
    const id = uuidv7();
    let last = false;
    let heardAfterLast = false;
    b.notifier.subscribe((streamerId) => {
      if (streamerId === id) heardAfterLast = last;
    });
    const started = performance.now();
    for (let i = 0; i < 10_000; i += 1) {
      last = i === 9_999;
      a.notifier.notify(id);
      if (i % 1_000 === 0) await pause(5);
    }
    const took = performance.now() - started;
    await until(async () => heardAfterLast);
    await pause(60);
    expect(count(b.heard, id)).toBeLessThanOrEqual(3 + took / 20);
  });

  test("5,000 streamers at once all arrive, each once", async () => {
    const [a, b] = await connected(start(), start());
    const ids = Array.from({ length: 5_000 }, () => uuidv7());
    ids.forEach(a.notifier.notify);
    await until(async () => b.heard.length >= ids.length);
    await pause(60);
    expect(b.heard.filter((id) => ids.includes(id)).sort()).toEqual(ids.sort());
  });

  test("what somebody else says on the channel is passed over", async () => {
    const [a, b] = await connected(start(), start());
    for (const nonsense of ["", "x", "a,b", "x y", `x ${"-".repeat(37)}`]) await broker.say(nonsense);
    const id = uuidv7();
    await broker.say(`somebody ${id}`);
    await until(async () => a.heard.includes(id) && b.heard.includes(id));
    expect(a.heard.filter((streamerId) => !/^[0-9a-f-]{36}$/.test(streamerId))).toEqual([]);
  });

  test("another brand on the same broker is not heard", async () => {
    const parts = broker.parts();
    const stranger = opened({ parts: () => ({ ...parts, config: { ...parts.config, brand: "other" } }) });
    const second = opened({ parts: () => ({ ...parts, config: { ...parts.config, brand: "other" } }) });
    const [a] = await connected(start(), start());
    await connected(stranger, second);
    const id = uuidv7();
    stranger.notifier.notify(id);
    await until(async () => second.heard.includes(id));
    await pause(60);
    expect(a.heard).not.toContain(id);
  });

  test("killed connections come back, and the log says so once", async () => {
    const lines: string[] = [];
    const [a, b] = await connected(start(collecting(lines)), start());
    for (let i = 0; i < 3; i += 1) {
      lines.length = 0;
      await broker.killConnections();
      await connected(a, b);
      await connected(b, a);
      expect(lines).toEqual([expect.stringContaining("cannot be used"), expect.stringContaining("is back")]);
    }
  });

  test("while the broker is down notify neither throws nor waits, own listeners hear, and the log has one line", async () => {
    const lines: string[] = [];
    const [a, b] = await connected(start(collecting(lines)), start());
    lines.length = 0;
    await broker.relay().cut();
    const started = performance.now();
    const ids = Array.from({ length: 1_000 }, () => uuidv7());
    for (const id of ids) {
      a.notifier.notify(id);
      if (started + 1_500 > performance.now()) await pause(3);
    }
    expect(new Set(a.heard).size).toBeGreaterThanOrEqual(1_000);
    await pause(1_500);
    expect(lines).toEqual([expect.stringContaining("cannot be used")]);
    await broker.relay().mend();
    await connected(a, b);
    await connected(b, a);
    expect(lines).toEqual([expect.stringContaining("cannot be used"), expect.stringContaining("is back")]);
  });

  test("it may be started before its broker, and closed while there is none", async () => {
    await broker.relay().cut();
    const [a, b, c] = [start(), start(), start()];
    await pause(300);
    const started = performance.now();
    await c.notifier.close();
    expect(performance.now() - started).toBeLessThan(1_000);
    await broker.relay().mend();
    await connected(a, b);
  });

  test("closing leaves no connection behind, whether it was just opened or long used", async () => {
    await until(async () => (await broker.connections()) === 0);
    const [a, b] = await connected(start(), start());
    expect(await broker.connections()).toBe(2);
    const c = start();
    await Promise.all([a, b, c].map(({ notifier }) => notifier.close()));
    await until(async () => (await broker.connections()) === 0);
    await pause(1_500);
    expect(await broker.connections()).toBe(0);
  });
});

type Opened = { notifier: Notifier; heard: string[] };

function opened({ parts }: Pick<Broker, "parts">, log: Logger = silent): Opened {
  const notifier = openNotifier({ ...parts(), log });
  open.push(notifier);
  return { notifier, heard: listen(notifier) };
}

function listen(notifier: Notifier): string[] {
  const heard: string[] = [];
  notifier.subscribe((streamerId) => heard.push(streamerId));
  return heard;
}

/** Waits until what `a` tells reaches `b`. */
async function connected(a: Opened, b: Opened): Promise<[Opened, Opened]> {
  const probe = uuidv7();
  await until(async () => {
    a.notifier.notify(probe);
    await pause(25);
    return b.heard.includes(probe);
  });
  await pause(60); // what is still under way
  return [a, b];
}

function collecting(lines: string[]): Logger {
  return pino({ level: "info" }, { write: (line) => lines.push(line) });
}

function count(ids: string[], wanted: string): number {
  return ids.filter((id) => id === wanted).length;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
