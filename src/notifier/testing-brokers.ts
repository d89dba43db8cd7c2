// The brokers that the notifier's tests run against: the same rules hold for every adapter. Among them a temporary Redis, and a relay that
// interrupts the connection to a broker.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@redis/client";
import { type Logger, pino } from "pino";
import { uuidv7 } from "uuidv7";
import { afterAll, afterEach, beforeAll, test } from "vitest";
import { type Config, readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { freePort, query, silent, type TemporaryServer, temporaryServer, until } from "../db/testing.ts";
import type { Notifier } from "./notifier.ts";
import { openNotifier } from "./open-notifier.ts";

type TestAddress = {
  /** Starts what only this broker needs. */
  start?: () => Promise<void>;
  /** Connects by a relay that can be cut. */
  deps: () => { config: Config; databaseUrl: string };
};

type TestBroker = TestAddress & {
  relay: () => Relay;
  connections: () => Promise<number>;
  killConnections: () => Promise<unknown>;
  /** Publishes a message of another program. */
  publish: (message: string) => Promise<unknown>;
};

let server: TemporaryServer;
let database: Database;
let redis: TemporaryRedis | null = null;
let toPostgres: Relay;
let toRedis: Relay | null = null;
const open: Notifier[] = [];

/** Opens databases and relays for the tests of a file, and closes what they have opened. */
export function useBrokers(): void {
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
    [redis, toRedis] = [null, null];
  });
  if (!hasRedis) test.skip("not run: redis, because there is no redis-server (apt-get install redis-server)");
}

const viaRelay = (url: string, relay: Relay) => Object.assign(new URL(url), { port: `${relay.port}` }).href;

const ownSessions = "from pg_stat_activity where application_name = 'donations notifier' and datname = current_database()";

const postgres: TestBroker = {
  deps: () => ({
    config: readConfig({ NOTIFIER: "postgres" }),
    databaseUrl: viaRelay(database.url, toPostgres),
  }),
  relay: () => toPostgres,
  connections: async () => (await query(database.url, `select 1 ${ownSessions}`)).length,
  killConnections: () => query(database.url, `select pg_terminate_backend(pid) ${ownSessions}`),
  publish: (message) => query(database.url, `notify "namjai:overlay", '${message}'`),
};

const redisClients = async () => String(await redisCommand(redisUrl(), "CLIENT", "LIST")).match(/^.*name=notifier.*$/gm) ?? [];

const viaRedis: TestBroker = {
  start: async () => {
    redis ??= await temporaryRedis();
    toRedis ??= await openRelay(redis.url);
  },
  deps: () => ({
    config: readConfig({ NOTIFIER: "redis", REDIS_URL: viaRelay(redisUrl(), relayToRedis()) }),
    databaseUrl: "postgres://nowhere",
  }),
  relay: relayToRedis,
  connections: async () => (await redisClients()).length,
  killConnections: async () => {
    for (const client of await redisClients()) await redisCommand(redisUrl(), "CLIENT", "KILL", "ID", /id=(\d+)/.exec(client)![1]!);
  },
  publish: (message) => redisCommand(redisUrl(), "PUBLISH", "namjai:overlay", message),
};

export const inProcess: TestAddress = {
  deps: () => ({ config: readConfig({ NOTIFIER: "process" }), databaseUrl: "postgres://nowhere" }),
};

// In CI a missing Redis is a failure; elsewhere the other brokers are tested without it.
const hasRedis = process.env.CI !== undefined || spawnSync("redis-server", ["--version"]).status === 0;
const overRedis: [string, TestBroker][] = hasRedis ? [["redis", viaRedis]] : [];

/** The brokers that reach other processes. */
export const brokers: [string, TestBroker][] = [["postgres", postgres], ...overRedis];

type Opened = { notifier: Notifier; heard: string[] };

/** Opens a notifier that is closed after the test. */
export function opened({ deps }: TestAddress, log: Logger = silent): Opened {
  const { config, databaseUrl } = deps();
  const notifier = openNotifier(config, databaseUrl, log);
  open.push(notifier);
  return { notifier, heard: listen(notifier) };
}

export function listen(notifier: Notifier): string[] {
  const heard: string[] = [];
  notifier.subscribe((streamerId) => heard.push(streamerId));
  return heard;
}

/** Waits until notifications of `a` reach `b`. */
export async function connected(a: Opened, b: Opened): Promise<[Opened, Opened]> {
  const probe = uuidv7();
  await until(async () => {
    a.notifier.notify(probe);
    await sleep(25);
    return b.heard.includes(probe);
  });
  await sleep(60); // what is still under way
  return [a, b];
}

export function collecting(lines: string[]): Logger {
  return pino({ level: "info" }, { write: (line) => lines.push(line) });
}

export function count(ids: string[], wanted: string): number {
  return ids.filter((id) => id === wanted).length;
}

function redisUrl(): string {
  if (!redis) throw new Error("Redis was not started");
  return redis.url;
}

function relayToRedis(): Relay {
  if (!toRedis) throw new Error("the relay to Redis was not opened");
  return toRedis;
}

export type TemporaryRedis = { url: string; stop: () => Promise<void> };

/** A redis-server on a free port, without persistence. Throws if the program is not installed. */
export async function temporaryRedis(): Promise<TemporaryRedis> {
  const port = await freePort();
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const server = spawn("redis-server", options, { stdio: "ignore" });
  await once(server, "spawn").catch(() => {
    throw new Error("not run: there is no redis-server. Install it (apt-get install redis-server)");
  });
  const url = `redis://127.0.0.1:${port}`;
  await until(() => isReachable(url));
  return { url, stop: () => stop(server) };
}

/** Runs a command on a separate connection. */
export async function redisCommand(url: string, ...command: string[]): Promise<unknown> {
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } });
  client.on("error", () => {});
  await client.connect();
  return client.sendCommand(command).finally(() => client.destroy());
}

type Relay = { port: number; cut: () => Promise<void>; mend: () => Promise<void> };

/** Forwards connections to a broker, except while it is cut. */
export async function openRelay(url: string): Promise<Relay> {
  const { hostname, port: targetPort } = new URL(url);
  const sockets = new Set<Socket>();
  const server: Server = createServer((from) => {
    const to = connect({ host: hostname, port: Number(targetPort) });
    sockets.add(from);
    pipeline(from, to, from, () => sockets.delete(from));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const mend = async () => {
    await once(server.listen(port, "127.0.0.1"), "listening");
  };
  return { port, cut, mend };
}

async function isReachable(url: string): Promise<boolean> {
  return (await redisCommand(url, "PING")) === "PONG";
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
}
