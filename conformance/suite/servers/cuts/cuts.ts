// Subscribers that are cut at random while donations are recorded, alerts move, and server processes and database are killed. In the end each
// must have received what the log lists: nothing missed, nothing twice, in this order.

import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { addStreamerWithKeys } from "../../client/operator.ts";
import { seeded } from "../../values/run-settings.ts";
import type { Operator } from "../../values/target.ts";
import { createDatabase, databaseUrl } from "../database.ts";
import { freePort, type Server, startServer } from "../start-server.ts";
import { type Breaches, catchUpMs, compare, emptyQueue, listFrom, startWriters, sum } from "./log.ts";
import { type Subscriber, startSubscriber } from "./subscriber.ts";

export type CutsOptions = Readonly<{
  /** Whose environment and code the servers have; their database is another one. */
  operator: Omit<Operator, "handle">;
  /** Cuts and pauses of subscribers until it ends. */
  cuts: number;
  processes: number;
  streamers: number;
  /** Of each streamer. */
  subscribers: number;
  seed: number;
  /** Mean time between two kills of a process, the database or its connections, in milliseconds. */
  killMs: number;
  cutMs: number;
  report?: (line: string) => void;
}>;

type CutsMeasured = Breaches & {
  events: number;
  /** Events that were received, by all subscribers together. */
  received: number;
  recorded: number;
  cuts: number;
  holds: number;
  rewinds: number;
  /** Pages that were read between two streams. */
  pages: number;
  kills: Record<Victim, number>;
};

type Victim = "server" | "database" | "connections";
type Following = Subscriber & { calm: () => void };
type Stage = { url: string; key: string; after: string; subscribers: Following[]; writers: ReturnType<typeof startWriters> };

const scopes = "write:donations read:donations write:alerts read:alerts";

export async function cutAtRandom(options: CutsOptions): Promise<CutsMeasured> {
  const servers = await startFragileServers(options.operator, options.processes);
  try {
    return await measure(servers, options);
  } finally {
    await servers.stop();
  }
}

async function measure(servers: FragileServers, options: CutsOptions): Promise<CutsMeasured> {
  const stages: Stage[] = [];
  while (stages.length < options.streamers) stages.push(await newStage(servers, options, stages.length));
  const subscribers = stages.flatMap((stage) => stage.subscribers);
  const cutsOf = (): number => subscribers.reduce((count, { cuts, holds }) => count + cuts + holds, 0);
  const kills = await killWhile(servers, options, () => cutsOf() < options.cuts);
  const counts = { cuts: cutsOf(), recorded: stages.reduce((count, { writers }) => count + writers.recorded(), 0) };
  const results = await Promise.all(stages.map(finish));
  return {
    ...sum(results.flatMap(({ breaches }) => breaches)),
    ...counts,
    events: results.reduce((count, { events }) => count + events, 0),
    received: subscribers.reduce((count, { received, earlier }) => count + received.length + earlierCount(earlier), 0),
    holds: subscribers.reduce((count, { holds }) => count + holds, 0),
    rewinds: subscribers.reduce((count, { rewinds }) => count + rewinds, 0),
    pages: subscribers.reduce((count, { readings }) => count + readings.list, 0),
    kills,
  };
}

const earlierCount = (earlier: Subscriber["earlier"]): number => earlier.reduce((count, { seen }) => count + seen.length, 0);

/** A streamer of their own, with writers and subscribers; some follow donations alone, or alerts alone. */
async function newStage({ urls, operator }: FragileServers, { subscribers, seed, cutMs }: CutsOptions, index: number): Promise<Stage> {
  const handle = `s${randomUUID().slice(0, 8)}`;
  const { key, overlayKey } = await addStreamerWithKeys(operator, handle, scopes);
  const random = seeded(seed * 1_000 + index);
  const url = urls[0] as string;
  const { position: after } = await listFrom(url, key, "latest");
  const filters = [null, null, ["donation.created"], ["alert.started", "alert.shown", "alert.skipped", "alert.unconfirmed"]];
  const following = await Promise.all(
    Array.from({ length: subscribers }, (_, number) =>
      startSubscriber({
        urls,
        key,
        after,
        types: filters[number % filters.length] ?? null,
        random: seeded(seed * 1e6 + index * 1e3 + number),
        cutMs,
      }),
    ),
  );
  return { url, key, after, subscribers: following, writers: startWriters({ urls, key, overlayKey, random, pauseMs: 100 }) };
}

