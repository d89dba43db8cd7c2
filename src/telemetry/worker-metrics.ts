// The metrics of a server with several workers: the primary asks them, and adds up what they answer.

import cluster, { type Worker } from "node:cluster";
import type { Logger } from "pino";
import { AggregatorRegistry, Counter, Gauge, Registry } from "prom-client";
import { describeFailure } from "./describe-failure.ts";
import { databaseReadMs } from "./gauges.ts";

type Values = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;
type Ask = { metricsAsked: true };
type Answer = { metrics: Values };

/** A worker may wait for the database, and needs a moment beside that. */
const answerMs = databaseReadMs + 500;

/** Call it in a worker, which then answers the primary. */
export function shareMetrics(registry: Registry, log: Logger): void {
  const answer = async () => {
    const metrics = await registry.getMetricsAsJSON();
    if (process.connected) process.send?.({ metrics } satisfies Answer);
  };
  process.on("message", ({ metricsAsked }: Partial<Ask>) => {
    if (metricsAsked) answer().catch((error) => log.warn({ error: describeFailure(error) }, "the primary can't be told the metrics"));
  });
}

/**
 * Call it in the primary: the metrics of all workers together, and of the pool. Where a worker does not answer, what it last counted is added,
 * and also what ended workers had counted: a sum that fell would look like a restart of the server.
 */
export function makeWorkerPoolMetrics() {
  const lastAnswers = new Map<number, Values>();
  let ended: Values = [];
  cluster.on("message", (worker: Worker, { metrics }: Partial<Answer>) => {
    if (metrics && !worker.isDead()) lastAnswers.set(worker.id, metrics);
  });
  cluster.on("exit", ({ id }: Worker) => {
    // Aggregated metrics have their values, which the types of prom-client leave out.
    ended = AggregatorRegistry.aggregate([ended, countsOf(lastAnswers.get(id))]).getMetricsAsArray() as Values;
    lastAnswers.delete(id);
  });
  const { failures, unanswered, registry } = makePoolMetrics();
  const textOfWorkers = async () => {
    const asked = workersToAsk();
    const answered = await askAll(asked);
    unanswered.set(asked.length - answered.size);
    const all = asked.map(({ id }) => (answered.has(id) ? lastAnswers.get(id) : countsOf(lastAnswers.get(id))) ?? []);
    return AggregatorRegistry.aggregate([ended, ...all]).metrics();
  };
  return {
    workerFailed: () => failures.inc(),
    text: async () => `${await textOfWorkers()}${await registry.metrics()}`,
    contentType: registry.contentType,
  };
}

function makePoolMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const count = () => workers.set(Object.keys(cluster.workers ?? {}).length);
  const workers: Gauge = new Gauge({ name: "workers", help: "Worker processes that are running.", registers, collect: count });
  const failures = new Counter({ name: "worker_failures_total", help: "Workers that ended although nobody stopped them.", registers });
  const unanswered = new Gauge({
    name: "workers_unanswered",
    help: "Worker processes that did not answer when these metrics were read, such as one that starts: gauges are without them, and they count as far as they last said.",
    registers,
  });
  return { registry, failures, unanswered };
}

function countsOf(metrics: Values = []): Values {
  return metrics.filter(({ type }) => String(type) !== "gauge");
}

/** A worker that ends may still be in the list, but can't be reached. */
function workersToAsk(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
}

/** Resolves to the ids of those that have answered in time. */
async function askAll(asked: readonly Worker[]): Promise<Set<number>> {
  const answered = new Set<number>();
  const { promise: allAnswered, resolve } = Promise.withResolvers<void>();
  const note = (worker: Worker, { metrics }: Partial<Answer>) => {
    if (metrics) answered.add(worker.id);
    if (asked.every(({ id }) => answered.has(id))) resolve();
  };
  cluster.on("message", note);
  const timer = setTimeout(resolve, answerMs);
  for (const worker of asked) worker.send({ metricsAsked: true } satisfies Ask, () => {}); // without a callback a failure would be an event
  if (asked.length > 0) await allAnswered;
  clearTimeout(timer);
  cluster.off("message", note);
  return answered;
}
