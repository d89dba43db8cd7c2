// `make bench`, what recording costs with and without something beside it, the two in turn.
// The upkeep part: the workers of roll-ups and search, on one running server. "Without" holds the locks by which each worker claims a streamer,
// so that the workers find nothing to do.
// The traces part: no traces, one in a hundred, and all of them, exported to a collector on the same machine.
//   TRACE_DONATIONS=1500      for each of the rounds, in turn (ROUNDS)

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { addKey, addStreamer } from "../../suite/client/operator.ts";
import type { Cleanup } from "../program.ts";
import { count, ms, percent, percentile, send, table, usageOf } from "./measure.ts";
import { donators, messages, roundAmounts } from "./seed.ts";
import { emptySetting, type Setting } from "./setting.ts";

type UpkeepRound = { workers: "on" | "off"; perSecond: number; p50: number; p99: number; rolledUp: number; indexed: number };

type TracesOptions = { rounds: number; donations: number; databaseUrl: string | undefined };

/** `cpuMicroseconds`: of the server's process for a donation, the median of the rounds; `ms`: p50 of the answers at 8 connections. */
type TracesLine = { kind: string; cpuMicroseconds: number; ms: number };

type TracesMeasured = { lines: TracesLine[]; cpus: number; load: [number, number] };

const upkeepConnections = 64;
const roundMs = 8_000;

export async function measureUpkeep(url: string, setting: Setting, rounds: number): Promise<UpkeepRound[]> {
  const locker = new pg.Client({ connectionString: setting.databaseUrl });
  await locker.connect();
  await createFor(url, setting, 2_000); // warms up
  const measured: UpkeepRound[] = [];
  for (let round = 0; round < rounds * 2; round += 1) {
    await settled(setting);
    const workers = (round + (round >> 1)) % 2 === 0 ? "off" : "on"; // off on on off …
    if (workers === "off") await hold(locker);
    const before = await progress(setting);
    const { created, latencies, seconds } = await createFor(url, setting, roundMs);
    const after = await progress(setting);
    if (workers === "off") await locker.query("rollback");
    measured.push({
      workers,
      perSecond: created / seconds,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      rolledUp: (after.rolled - before.rolled) / created,
      indexed: (after.indexed - before.indexed) / created,
    });
  }
  await locker.end();
  return measured;
}

async function createFor(url: string, { keys }: Setting, ms: number) {
  const end = performance.now() + ms;
  const latencies: number[] = [];
  const people = donators();
  const words = messages(3_000);
  let number = 0;
  const one = async () => {
    while (performance.now() < end) {
      number += 1;
      const body = {
        donatorName: people[(number * 7) % 1_000]?.name,
        amount: roundAmounts[number % roundAmounts.length],
        message: words[(number * 11) % 3_000],
        idempotencyKey: `bench-${Date.now()}-${number}`,
      };
      const answer = await send(`${url}/api/v1/donations`, number % 2 ? keys.busy : keys.busier, JSON.stringify(body));
      if (answer.status !== 201) throw new Error(`a donation was answered ${answer.status}: ${answer.body}`);
      latencies.push(answer.ms);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: upkeepConnections }, one));
  return { created: latencies.length, latencies, seconds: (performance.now() - start) / 1_000 };
}

async function hold(locker: pg.Client): Promise<void> {
  await locker.query("begin");
  await locker.query("select from report_progress order by streamer_id for update");
  await locker.query(
    "select pg_advisory_xact_lock(hashtextextended('search ' || streamer_id, 0)) from streamer_handles where handle in ('busy', 'busier')",
  );
}

// Reads the sequence of the last stored donation instead of the streamer's counter, because a repeated key takes a number but stores nothing.
const progressSql = `
  select sum(coalesce((select max(sequence) from donations d where d.streamer_id = s.streamer_id), 0))::float8 as recorded,
    sum(coalesce((select rolled_sequence from report_progress p where p.streamer_id = s.streamer_id), 0))::float8 as rolled,
    sum(coalesce((select max(last_sequence) from donation_search_blocks b where b.streamer_id = s.streamer_id), 0))::float8 as indexed
  from streamer_handles s where handle in ('busy', 'busier')`;

async function progress({ client }: Pick<Setting, "client">): Promise<{ recorded: number; rolled: number; indexed: number }> {
  return (await client.query(progressSql)).rows[0];
}

