// `make bench`, the fairness part: what a streamer with few requests waits beside one who sends as many as 64 connections take.
//   FAIRNESS_SECONDS=5                               for each of the rounds, alone and beside the other in turn (ROUNDS)

import { randomUUID } from "node:crypto";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { addKey, addStreamer } from "../../suite/client/operator.ts";
import type { Cleanup } from "./cleanup.ts";
import { percentile, send, type Timed } from "./http.ts";
import { importLines } from "./imports.ts";
import { emptySetting } from "./setting.ts";

export type FairnessOptions = { rounds: number; seconds: number; databaseUrl: string | undefined };

/** Milliseconds, medians over the rounds. `floods`: requests a second of the busy streamer that were answered 2xx. */
export type FairnessLine = { kind: string; alone: Times; beside: Times; floods: number };
type Times = { p50: number; p99: number };

export type FairnessMeasured = { lines: FairnessLine[]; cpus: number; load: [number, number] };

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
    const measured: { alone: Times; beside: Times; floods: number }[] = [];
    await askQuietly(() => ask(url, keys.quiet), 1);
    for (let round = 0; round < rounds; round += 1) {
      const alone = await askQuietly(() => ask(url, keys.quiet), seconds);
      const flood = startFlood(() => ask(url, keys.busy));
      await sleep(500);
      const beside = await askQuietly(() => ask(url, keys.quiet), seconds);
      measured.push({ alone, beside, floods: await flood.stop() });
    }
    const medianOf = (pick: (one: (typeof measured)[number]) => number) => percentile(measured.map(pick), 0.5);
    const timesOf = (when: "alone" | "beside"): Times => ({
      p50: medianOf((one) => one[when].p50),
      p99: medianOf((one) => one[when].p99),
    });
    lines.push({ kind, alone: timesOf("alone"), beside: timesOf("beside"), floods: medianOf(({ floods }) => floods) });
  }
  await stop();
  return { lines, cpus: cpus().length, load: [loadBefore, loadavg()[0] as number] };
}

/** Asks ten times a second, whether the answers have come or not. */
async function askQuietly(ask: () => Promise<Timed>, seconds: number): Promise<Times> {
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
