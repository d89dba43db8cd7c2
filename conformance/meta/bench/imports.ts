// `make bench`, the imports part: how fast lines are imported, in how much memory, and what donations that are posted singly wait beside it.
//   ROWS=1000000     lines alone, and a twentieth of them beside live donations      LIVE_RATE=50     donations a second beside them
// And the fairness part: what a streamer with few requests waits beside one who sends as many as 64 connections take.
//   FAIRNESS_SECONDS=5                               for each of the rounds, alone and beside the other in turn (ROUNDS)

import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { cpus, loadavg } from "node:os";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { addKey, addStreamer } from "../../suite/client/operator.ts";
import { freePort } from "../../suite/servers/start-server.ts";
import type { Cleanup } from "../program.ts";
import { count, percentile, send, servedMegabytes, type Timed } from "./measure.ts";
import { emptySetting } from "./setting.ts";

type ImportsMeasured = {
  alone: Speed;
  besideLive: Speed;
  /** Of the server process, in megabytes: before, and the most while it imports. */
  resident: { before: number; most: number };
  /** Milliseconds of donations that are posted singly. */
  live: { rate: number; alone: Times; beside: Times };
  cpus: number;
  load: [number, number];
};

type Speed = { rows: number; seconds: number };

type Times = { donations: number; p50: number; p99: number };

type ImportsOptions = { rows: number; liveRate: number; aloneSeconds: number; databaseUrl: string | undefined };

export async function measureImports(options: ImportsOptions, cleanup: Cleanup): Promise<ImportsMeasured> {
  const loadBefore = loadavg()[0] as number;
  const setting = await emptySetting(options.databaseUrl, cleanup);
  const metricsPort = await freePort();
  const server = await setting.serve({ METRICS_PORT: String(metricsPort), TTS: "off" });
  await addStreamer(setting.operator, "imports");
  const key = await addKey({ ...setting.operator, handle: "imports" }, "imports", "write:donations");
  const live = (isDone: () => boolean) => postLive(server.url, key, options.liveRate, isDone);
  await live(after(2)); // the first ones compile validators and open connections
  const alone = await live(after(options.aloneSeconds));
  const memory = watchMemory(metricsPort);
  let isDone = false;
  const beside = live(() => isDone);
  const besideLive = await timedImport(server.url, key, Math.ceil(options.rows / 20));
  isDone = true;
  const measured = { rate: options.liveRate, alone, beside: await beside };
  await addStreamer(setting.operator, "quiet");
  const quiet = await addKey({ ...setting.operator, handle: "quiet" }, "quiet", "write:donations");
  const importedAlone = await timedImport(server.url, quiet, options.rows);
  const resident = await memory.end();
  await server.stop();
  return { alone: importedAlone, besideLive, resident, live: measured, cpus: cpus().length, load: [loadBefore, loadavg()[0] as number] };
}

async function timedImport(url: string, key: string, rows: number): Promise<Speed> {
  const began = performance.now();
  const recorded = await importLines(url, key, rows);
  if (recorded !== rows) throw new Error(`${recorded} of ${rows} lines were recorded`);
  return { rows, seconds: (performance.now() - began) / 1_000 };
}

const after = (seconds: number): (() => boolean) => {
  const until = performance.now() + seconds * 1_000;
  return () => performance.now() > until;
};

