// `make bench`, the traces part: what recording costs the server's process while nothing is traced, while one trace in a hundred is exported, and
// while all are, to a collector on the same machine.
//   TRACE_DONATIONS=1500      for each of the rounds, in turn (ROUNDS)

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, loadavg } from "node:os";
import { addKey, addStreamer } from "../../suite/client/operator.ts";
import type { Cleanup } from "./cleanup.ts";
import { emptySetting } from "./setting.ts";
import { usageOf } from "./speed/usage.ts";
import { percentile, send } from "./timed.ts";

export type TracesOptions = { rounds: number; donations: number; databaseUrl: string | undefined };

/** `cpuMicroseconds`: of the server's process for a donation, the median of the rounds; `ms`: p50 of the answers at 8 connections. */
export type TracesLine = { kind: string; cpuMicroseconds: number; ms: number };

export type TracesMeasured = { lines: TracesLine[]; cpus: number; load: [number, number] };

const connections = 8;
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
  await Promise.all(Array.from({ length: connections }, one));
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
    `Processor time of the server for a recorded donation, at ${connections} connections, ${cores} cores.`,
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
