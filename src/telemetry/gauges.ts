// Gauges of metrics: numbers that are read when the metrics are read.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import { resultWithin } from "../base/async.ts";
import { describeFailure } from "./describe-failure.ts";

/** A read of the database is waited for this long. A metric must not hang with the database that it is about. */
export const databaseReadMs = 1_000;

/** Adds a number of this process. For all workers it is the sum. */
export function addGauge(registers: Registry[], { name, help, read }: { name: string; help: string; read: () => number }): void {
  const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
}

/** Adds numbers of this process by a label. For all workers they are the highest. */
export function addLabelledGauge(
  registers: Registry[],
  { name, help, label, read }: { name: string; help: string; label: string; read: () => Readonly<Record<string, number>> },
): void {
  const collect = () => {
    for (const [value, number] of Object.entries(read())) gauge.set({ [label]: value }, number);
  };
  const gauge: Gauge<string> = new Gauge({ name, help, labelNames: [label], aggregator: "max", registers, collect });
}

type Values = number | Readonly<Record<string, number>>;
type DatabaseGauge = Readonly<{ name: string; help: string; read: () => Promise<Values> }>;

/**
 * The returned function adds a gauge that is read from the database: a number, or numbers by state. All processes read the same, so for all
 * workers it is the highest. One that was not read within a second keeps its last value, and database_metric_age_seconds says how old that is.
 */
export function databaseGauges(registers: Registry[], log: Logger): (gauge: DatabaseGauge) => void {
  const failing = new Set<string>();
  const reads: Record<string, ReturnType<typeof keptRead>> = {};
  const ages: Gauge<"metric"> = new Gauge({
    name: "database_metric_age_seconds",
    help: "Age of the value of a metric that is read from the database: 0 unless the database did not answer within a second.",
    labelNames: ["metric"] as const,
    aggregator: "max",
    registers,
    collect: async () => {
      await Promise.all(Object.values(reads).map(({ refresh }) => refresh()));
      for (const [metric, { age }] of Object.entries(reads)) ages.set({ metric }, age());
    },
  });
  /** The first failure of an outage is logged. */
  const noteFailure = (gauge: string, error: unknown) => {
    if (failing.size === 0) log.warn({ gauge, error: describeFailure(error) }, "a gauge can't be read, and keeps its last value meanwhile");
    failing.add(gauge);
  };
  return ({ name, help, read }) => {
    const kept = keptRead(
      async () => {
        const values = await read();
        failing.delete(name);
        return values;
      },
      noteFailure.bind(null, name),
    );
    reads[name] = kept;
    const gauge: Gauge<"state"> = new Gauge({
      ...{ name, help, labelNames: ["state"] as const, aggregator: "max" as const, registers },
      collect: async () => {
        await kept.refresh();
        const values = kept.values();
        if (typeof values === "number") return gauge.set(values);
        gauge.reset();
        for (const [state, value] of Object.entries(values ?? {})) gauge.set({ state }, value);
      },
    });
  };
}

/** `refresh` reads anew and waits for a second. While an earlier read hangs it begins no other, and does not wait. */
function keptRead(read: () => Promise<Values>, onFailure: (error: unknown) => void) {
  let values: Values | null = null;
  let readAt = 0; // when the process started, by performance.now()
  let isStale = true;
  let underWay: Promise<void> | null = null;
  let waiting: Promise<unknown> | null = null;
  const readOnce = async () => {
    isStale = true;
    try {
      values = await read();
      readAt = performance.now();
      isStale = false;
    } catch (error) {
      onFailure(error);
    } finally {
      underWay = null;
    }
  };
  return {
    values: () => values,
    /** In seconds. */
    age: () => (isStale ? (performance.now() - readAt) / 1000 : 0),
    refresh: async () => {
      if (underWay && !waiting) return;
      underWay ??= readOnce();
      waiting ??= resultWithin(databaseReadMs, underWay).finally(() => {
        waiting = null;
      });
      await waiting;
    },
  };
}

/** Adds the number of connections of each pool, by state, and of callers that wait for one. */
export function addPoolGauge(registers: Registry[], pools: Readonly<Record<string, Knex>>): void {
  const gauge: Gauge<"pool" | "state"> = new Gauge({
    name: "database_connections",
    help: "Connections in use and idle, and callers that wait for one.",
    labelNames: ["pool", "state"] as const,
    registers,
    collect: () => {
      for (const [name, knex] of Object.entries(pools)) {
        const { pool } = knex.client as { pool?: { numUsed(): number; numFree(): number; numPendingAcquires(): number } };
        if (!pool) continue; // the pool is closed
        gauge.set({ pool: name, state: "used" }, pool.numUsed());
        gauge.set({ pool: name, state: "idle" }, pool.numFree());
        gauge.set({ pool: name, state: "waiting" }, pool.numPendingAcquires());
      }
    },
  });
}