async function postLive(url: string, key: string, rate: number, isDone: () => boolean): Promise<Times> {
  const json = JSON.stringify({ donatorName: "สมชาย", amount: 100, message: "ขอบคุณสำหรับสตรีมครับ", skipAlert: true });
  const times: number[] = [];
  const underWay: Promise<void>[] = [];
  for (let due = performance.now(); !isDone(); due += 1_000 / rate) {
    await sleep(Math.max(0, due - performance.now()));
    underWay.push(
      send(`${url}/api/v1/donations`, key, json).then(({ status, ms }) => {
        if (status !== 201) throw new Error(`a donation was answered ${status}`);
        times.push(ms);
      }),
    );
  }
  await Promise.all(underWay);
  return { donations: times.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

/** Sends the lines, and resolves to how many were recorded. */
function importLines(url: string, key: string, rows: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/x-ndjson" };
    const outgoing = request(`${url}/api/v1/donations/batch`, { agent: new Agent(), method: "POST", headers }, (message) => {
      let text = "";
      let recorded = 0;
      message.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (text + chunk).split("\n");
        text = lines.pop() as string;
        recorded += lines.filter((line) => line.includes('"status":201')).length;
      });
      message.on("error", reject).on("end", () => resolve(recorded));
    });
    outgoing.on("error", reject);
    Readable.from(linesOf(rows)).pipe(outgoing);
  });
}

function* linesOf(rows: number): Generator<string> {
  const start = Date.UTC(2015, 0, 1);
  for (let from = 0; from < rows; from += 100) {
    const indexes = Array.from({ length: Math.min(100, rows - from) }, (_, index) => from + index);
    yield indexes
      .map((index) => {
        const createdAt = new Date(start + index * 300_000).toISOString();
        const donation = { donatorName: `ผู้บริจาค ${index % 5_000}`, amount: 1 + (index % 1_000) / 100, message: "สู้ๆ ครับ" };
        return `${JSON.stringify({ ...donation, createdAt, idempotencyKey: `bench-${index}` })}\n`;
      })
      .join("");
  }
}

function watchMemory(metricsPort: number): { end: () => Promise<{ before: number; most: number }> } {
  const readings: number[] = [];
  let isDone = false;
  const reading = (async () => {
    while (!isDone) {
      readings.push(await servedMegabytes(metricsPort));
      await sleep(500);
    }
  })();
  return {
    end: async () => {
      isDone = true;
      await reading;
      return { before: readings[0] as number, most: Math.max(...readings) };
    },
  };
}

export function importsText({ alone: importedAlone, besideLive, resident, live, cpus: cores, load }: ImportsMeasured): string[] {
  const { alone, beside, rate } = live;
  const speed = ({ rows, seconds }: Speed) =>
    `${count(rows)} lines in ${seconds.toFixed(0)} s (${count(Math.round(rows / seconds))} a second)`;
  const times = ({ p50, p99 }: Times) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  return [
    `${speed(importedAlone)} alone, ${speed(besideLive)} beside live donations, on ${cores} cores.`,
    `Resident memory ${resident.before.toFixed(0)} MB before, at most ${resident.most.toFixed(0)} MB meanwhile.`,
    `${rate} donations a second of the same streamer alone: ${times(alone)}; beside the import: ${times(beside)} (${(beside.p99 / alone.p99).toFixed(2)} ×).`,
    `Load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} after.`,
  ];
}

type FairnessOptions = { rounds: number; seconds: number; databaseUrl: string | undefined };

/** Milliseconds, medians over the rounds. `floods`: requests a second of the busy streamer that were answered 2xx. */
type FairnessLine = { kind: string; alone: Waits; beside: Waits; floods: number };

type Waits = { p50: number; p99: number };

type FairnessMeasured = { lines: FairnessLine[]; cpus: number; load: [number, number] };

/** Sends one request of a streamer to the server at `url`. None asks the same as another, so that no cached answer helps. */
type Ask = (url: string, key: string) => Promise<Timed>;

const donations = 20_000;
const connections = 64;
const quietRate = 10;

const kinds: Record<string, Ask> = {
  "record a donation": (url, key) =>
    send(`${url}/api/v1/donations`, key, JSON.stringify({ donatorName: "สมชาย", amount: 100, message: "ขอบคุณครับ", skipAlert: true })),
  "search for a text that is not there": (url, key) => send(`${url}/api/v1/donations/search?q=${randomUUID()}`, key),
  stats: (url, key) => send(`${url}/api/v1/donations/stats?from=${new Date(1.5e12 + Math.random() * 1e11).toISOString()}`, key),
};

