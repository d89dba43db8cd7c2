import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test } from "vitest";
import { silent } from "../db/testing.ts";
import { makeMetrics, serveMetrics } from "./metrics.ts";

test("GET /metrics serves the counted values in the format of Prometheus, and every other request is 404", async () => {
  const metrics = makeMetrics(silent);
  metrics.request("createDonation", 201, 3);
  metrics.request(undefined, 404, 1);
  metrics.batch(17);
  metrics.limited("create");
  metrics.authFailure("invalid_token");
  metrics.gauge("some_number", "A number.", async () => 42);
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

test("gauges that can't be read have no value, the other metrics are served, and each outage is logged once", async () => {
  const lines: string[] = [];
  const metrics = makeMetrics(pino({ level: "warn" }, { write: (line) => lines.push(line) }));
  let isAway = false;
  const reading = async <Value>(value: Value): Promise<Value> => {
    if (isAway) throw new Error("the database is away");
    return value;
  };
  metrics.gauge("queue_age_seconds", "A duration.", () => reading(7));
  metrics.states("endpoints", "Numbers by state.", () => reading({ working: 3 }));
  const values = async () => (await metrics.text()).split("\n").filter((line) => /^(queue_age_seconds|endpoints)\b/.test(line));
  const all = ["queue_age_seconds 7", 'endpoints{state="working"} 3'];
  expect(await values()).toEqual(all);
  for (const outage of [1, 2]) {
    isAway = true;
    expect([await values(), await values()]).toEqual([[], []]);
    expect(await metrics.text()).toMatch(/^nodejs_eventloop_lag_seconds /m);
    expect(lines).toHaveLength(outage);
    isAway = false;
    expect(await values()).toEqual(all);
  }
});