async function killWhile(
  servers: FragileServers,
  { killMs, seed, report = () => {} }: CutsOptions,
  goesOn: () => boolean,
): Promise<Record<Victim, number>> {
  const random = seeded(seed - 1);
  const kills: Record<Victim, number> = { server: 0, database: 0, connections: 0 };
  const victims: readonly Victim[] = ["server", "connections", "database"];
  const isOver = (turn: number): boolean => !goesOn() && turn >= victims.length; // a short run suffers each of them once
  for (let turn = 0; !isOver(turn); turn += 1) {
    for (const until = Date.now() + killMs * (0.5 + random()); !isOver(turn) && Date.now() < until; ) await sleep(50);
    if (isOver(turn)) break;
    const victim = victims[turn % victims.length] as Victim;
    const from = Date.now();
    if (victim === "server") await servers.killServer(Math.floor(random() * servers.urls.length));
    else if (victim === "database") await servers.killDatabase();
    else await servers.killConnections();
    kills[victim] += 1;
    report(`${victim} killed, away for ${((Date.now() - from) / 1_000).toFixed(1)} s`);
  }
  return kills;
}

/** Stops the writers, lets the subscribers come to the end of the log, and compares. */
async function finish({ url, key, after, subscribers, writers }: Stage): Promise<{ events: number; breaches: Breaches[] }> {
  await writers.stop();
  for (const { calm } of subscribers) calm();
  await emptyQueue(url, key);
  const lists = new Map<string, string[]>();
  const listed = async ({ types }: Subscriber): Promise<string[]> => {
    const name = String(types);
    const ids = lists.get(name) ?? (await listFrom(url, key, after, types)).ids;
    lists.set(name, ids);
    return ids;
  };
  const all = (await listFrom(url, key, after)).ids;
  const breaches: Breaches[] = [];
  for (const subscriber of subscribers) {
    const ids = await listed(subscriber);
    for (const deadline = Date.now() + catchUpMs; subscriber.received.length < ids.length && Date.now() < deadline; ) await sleep(50);
    await subscriber.stop();
    breaches.push(compare(subscriber.received, ids));
    for (const { from, seen } of subscriber.earlier) breaches.push(compare(seen, ids.slice(from, from + seen.length)));
  }
  return { events: all.length, breaches };
}

// Server processes on one database that can be killed and come back.

/** Processes on one embedded database of their own. All can be killed and come back at the same address. */
export type FragileServers = {
  urls: string[];
  operator: Operator;
  /** Kills a process with SIGKILL and starts another at its address. */
  killServer: (index: number) => Promise<void>;
  /** Kills PostgreSQL's main process with SIGKILL. Resolves when every process can use it again. */
  killDatabase: () => Promise<void>;
  /** Ends all connections to the database. */
  killConnections: () => Promise<void>;
  stop: () => Promise<void>;
};

const readyMs = 120_000;

/** Starts them with the operator's environment, but on another database. */
export async function startFragileServers({ env, code }: Omit<Operator, "handle">, processes: number): Promise<FragileServers> {
  const [database, logs] = await Promise.all([createDatabase(undefined), mkdtemp(join(tmpdir(), "namjai-event-faults-"))]);
  const { DATABASE_URL: _, DATA_DIR: __, ...rest } = env;
  const shared: Record<string, string> = { ...rest, ...database.env, LOG_LEVEL: "silent", TTS: "off" };
  const places = await Promise.all(Array.from({ length: processes }, () => placeOf(logs)));
  const [first] = places as [Place];
  const start = ({ url, port, log }: Place): Promise<Server> =>
    startServer(url, { ...shared, PORT: port, BASE_URL: first.url }, { log, quiet: true, code });
  const servers: Server[] = [];
  for (const place of places) servers.push(await start(place));
  return {
    urls: places.map(({ url }) => url),
    operator: { env: { ...shared, PORT: first.port, BASE_URL: first.url }, handle: "", ...(code === undefined ? {} : { code }) },
    killServer: async (index) => {
      await servers[index]?.kill();
      servers[index] = await start(places[index] as Place);
    },
    killDatabase: async () => {
      const [pid] = (await readFile(join(shared.DATA_DIR ?? "", "postgres", "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
      await sleep(500); // time for the processes to notice
      for (const { url } of places) await untilReady(url);
    },
    killConnections: async () => {
      const client = new pg.Client({ connectionString: await databaseUrl(shared) });
      await client.connect();
      await client
        .query("select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()")
        .finally(() => client.end());
    },
    stop: async () => {
      for (const server of servers.reverse()) await server.stop();
      await Promise.all([database.drop(), rm(logs, { recursive: true })]);
    },
  };
}

type Place = { url: string; port: string; log: string };

async function placeOf(logs: string): Promise<Place> {
  const port = String(await freePort());
  return { url: `http://127.0.0.1:${port}`, port, log: join(logs, `${port}.log`) };
}

async function untilReady(url: string): Promise<void> {
  for (const deadline = Date.now() + readyMs; Date.now() < deadline; await sleep(100)) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.text();
    if (answer?.ok) return;
  }
  throw new Error(`${url} was not ready within ${readyMs / 1000} s`);
}
