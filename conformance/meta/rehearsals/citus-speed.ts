// Donations a second of 1,000 streamers on PostgreSQL alone, and on Citus with 1, 2 and 3 workers, each held to a part of a core.
// STREAMERS=1000, SECONDS=20, PART=0.3, NODES=0,1,2,3

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cliAll, keyCall } from "../../suite/client/operator.ts";
import { missingCitus, startCitus } from "../../suite/servers/citus.ts";
import { type Cluster, startCluster } from "../../suite/servers/cluster.ts";
import { freePort, startServer } from "../../suite/servers/start-server.ts";
import { cpuSecondsOf, holdTo } from "../bench/measure.ts";
import { cleanupAtTheEnd, operatorEnvironment, requireInstalled } from "../program.ts";

// How many donations a second one server process records on PostgreSQL alone and on Citus with so many workers, when each node that holds
// donations gets a part of a core, and what a donation costs each node.

type SpeedOptions = {
  env: Record<string, string>;
  /** 0: PostgreSQL without Citus. */
  workers: number;
  streamers: number;
  seconds: number;
  connections: number;
  /** Of a core, for each node that holds donations. */
  part: number;
  later: (undo: () => Promise<unknown>) => void;
};

type Speed = Readonly<{
  workers: number;
  /** The nodes were held to their part. */
  isHeld: boolean;
  perSecond: number;
  refused: number;
  /** Milliseconds of the processor for each donation: of the coordinator, and of all workers together. */
  coordinatorMs: number;
  workersMs: number;
}>;

/** Connections are opened and statements planned before the nodes are held, which takes a node seconds of the processor. */
const warmUpMs = 10_000;

async function measureSpeed(options: SpeedOptions): Promise<Speed> {
  const { env, workers, streamers, seconds, part, later } = options;
  const { url, coordinator, holders } = await startNodes(workers, later);
  const folder = await mkdtemp(join(tmpdir(), "namjai-speed-"));
  later(() => rm(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  const address = `http://127.0.0.1:${port}`;
  const fixed = { HOST: "127.0.0.1", PORT: port, RATE_LIMITS: "off", TTS: "off", LOG_LEVEL: "error", DATA_DIR: folder, DATABASE_URL: url };
  const all = { ...env, ...fixed, ...(workers > 0 && { DISTRIBUTE: "citus" }) };
  const server = await startServer(address, all, { log: join(folder, "server.log"), quiet: true });
  later(server.stop);
  const handles = Array.from({ length: streamers }, (_, number) => `streamer-${number}`);
  const keys: string[] = [];
  for (let at = 0; at < handles.length; at += keysAtOnce) keys.push(...(await addKeys(all, handles.slice(at, at + keysAtOnce))));
  const counts = { recorded: 0, refused: 0, isOver: false };
  const running = Promise.all(Array.from({ length: options.connections }, () => post(address, keys, counts)));
  await sleep(warmUpMs);
  const held: boolean[] = [];
  for (const node of holders) {
    const letGo = await holdTo(part, node.pids());
    held.push(letGo !== null);
    if (letGo) removals.push(letGo);
  }
  await sleep(warmUpMs);
  const [before, spent] = [{ ...counts }, await spentBy(coordinator, holders)];
  await sleep(seconds * 1_000);
  const [after, spentThen] = [{ ...counts }, await spentBy(coordinator, holders)];
  counts.isOver = true;
  await running;
  const recorded = after.recorded - before.recorded;
  const each = (ms: number) => Math.round((ms / recorded) * 1_000) / 1_000;
  return {
    workers,
    isHeld: held.every(Boolean),
    perSecond: Math.round(recorded / seconds),
    refused: after.refused - before.refused,
    coordinatorMs: each(spentThen.coordinator - spent.coordinator),
    workersMs: each(spentThen.holders - spent.holders),
  };
}

const keysAtOnce = 100;

/** Adds streamers; resolves to a key of each. */
async function addKeys(env: Record<string, string>, handles: readonly string[]): Promise<string[]> {
  const calls = handles.flatMap((handle) => [["streamers", "create", handle], keyCall(handle, "write:donations")]);
  const outputs = await cliAll({ env, handle: "" }, calls);
  return handles.map((_, index) => outputs[index * 2 + 1] as string);
}

/** Removed when their processes have ended. */
const removals: (() => Promise<void>)[] = [];

async function removeGroups(): Promise<void> {
  for (const remove of removals.splice(0)) await remove().catch(() => {});
}

type Nodes = { url: string; coordinator: Cluster; holders: readonly Cluster[] };

async function startNodes(workers: number, later: SpeedOptions["later"]): Promise<Nodes> {
  if (workers === 0) {
    const single = await startCluster({ max_connections: 200 });
    later(single.stop);
    return { url: single.url, coordinator: single, holders: [single] };
  }
  const cluster = await startCitus({ workers, shards: 12 });
  later(cluster.stop);
  return { url: cluster.url, coordinator: cluster.coordinator, holders: cluster.workers };
}

/** Milliseconds of the processor. */
async function spentBy(coordinator: Cluster, holders: readonly Cluster[]) {
  const own = holders.includes(coordinator) ? 0 : await cpuSecondsOf(coordinator.pids());
  const theirs = await cpuSecondsOf(holders.flatMap((node) => node.pids()));
  return { coordinator: own * 1_000, holders: theirs * 1_000 };
}

/** As Retry-After says, but shorter, so that somebody always waits. */
const refusedPauseMs = 200;

async function post(
  address: string,
  keys: readonly string[],
  counts: { recorded: number; refused: number; isOver: boolean },
): Promise<void> {
  const body = JSON.stringify({ donatorName: "Somsri", amount: 1, message: "สวัสดี" });
  while (!counts.isOver) {
    const key = keys[Math.floor(Math.random() * keys.length)];
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const answer = await fetch(`${address}/api/v1/donations`, { method: "POST", headers, body }).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 201) counts.recorded += 1;
    else {
      counts.refused += 1;
      await sleep(refusedPauseMs);
    }
  }
}

requireInstalled(await missingCitus());
const env = operatorEnvironment();
const { STREAMERS = 1_000, SECONDS = 20, PART = 0.3, NODES = "0,1,2,3" } = process.env;
const rows = [];
const end = cleanupAtTheEnd();
for (const workers of NODES.split(",").map(Number)) {
  const steps: (() => Promise<unknown>)[] = [];
  const undo = async () => {
    for (const step of steps.splice(0).reverse()) await step();
    await removeGroups();
  };
  end.later(undo);
  const later = (step: () => Promise<unknown>) => void steps.push(step);
  const numbers = { streamers: Number(STREAMERS), seconds: Number(SECONDS), connections: 64, part: Number(PART) };
  rows.push(await measureSpeed({ env, workers, ...numbers, later }).finally(undo));
  console.log(JSON.stringify(rows.at(-1)));
}
console.table(rows);
await end.run();
process.exit(0);
