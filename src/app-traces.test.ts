// Traces of the whole application, as a collector gets them.

import { randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { pino } from "pino";
import { beforeAll, expect, test, vi } from "vitest";
import { overlayKeyStore } from "./auth/overlay-keys.ts";
import { runningMs } from "./base/testing-time.ts";
import { newId } from "./db/ids.ts";
import { silent, useDatabase } from "./db/testing.ts";
import { makeWav } from "./speech/testing.ts";
import { logOptions } from "./telemetry/log.ts";
import { openTracing } from "./telemetry/open-tracing.ts";
import { type CollectedSpan, type Collector, openCollector } from "./telemetry/testing-collector.ts";
import { activeTracing, noteTrace, setTracing, type Tracing, traceOf, withinSpan } from "./telemetry/tracing.ts";
import { openTestApp, type TestApp } from "./testing-app.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const server = 2;
const client = 3;
const always = { name: "parentbased_always_on", ratio: 1 } as const;

let collector: Collector;
let app: TestApp;
let hooks: Awaited<ReturnType<typeof openHooks>>;

beforeAll(async () => {
  collector = await openCollector();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=namjai");
  vi.stubEnv("OTEL_SERVICE_NAME", "donations-test");
  setTracing(openTracing({ serviceName: "unused", sampler: always, delayMs: 50, ignoredProtocol: null }, silent));
  return async () => {
    await activeTracing()?.close();
    setTracing(null);
    vi.unstubAllEnvs();
    collector.close();
  };
});
const database = useDatabase();
beforeAll(async () => {
  hooks = await openHooks();
  app = await openTestApp(database, { TTS: "on", TTS_URL: `${hooks.url}/speak` });
  await app.send("POST /webhooks", { url: `${hooks.url}/hook`, types: ["donation.created", "alert.shown"] });
  return async () => {
    await app.close();
    hooks.close();
  };
});

/** Takes webhooks, and speaks. */
async function openHooks() {
  const received: { id: string; headers: IncomingHttpHeaders }[] = [];
  const wav = makeWav({ seconds: 1 });
  const listener = createServer(async (request, response) => {
    await buffer(request);
    if (request.url === "/speak") return void response.setHeader("Content-Type", "audio/wav").end(wav);
    received.push({ id: String(request.headers["webhook-id"]), headers: request.headers });
    response.end();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    received,
    close: () => {
      listener.close();
      listener.closeAllConnections();
    },
  };
}

const newTrace = () => randomBytes(16).toString("hex");
const parentId = "00f067aa0ba902b7";
const donation = { amount: 20, currency: "THB", donatorName: "Qwixworthy", message: "zyzzyva" };
const donate = async (traceparent?: string, members: object = {}) =>
  (await app.send("POST /donations", { ...donation, ...members }, traceparent === undefined ? {} : { traceparent })).body.data.id as string;

/** The spans of a trace, when all of these names are among them. */
async function spansOf(traceId: string, ...names: string[]): Promise<CollectedSpan[]> {
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  await vi.waitFor(() => expect(ofTrace().map(({ name }) => name)).toEqual(expect.arrayContaining(names)), 20_000);
  return ofTrace();
}
const named = (spans: readonly CollectedSpan[], name: string) => spans.find((span) => span.name === name) as CollectedSpan;

test("a request is a span by the conventions of HTTP, child of the traceparent that it came with, in the service of the variables", async () => {
  const traceId = newTrace();
  await donate(`00-${traceId}-${parentId}-01`);
  const span = named(await spansOf(traceId, "POST /api/v1/donations"), "POST /api/v1/donations");
  const port = Number(new URL(app.url).port);
  expect(span).toMatchObject({ kind: server, parentSpanId: parentId, isError: false, resource: { "service.name": "donations-test" } });
  expect(span.resource).toMatchObject({ "service.version": expect.stringMatching(/^\d+\.\d/), "service.instance.id": expect.any(String) });
  expect(span.attributes).toEqual({
    "http.request.method": "POST",
    "http.route": "/api/v1/donations",
    "http.response.status_code": 201,
    "url.path": "/api/v1/donations",
    "url.scheme": "http",
    "server.address": "127.0.0.1",
    "server.port": port,
  });
  expect(collector.requests[0]).toMatchObject({ path: "/v1/traces", headers: { "x-tenant": "namjai" } });
});

test("statements are spans by the conventions of databases, children of the request, without any value", async () => {
  const traceId = newTrace();
  const id = await donate(`00-${traceId}-${parentId}-01`);
  await app.send(`POST /donations/${id}/void`, { reason: "refund", note: "zyzzyva" }, { traceparent: `00-${traceId}-${parentId}-01` });
  const spans = await spansOf(traceId, "POST /api/v1/donations", "POST /api/v1/donations/{donationId}/void");
  const request = named(spans, "POST /api/v1/donations");
  const statement = spans.find(({ parentSpanId, name }) => parentSpanId === request.spanId && name === "INSERT donations");
  const namespace = new URL(database.url).pathname.slice(1);
  expect(statement?.kind).toBe(client);
  expect(statement?.attributes).toMatchObject({
    "db.system.name": "postgresql",
    "db.namespace": namespace,
    "db.operation.name": "INSERT",
    "db.query.summary": "INSERT donations",
    "db.query.text": expect.stringContaining("insert into donations"),
    "server.address": expect.any(String),
  });
  expect(spans.filter(({ name }) => name === "UPDATE donations")).not.toHaveLength(0);
  expect(JSON.stringify(collector.spans)).not.toMatch(/Qwixworthy|zyzzyva/);
});

test("a donation, its webhook, its speech and its alert are one trace, and the webhook's request carries it", async () => {
  const key = await overlayKeyStore(database.knex, app.config.brand).create(app.streamerId, "OBS");
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const [player, leaving] = [newId().slice(0, 8), new AbortController()];
  await app.send("POST /alerts/clear");
  await fetch(`${app.url}/api/v1/overlay/stream?player=${player}&plays=true`, { headers, signal: leaving.signal });
  const traceId = newTrace();
  const id = await donate(`00-${traceId}-${parentId}-01`);
  const playback = await vi.waitFor(async () => {
    const row = await database.knex("playbacks").where({ donation_id: id }).first("id", "state");
    expect(["leased", "playing"]).toContain(row?.state);
    return row.id as string;
  }, 20_000);
  for (const step of ["started", "ended"])
    await fetch(`${app.url}/api/v1/overlay/playbacks/${playback}/${step}`, { method: "POST", headers, body: JSON.stringify({ player }) });
  leaving.abort();
  const spans = await spansOf(traceId, "POST /api/v1/donations", "prepare speech", "show alert", "POST");
  const { spanId } = named(spans, "POST /api/v1/donations");
  for (const name of ["prepare speech", "show alert", "POST"]) expect(named(spans, name).parentSpanId).toBe(spanId);
  const attempt = named(spans, "POST");
  expect(attempt).toMatchObject({ kind: client, attributes: { "http.request.method": "POST", "http.response.status_code": 200 } });
  const delivery = await vi.waitFor(() => {
    const found = hooks.received.find((hook) => hook.id === id);
    expect(found).toBeDefined();
    return found;
  });
  expect(delivery?.headers.traceparent).toBe(`00-${traceId}-${attempt.spanId}-01`);
  expect(named(spans, "show alert").links).toHaveLength(1);
});

test("donations that one statement records are one span with links to their requests, which have a link to it", async () => {
  const traces = Array.from({ length: 12 }, newTrace);
  await Promise.all(traces.map((traceId) => donate(`00-${traceId}-${parentId}-01`)));
  const requests = (await Promise.all(traces.map((traceId) => spansOf(traceId, "POST /api/v1/donations")))).map((spans) =>
    named(spans, "POST /api/v1/donations"),
  );
  const batch = await vi.waitFor(() => {
    const found = collector.spans.find(({ name, traceId }) => name === "record donations" && traces.includes(traceId));
    expect(found).toBeDefined();
    return found as CollectedSpan;
  }, 20_000);
  const linked = requests.filter(({ spanId }) => batch.links.some((link) => link.spanId === spanId));
  expect(linked.length).toBeGreaterThan(1);
  expect(linked).toHaveLength(batch.links.length);
  expect(batch.parentSpanId).toBe(linked.find(({ traceId }) => traceId === batch.traceId)?.spanId);
  const back = linked.filter(({ links }) => links.some(({ spanId }) => spanId === batch.spanId));
  expect(back).toHaveLength(linked.length - 1);
});

test.each([
  ["another form", "00-abc"],
  ["a trace of zeros", `00-${"0".repeat(32)}-${parentId}-01`],
  ["a parent of zeros", `00-${"a".repeat(32)}-${"0".repeat(16)}-01`],
  ["the version ff", `ff-${"a".repeat(32)}-${parentId}-01`],
  ["capital letters", `00-${"A".repeat(32)}-${parentId}-01`],
  ["more than its version has", `00-${"a".repeat(32)}-${parentId}-01-x`],
])("a traceparent with %s is ignored: the request begins a trace", async (_, traceparent) => {
  const id = await donate(traceparent);
  const kept = traceOf(id) as string;
  expect(kept).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const [span] = (await spansOf(kept.slice(3, 35), "POST /api/v1/donations")).filter(({ kind }) => kind === server);
  expect(span?.parentSpanId).toBeUndefined();
  expect(span?.traceId).not.toBe("a".repeat(32));
});

test("a traceparent of a later version is joined", async () => {
  const traceId = newTrace();
  await donate(`cc-${traceId}-${parentId}-01-what-comes-later`);
  expect(named(await spansOf(traceId, "POST /api/v1/donations"), "POST /api/v1/donations").parentSpanId).toBe(parentId);
});

test("a trace that its caller does not sample is not exported, nor remembered, nor sent to webhooks", async () => {
  const traceId = newTrace();
  const id = await donate(`00-${traceId}-${parentId}-00`);
  const later = newTrace();
  await donate(`00-${later}-${parentId}-01`);
  await spansOf(later, "POST");
  expect(traceOf(id)).toBeUndefined();
  expect(hooks.received.find((hook) => hook.id === id)?.headers.traceparent).toBeUndefined();
  expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
});

test("a path that leads nowhere and a query are in no span", async () => {
  const traceId = newTrace();
  await fetch(`${app.url}/somewhere/my-secret?also=my-secret`, { headers: { traceparent: `00-${traceId}-${parentId}-01` } });
  const [span] = await spansOf(traceId, "GET");
  expect(span?.attributes).toMatchObject({ "http.response.status_code": 404 });
  expect(JSON.stringify(span)).not.toContain("my-secret");
});

test("a process remembers the traces of the last 10,000 donations that it recorded", () => {
  const ids = Array.from({ length: 10_001 }, newId);
  for (const id of ids) noteTrace(id, `00-${newTrace()}-${parentId}-01`);
  expect(ids.filter((id) => traceOf(id) === undefined)).toEqual(ids.slice(0, 1));
});

test("a line of the log that is written in a span has its ids, and one after it has none", () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino(logOptions("info"), { write: (line: string) => void lines.push(JSON.parse(line)) });
  const span = (activeTracing() as Tracing).start("test", { parent: null });
  withinSpan(span, () => log.info("inside"));
  span.end();
  withinSpan(span, () => log.info("later"));
  expect(lines[0]).toMatchObject({ msg: "inside", trace_id: span.traceId, span_id: span.spanId });
  expect(lines[1]).not.toHaveProperty("trace_id");
});

test("a protocol that is not supported is ignored, and the log says so and names the one that is", async () => {
  const lines: { level: number; msg: string; ignoredProtocol: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await openTracing({ serviceName: "alone", sampler: always, delayMs: 10, ignoredProtocol: "grpc" }, log).close();
  expect(lines).toEqual([expect.objectContaining({ level: 40, msg: expect.stringContaining("http/json"), ignoredProtocol: "grpc" })]);
});

test("without a collector nothing fails, and the end of the process waits for it a few seconds at most", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
  const alone = openTracing({ serviceName: "alone", sampler: always, delayMs: 10, ignoredProtocol: null }, silent);
  for (let i = 0; i < 5_000; i += 1) alone.start("lost", { parent: null }).end();
  expect(await runningMs(() => alone.close())).toBeLessThan(4_000);
});
