// WORKERS=n: n processes that serve on one port. Each one that ends is replaced.

import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { Server } from "node:http";
import pLimit from "p-limit";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { unavailableExitCode } from "../../db/failures.ts";
import { requireConnections } from "../../db/requirements.ts";
import { countForWorkers } from "../../http/rate-limits/stores.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { makeWorkerPoolMetrics, serveMetrics } from "../../telemetry/metrics.ts";

type PoolOptions = {
  size: number;
  databaseUrl: string;
  log: Logger;
  /** Called when a worker ended although it was not stopped. */
  onFailure: () => void;
  stopMs?: number;
};

export type WorkerPool = {
  /** Resolves with the port when all workers serve. Rejects when the first one cannot serve, or dies repeatedly. */
  start: () => Promise<number>;
  /** Replaces the workers one after the other, so that others keep serving. A call waits until those before it have ended. */
  replaceAll: () => Promise<void>;
  /** Resolves when all workers have finished their requests and ended. */
  stop: () => Promise<void>;
};

/** Pause before a failed worker is replaced. It doubles with each failure, and is reset when a worker has run for `resetAfter`. */
const pauseMs = { first: 100, max: 10_000, resetAfter: 30_000 };
/** The pool gives up when this many workers in a row ended before any served. */
const maxStartFailures = 5;

/** Longer than a worker waits for requests under way. */
const usualStopMs = 15_000;

/** Call it in the primary only. */
export function makeWorkerPool({ size, databaseUrl, log, onFailure, stopMs = usualStopMs }: PoolOptions): WorkerPool {
  const oneAtATime = pLimit(1);
  let isServing = false;
  let isStopping = false;
  let failures = 0;
  let giveUp = (_error: Error) => {};
  const listening = new Set<Worker>();
  const allListen = async () => {
    while (listening.size < size) await once(cluster, "listening");
  };

  const launch = (): Worker => {
    const worker = cluster.fork({ DATABASE_URL: databaseUrl });
    const launchedAt = performance.now();
    worker.on("error", () => {}); // it ended while a message was being sent to it; "exit" follows
    worker.on("listening", () => listening.add(worker));
    worker.on("exit", (code, signal) => {
      listening.delete(worker);
      if (isStopping) return;
      if (code === 0 && isServing) return void launch(); // it was stopped by `replaceAll` or by the operator
      failures = performance.now() - launchedAt < pauseMs.resetAfter ? failures + 1 : 1;
      const isFinal = code !== null && code !== unavailableExitCode; // such as a wrong configuration: every worker would fail
      if (!isServing && (isFinal || failures === maxStartFailures))
        return giveUp(new Error("a worker ended before it could serve, and its own line says why"));
      const pause = Math.min(pauseMs.first * 2 ** (failures - 1), pauseMs.max);
      onFailure();
      log.error({ worker: worker.id, code, signal, pause }, "a worker ended and is being replaced");
      setTimeout(() => isStopping || launch(), pause);
    });
    return worker;
  };

  return {
    start: async () => {
      const gaveUp = new Promise<never>((_, reject) => {
        giveUp = reject;
      });
      const first = once(cluster, "listening") as Promise<[Worker, { port: number }]>;
      launch(); // the first one alone: a fault that keeps all of them from serving is then logged once
      const [, { port }] = await Promise.race([first, gaveUp]);
      isServing = true;
      for (let count = 1; count < size; count += 1) launch();
      await allListen();
      return port;
    },
    replaceAll: () =>
      oneAtATime(async () => {
        for (const worker of running()) {
          await allListen(); // also those that replace others which failed meanwhile
          if (isStopping) return;
          if (!worker.isDead()) await stopOne(worker, stopMs);
        }
        await allListen();
      }),
    stop: async () => {
      isStopping = true;
      await Promise.all(running().map((worker) => stopOne(worker, stopMs)));
    },
  };
}

function running(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

const stopping = new WeakMap<Worker, Promise<void>>();

/** A worker that is being stopped gets no second signal, at which it would drop the requests that it finishes. */
function stopOne(worker: Worker, stopMs: number): Promise<void> {
  const stopped = stopping.get(worker) ?? endWithin(worker, stopMs);
  stopping.set(worker, stopped);
  return stopped;
}

/** A worker that goes on for `stopMs` is killed. */
async function endWithin(worker: Worker, stopMs: number): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, "exit");
  worker.process.kill("SIGTERM");
  const killing = setTimeout(() => worker.process.kill("SIGKILL"), stopMs);
  await exited;
  clearTimeout(killing);
}

// The primary of several workers: it owns the port and the database, counts their shared rate limits, and serves their metrics.

/** What a process needs that serves, or has workers that do. */
export type Serving = {
  config: Config;
  database: Database;
  log: Logger;
  /** Resolves when the process has to stop. */
  stopped: Promise<void>;
  onListening: (port: number) => void;
};

/** Runs the workers until `stopped` resolves. SIGUSR2 replaces them one after the other. */
export async function runPrimary({ config, database, log, stopped, onListening }: Serving): Promise<void> {
  // Each worker accepts from the port itself. Connections that the primary hands over are never closed when their worker dies before it
  // accepts them, and with `reusePort` the kernel resets those that wait for a worker that ends.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  await requireConnections(database, config.workers);
  countForWorkers();
  const metrics = makeWorkerPoolMetrics();
  const workers = makeWorkerPool({ size: config.workers, databaseUrl: database.url, log, onFailure: metrics.workerFailed });
  let metricsServer: Server | null = null;
  try {
    // Before the first worker answers /readyz: without a handler SIGUSR2 would end the process.
    process.on(
      "SIGUSR2",
      () => void workers.replaceAll().catch((error) => log.error({ error: describeFailure(error) }, "the workers could not be replaced")),
    );
    if (config.metricsPort !== null) metricsServer = await serveMetrics(metrics, { host: config.host, port: config.metricsPort, log });
    const port = await Promise.race([workers.start(), stopped.then(() => null)]);
    if (port === null) return; // stopped while workers were starting
    onListening(port);
    await stopped;
  } finally {
    log.info("stopping");
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    await workers.stop();
  }
}