/** Waits until the workers have processed all donations of the previous round. */
export async function settled(setting: Pick<Setting, "client">): Promise<void> {
  for (;;) {
    const { recorded, rolled, indexed } = await progress(setting);
    if (rolled >= recorded && recorded - indexed < 512) return;
    await sleep(250);
  }
}

const maxUpkeep = 0.25;

export function upkeepText(rounds: readonly UpkeepRound[]): string[] {
  const median = (workers: string, of: (round: UpkeepRound) => number) =>
    percentile(rounds.filter((round) => round.workers === workers).map(of), 0.5);
  const on = median("on", ({ perSecond }) => perSecond);
  const off = median("off", ({ perSecond }) => perSecond);
  const loss = 1 - on / off;
  const cells = rounds.map((round) => [
    round.workers,
    count(Math.round(round.perSecond)),
    ms(round.p50),
    ms(round.p99),
    percent(round.rolledUp),
    percent(round.indexed),
  ]);
  return [
    table([["workers", "created/s", "p50 ms", "p99 ms", "rolled up meanwhile", "indexed meanwhile"], ...cells]),
    `Medians: ${count(Math.round(on))}/s with the workers, ${count(Math.round(off))}/s without: ${percent(loss)} less` +
      `${loss > maxUpkeep ? `; the aim of at most ${percent(maxUpkeep)} is missed` : ""}.`,
  ];
}

const tracedConnections = 8;
const body = JSON.stringify({ donatorName: "สมชาย", amount: 100, message: "ขอบคุณครับ", skipAlert: true });

export async function measureTraces({ rounds, donations, databaseUrl }: TracesOptions, cleanup: Cleanup): Promise<TracesMeasured> {
  const loadBefore = loadavg()[0] as number;
  const collector = await startCollector();
  cleanup.later(async () => collector.close());
  const exporting = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "100" }; // within the round
  const some = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" };
  const kinds = { "not traced": {}, "one in a hundred": { ...exporting, ...some }, "all traced": exporting };
  const setting = await emptySetting(databaseUrl, cleanup);
  await addStreamer(setting.operator, "traced");
  const key = await addKey({ ...setting.operator, handle: "traced" }, "traced", "write:donations read:donations");
  const servers = [];
  for (const [kind, env] of Object.entries(kinds)) {
    const server = await setting.serve({ TTS: "off", NOTIFIER: "process", ...env });
    servers.push({ kind, ...server, cpu: [] as number[], ms: [] as number[] });
    await donate(server.url, key, donations); // warms up
  }
  for (let round = 0; round < rounds; round += 1)
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const before = await usageOf(server.pid);
      server.ms.push(await donate(server.url, key, donations));
      const after = await usageOf(server.pid);
      server.cpu.push(before && after ? ((after.cpuSeconds - before.cpuSeconds) * 1e6) / donations : Number.NaN);
    }
  for (const { stop } of servers) await stop();
  const lines = servers.map(({ kind, cpu, ms }) => ({ kind, cpuMicroseconds: percentile(cpu, 0.5), ms: percentile(ms, 0.5) }));
  return { lines, cpus: cpus().length, load: [loadBefore, loadavg()[0] as number] };
}

/** Resolves to the median of the answers' times. */
async function donate(url: string, key: string, count: number): Promise<number> {
  const times: number[] = [];
  let left = count;
  const one = async () => {
    for (; left > 0; ) {
      left -= 1;
      const { status, ms } = await send(`${url}/api/v1/donations`, key, body);
      if (status !== 201) throw new Error(`a donation was answered ${status}`);
      times.push(ms);
    }
  };
  await Promise.all(Array.from({ length: tracedConnections }, one));
  return percentile(times, 0.5);
}

async function startCollector(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.setHeader("Content-Type", "application/json").end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function tracesText({ lines, cpus: cores, load }: TracesMeasured): string[] {
  const [off] = lines as [TracesLine, ...TracesLine[]];
  return [
    `Processor time of the server for a recorded donation, at ${tracedConnections} connections, ${cores} cores.`,
    "",
    "| traces | µs for a donation | × | p50 of the answers, ms |",
    "|---|--:|--:|--:|",
    ...lines.map(
      ({ kind, cpuMicroseconds, ms }) =>
        `| ${kind} | ${cpuMicroseconds.toFixed(0)} | ${(cpuMicroseconds / off.cpuMicroseconds).toFixed(2)} | ${ms.toFixed(1)} |`,
    ),
    "",
    `Load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} after.`,
  ];
}