export async function measureFairness({ rounds, seconds, databaseUrl }: FairnessOptions, cleanup: Cleanup): Promise<FairnessMeasured> {
  const loadBefore = loadavg()[0] as number;
  const setting = await emptySetting(databaseUrl, cleanup);
  const { url, stop } = await setting.serve({ TTS: "off" });
  const keys = { busy: "", quiet: "" };
  for (const handle of ["busy", "quiet"] as const) {
    await addStreamer(setting.operator, handle);
    keys[handle] = await addKey({ ...setting.operator, handle }, handle, "write:donations read:donations");
    await importLines(url, keys[handle], donations);
  }
  const lines: FairnessLine[] = [];
  for (const [kind, ask] of Object.entries(kinds)) {
    const measured: { alone: Waits; beside: Waits; floods: number }[] = [];
    await askQuietly(() => ask(url, keys.quiet), 1);
    for (let round = 0; round < rounds; round += 1) {
      const alone = await askQuietly(() => ask(url, keys.quiet), seconds);
      const flood = startFlood(() => ask(url, keys.busy));
      await sleep(500);
      const beside = await askQuietly(() => ask(url, keys.quiet), seconds);
      measured.push({ alone, beside, floods: await flood.stop() });
    }
    const medianOf = (pick: (one: (typeof measured)[number]) => number) => percentile(measured.map(pick), 0.5);
    const timesOf = (when: "alone" | "beside"): Waits => ({
      p50: medianOf((one) => one[when].p50),
      p99: medianOf((one) => one[when].p99),
    });
    lines.push({ kind, alone: timesOf("alone"), beside: timesOf("beside"), floods: medianOf(({ floods }) => floods) });
  }
  await stop();
  return { lines, cpus: cpus().length, load: [loadBefore, loadavg()[0] as number] };
}

/** Asks ten times a second, whether the answers have come or not. */
async function askQuietly(ask: () => Promise<Timed>, seconds: number): Promise<Waits> {
  const answers: Promise<Timed>[] = [];
  const start = performance.now();
  for (let due = start; due < start + seconds * 1_000; due += 1_000 / quietRate) {
    await sleep(Math.max(0, due - performance.now()));
    answers.push(ask());
  }
  const times = (await Promise.all(answers)).map(({ status, ms }) => {
    if (status >= 300) throw new Error(`the quiet streamer was answered ${status}`);
    return ms;
  });
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

function startFlood(ask: () => Promise<Timed>): { stop: () => Promise<number> } {
  const began = performance.now();
  let isOver = false;
  let answered = 0;
  const flood = async () => {
    while (!isOver) if ((await ask()).status < 300) answered += 1;
  };
  const running = Promise.all(Array.from({ length: connections }, flood));
  return {
    stop: async () => {
      const seconds = (performance.now() - began) / 1_000;
      isOver = true;
      await running;
      return answered / seconds;
    },
  };
}

export function fairnessText({ lines, cpus: cores, load }: FairnessMeasured): string[] {
  const ms = (value: number) => value.toFixed(1);
  return [
    `Ten requests a second of one streamer, alone and beside another who keeps ${connections} connections busy with the same; milliseconds, ${cores} cores.`,
    "",
    "| request | alone p50 | p99 | beside p50 | p99 | p50 × | the other's a second |",
    "|---|--:|--:|--:|--:|--:|--:|",
    ...lines.map(
      ({ kind, alone, beside, floods }) =>
        `| ${kind} | ${ms(alone.p50)} | ${ms(alone.p99)} | ${ms(beside.p50)} | ${ms(beside.p99)} | ${(beside.p50 / alone.p50).toFixed(1)} | ${floods.toFixed(0)} |`,
    ),
    "",
    `Load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} after.`,
  ];
}
