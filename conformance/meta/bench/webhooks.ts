// `make bench`, the webhooks part: how many deliveries a second one process sends beside recording, and whether an endpoint that hangs and
// one that answers 500 delay the others.
//   HOOK_STREAMERS=50, ENDPOINTS=4   endpoints of each streamer      HOOK_RATE=600   donations a second, if the machine can
//   DELAY_RATE=50      donations a second while the delay is measured      HOOK_SECONDS=10   of each measurement

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import type { Cleanup } from "../program.ts";
import { count, ms, percentile, send, table, usageOf } from "./measure.ts";
import { donateTo, emptySetting, seedKeys } from "./setting.ts";

/** From the donation's 201 to its delivery, in milliseconds. */
type Delay = { p50: number; p99: number; most: number };

type Sent = { donations: number; deliveries: number; recordedPerSecond: number; deliveredPerSecond: number; delay: Delay };

type WebhooksMeasured = {
  streamers: number;
  endpoints: number;
  full: Sent;
  /** Processor time of the server for each delivery of `full`, recording included; null where the machine does not say. */
  cpuMicroseconds: number | null;
  /** At a rate that leaves the machine time, in turn: with healthy endpoints alone, and with the two others as well. */
  alone: Sent;
  beside: Sent;
  cpus: number;
  load: [number, number];
};

type WebhooksOptions = {
  streamers: number;
  endpoints: number;
  rate: number;
  delayRate: number;
  seconds: number;
  databaseUrl: string | undefined;
};

type Place = { url: string; keys: readonly string[]; receiver: BenchReceiver; options: WebhooksOptions };

const scopes = ["write:donations", "read:donations", "write:webhooks"];

/** In turn, so that other work of the machine affects both alike. */
const rounds = 3;
const catchUpMs = 60_000;

export async function measureWebhooks(options: WebhooksOptions, cleanup: Cleanup): Promise<WebhooksMeasured> {
  const loadBefore = loadavg()[0] as number;
  const setting = await emptySetting(options.databaseUrl, cleanup);
  const keys = await seedKeys(setting, options.streamers, scopes);
  const receiver = await startReceiver();
  cleanup.later(receiver.close);
  const server = await setting.serve({ TTS: "off", NOTIFIER: "process", WEBHOOKS: "local" });
  const place: Place = { url: server.url, keys, receiver, options };
  for (const [index, key] of keys.entries())
    for (let count = 0; count < options.endpoints; count += 1) await addEndpoint(place, key, `/${index}-${count}`);
  await sleep(2_000); // until the process has taken the endpoints
  await measure(place, options.delayRate, 2); // warms up
  const before = await usageOf(server.pid);
  const full = await measure(place, options.rate, options.seconds);
  const after = await usageOf(server.pid);
  const cpuMicroseconds = before && after && ((after.cpuSeconds - before.cpuSeconds) * 1e6) / full.deliveries;
  const [first = ""] = keys;
  const bad = [await addEndpoint(place, first, "/hang"), await addEndpoint(place, first, "/500")];
  const [alone, beside]: [Sent[], Sent[]] = [[], []];
  for (let round = 0; round < rounds; round += 1)
    for (const enabled of [false, true]) {
      for (const id of bad) await enable(place, id, enabled);
      (enabled ? beside : alone).push(await measure(place, options.delayRate, options.seconds));
    }
  await server.stop();
  return {
    ...{ streamers: options.streamers, endpoints: options.endpoints, full, cpuMicroseconds, alone: middle(alone), beside: middle(beside) },
    ...{ cpus: cpus().length, load: [loadBefore, loadavg()[0] as number] },
  };
}

/** The run whose p99 is the median. */
const middle = (all: readonly Sent[]): Sent => all.toSorted((a, b) => a.delay.p99 - b.delay.p99)[Math.floor(all.length / 2)] as Sent;

async function addEndpoint({ url, receiver }: Place, key: string, path: string): Promise<string> {
  const { status, body } = await send(
    `${url}/api/v1/webhooks`,
    key,
    JSON.stringify({ url: receiver.url + path, types: ["donation.created"] }),
  );
  if (status !== 201) throw new Error(`an endpoint was answered ${status}: ${body}`);
  return (JSON.parse(body.toString("utf8")) as { data: { id: string } }).data.id;
}

async function enable({ url, keys }: Place, id: string, enabled: boolean): Promise<void> {
  const headers = { Authorization: `Bearer ${keys[0]}`, "Content-Type": "application/json" };
  const answer = await fetch(`${url}/api/v1/webhooks/${id}`, { method: "PATCH", headers, body: JSON.stringify({ enabled }) });
  if (!answer.ok) throw new Error(`a change of an endpoint was answered ${answer.status}: ${await answer.text()}`);
}

