import cluster from "node:cluster";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { silent, temporaryDirectory } from "../../db/testing.ts";
import { makeWorkerPool, type WorkerPool } from "./worker-pool.ts";

/** Ends at SIGTERM unless it is stubborn. A busy one has to finish first, and fails at a second SIGTERM. */
const program = `
  import { createServer } from "node:http";
  const kind = process.env.DATABASE_URL;
  process.on("SIGTERM", () => kind === "stubborn" || kind === "busy" || process.exit(0));
  if (kind === "busy") process.once("SIGTERM", () => {
    setTimeout(() => process.exit(0), 150);
    process.on("SIGTERM", () => process.exit(9));
  });
  createServer().listen(0, "127.0.0.1");
`;
let pool: WorkerPool;
/** How many workers serve, now and at least. */
let serving = { now: 0, least: 0 };
let failed = 0;

const pids = () => Object.values(cluster.workers ?? {}).map((worker) => worker?.process.pid);
const begin = () => void (serving.now += 1);
const end = () => {
  serving.now -= 1;
  serving.least = Math.min(serving.least, serving.now);
};

beforeAll(async () => {
  const exec = join(await temporaryDirectory(), "worker.mjs");
  await writeFile(exec, program);
  cluster.setupPrimary({ exec, args: [], execArgv: [] });
});
beforeEach(() => {
  serving = { now: 0, least: Number.POSITIVE_INFINITY };
  failed = 0;
  cluster.on("listening", begin).on("exit", end);
});
afterEach(async () => {
  await pool.stop();
  cluster.off("listening", begin).off("exit", end);
});

const startPool = async (databaseUrl: string) => {
  pool = makeWorkerPool({ size: 2, databaseUrl, log: silent, onFailure: () => void (failed += 1), stopMs: 300 });
  await pool.start();
};

test("a worker that does not end at SIGTERM is killed after some time, and the next one is replaced, too", async () => {
  await startPool("stubborn");
  const before = pids();
  await pool.replaceAll();
  const now = pids();
  expect([now.length, now.filter((pid) => before.includes(pid)), failed]).toEqual([2, [], 2]);
});

test("workers that are to be replaced again meanwhile are replaced afterwards, and one of two serves all the time", async () => {
  await startPool("");
  const before = pids();
  const first = pool.replaceAll();
  await once(cluster, "exit");
  const second = pool.replaceAll();
  await first;
  const between = pids();
  await second;
  const now = pids();
  expect([...before, ...between, ...now].length).toBe(new Set([...before, ...between, ...now]).size);
  expect([now.length, serving.least, failed]).toEqual([2, 1, 0]);
});

test("while a failed worker is being replaced, no other one is stopped", async () => {
  await startPool("");
  const [failing] = Object.values(cluster.workers ?? {});
  failing?.process.kill("SIGKILL");
  await once(cluster, "exit");
  await pool.replaceAll();
  expect([pids().length, serving.least]).toEqual([2, 1]);
});

test("a worker that finishes its requests when all are stopped gets no second signal", async () => {
  await startPool("busy");
  const codes: number[] = [];
  const note = (_: unknown, code: number) => void codes.push(code);
  cluster.on("exit", note);
  const replacing = pool.replaceAll();
  await setTimeout(50);
  await pool.stop();
  cluster.off("exit", note);
  expect(codes).toEqual([0, 0]);
  void replacing; // nothing replaces the worker any more
});
