import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { silent } from "../db/testing.ts";
import { type Metrics, makeMetrics, serveMetrics } from "./metrics.ts";

test("GET /metrics serves the counted values in the format of Prometheus, and every other request is 404", async () => {
  const metrics = makeMetrics(silent);
  metrics.request("createDonation", 201, 3);
  metrics.request(undefined, 404, 1);
  metrics.batch(17);
  metrics.limited("create");
  metrics.authFailure("invalid_token");
  metrics.gauge("some_number", "A number.", () => 42);
  const server = await serveMetrics(metrics, { host: "127.0.0.1", port: 0, log: silent });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await fetch(`${base}/metrics`);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  for (const line of [
    'http_request_duration_seconds_count{operation="createDonation",status="2xx"} 1',
    'http_request_duration_seconds_count{operation="none",status="4xx"} 1',
    'donation_batch_rows_bucket{le="16"} 0',
    'donation_batch_rows_bucket{le="32"} 1',
    'rate_limited_total{limit="create"} 1',
    'auth_failures_total{code="invalid_token"} 1',
    "some_number 42",
  ])
    expect(text.split("\n")).toContain(line);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
  expect((await fetch(`${base}/`)).status).toBe(404);
  expect((await fetch(`${base}/metrics`, { method: "POST" })).status).toBe(404);
  server.close();
  server.closeAllConnections();
  await once(server, "close");
});

const valuesOf = async ({ text }: Metrics, names: RegExp) => (await text()).split("\n").filter((line) => names.test(line));

test("metrics of a database that can't be read keep their last values, their age rises from 0, and each outage is logged once", async () => {
  const lines: string[] = [];
  const metrics = makeMetrics(pino({ level: "warn" }, { write: (line) => lines.push(line) }));
  let isAway = false;
  const reading = async <Value>(value: Value): Promise<Value> => {
    if (isAway) throw new Error("the database is away");
    return value;
  };
  metrics.databaseGauge({ name: "queue_age_seconds", help: "A duration.", read: () => reading(7) });
  metrics.databaseGauge({ name: "endpoints", help: "Numbers by state.", read: () => reading({ working: 3 }) });
  const all = ["queue_age_seconds 7", 'endpoints{state="working"} 3'];
  const ages = () => valuesOf(metrics, /^database_metric_age_seconds\{/);
  const fresh = ['database_metric_age_seconds{metric="queue_age_seconds"} 0', 'database_metric_age_seconds{metric="endpoints"} 0'];
  const values = () => valuesOf(metrics, /^(queue_age_seconds|endpoints)\b/);
  expect([await values(), await ages()]).toEqual([all, fresh]);
  for (const outage of [1, 2]) {
    isAway = true;
    expect([await values(), await values()]).toEqual([all, all]);
    for (const age of await ages()) expect(Number(age.split(" ")[1])).toBeGreaterThan(0);
    expect(lines).toHaveLength(outage);
    isAway = false;
    expect([await values(), await ages()]).toEqual([all, fresh]);
  }
});

test("metrics of a database that does not answer are waited for a second, and not at all when they still hang at the next look", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const metrics = makeMetrics(silent);
  const reads: { resolve: (value: number) => void }[] = [];
  const read = () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    reads.push({ resolve });
    return promise;
  };
  metrics.databaseGauge({ name: "queue_age_seconds", help: "A duration.", read });
  const values = () => valuesOf(metrics, /^queue_age_seconds\b/);
  const first = values();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await first, await values(), reads.length]).toEqual([[], [], 1]);
  reads[0]?.resolve(4);
  await vi.advanceTimersByTimeAsync(0); // it is kept
  const second = values();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await second, reads.length]).toEqual([["queue_age_seconds 4"], 2]);
  vi.useRealTimers();
});

test("build_info has the version of package.json", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  expect(await valuesOf(makeMetrics(silent), /^build_info/)).toEqual([`build_info{version="${version}"} 1`]);
});