/** Records at the rate, waits for every delivery to the healthy endpoints, and throws when one does not come. */
async function measure({ url, keys, receiver, options }: Place, rate: number, seconds: number): Promise<Sent> {
  await receiver.take();
  const began = performance.now();
  const { answered, seconds: took } = await donateTo(url, keys, { rate, seconds });
  const expected = answered.size * options.endpoints;
  for (const deadline = Date.now() + catchUpMs; (await receiver.count()) < expected && Date.now() < deadline; ) await sleep(20);
  const deliveries = await receiver.take();
  if (deliveries.length < expected) throw new Error(`${expected - deliveries.length} of ${expected} deliveries did not come`);
  const delays = deliveries.flatMap(([, id, at]) => {
    const from = answered.get(id);
    return from === undefined ? [] : [Math.max(0, at - performance.timeOrigin - from)];
  });
  const last = deliveries.reduce((latest, [, , at]) => Math.max(latest, at), 0);
  return {
    donations: answered.size,
    deliveries: deliveries.length,
    recordedPerSecond: answered.size / took,
    deliveredPerSecond: deliveries.length / ((last - performance.timeOrigin - began) / 1_000),
    delay: { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), most: delays.reduce((a, b) => Math.max(a, b), 0) },
  };
}

export function webhooksText({ streamers, endpoints, full, cpuMicroseconds, alone, beside, cpus, load }: WebhooksMeasured): string[] {
  const line = (title: string, { p50, p99, most }: Delay): string[] => [title, ms(p50), ms(p99), ms(most)];
  return [
    `${count(streamers)} streamers with ${endpoints} endpoints each, one process: ${count(full.deliveries)} deliveries of ${count(full.donations)} donations,`,
    `${count(Math.round(full.deliveredPerSecond))} a second beside ${count(Math.round(full.recordedPerSecond))} donations a second,`,
    `with ${cpuMicroseconds === null ? "?" : cpuMicroseconds.toFixed(0)} µs of the server's processor time for each, recording included. Milliseconds from the 201 to the delivery:`,
    "",
    table([
      ["", "p50", "p99", "most"],
      line("at that rate", full.delay),
      line(`at ${count(Math.round(alone.recordedPerSecond))} donations a second, healthy endpoints alone`, alone.delay),
      line("the same beside one that hangs and one that answers 500", beside.delay),
    ]),
    "",
    `Load average ${load.map((one) => one.toFixed(1)).join(" before and ")} after, ${cpus} cores, shared by server, database and bench.`,
  ];
}

/** A delivery of an event to a path that answers 200, and when it came, in milliseconds since 1970. */
type Delivery = readonly [path: string, id: string, at: number];

type BenchReceiver = {
  url: string;
  /** How many came since the last `take`. */
  count: () => Promise<number>;
  /** Returns what came, and forgets it. */
  take: () => Promise<Delivery[]>;
  close: () => Promise<unknown>;
};

const preciseNow = (): number => performance.timeOrigin + performance.now();

async function startReceiver(): Promise<BenchReceiver> {
  const worker = new Worker(new URL(import.meta.url));
  const ask = async <Answer>(question: string): Promise<Answer> => {
    const answered = once(worker, "message"); // rejects when the thread fails
    worker.postMessage(question);
    const [answer] = await answered;
    return answer as Answer;
  };
  const port = await ask<number>("port");
  return { url: `http://127.0.0.1:${port}`, count: () => ask("count"), take: () => ask("take"), close: () => worker.terminate() };
}

if (!isMainThread) receive();

function receive(): void {
  let deliveries: Delivery[] = [];
  const server = createServer((request, response) => {
    const { url: path = "/" } = request;
    request.resume();
    if (path === "/hang") return;
    const isFine = path !== "/500";
    if (isFine) deliveries.push([path, String(request.headers["webhook-id"]), preciseNow()]);
    response.writeHead(isFine ? 200 : 500).end();
  }).listen(0, "127.0.0.1");
  const listening = new Promise<void>((resolve) => server.once("listening", resolve));
  parentPort?.on("message", async (question: string) => {
    await listening;
    if (question === "port") return parentPort?.postMessage((server.address() as AddressInfo).port);
    if (question === "count") return parentPort?.postMessage(deliveries.length);
    parentPort?.postMessage(deliveries);
    deliveries = [];
  });
}
