// `make bench`, the overload part: measures recording when three times as many donations arrive as the server can record.
//   OVERLOAD_SECONDS=60   how long

import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { addKey, addStreamer } from "../../suite/client/operator.ts";
import type { Cleanup } from "../program.ts";
import { percentile, send, usageOf } from "./measure.ts";
import { emptySetting } from "./setting.ts";
import { type Program, type Summary, wrk } from "./speed/comparison.ts";
import { startOurs } from "./speed/participants.ts";

type OverloadMeasured = {
  peak: { perSecond: number; p50: number; p99: number };
  connections: number;
  /** Answers of any kind, as multiples of the peak. */
  offered: number;
  /** 201 a second, and its share of the peak. */
  goodput: { perSecond: number; share: number };
  statuses: Record<string, number>;
  broken: number;
  p50: number;
  p99: number;
  /** Of the server process: before, every five seconds, and ten seconds after; megabytes. */
  resident: { before: number; during: number[]; after: number };
  /** Until a donation takes no longer than at the peak. */
  recoverySeconds: number;
  load: [number, number];
};

type OverloadOptions = { seconds: number; databaseUrl: string | undefined };

const handle = "crowded";
const factor = 3;
const connections = 4_000;
/** Connections that wait for their answer at any moment: what the server lets in at once. */
const waiting = 500;
const usual = 64;
const peakRounds = 3;
const peakSeconds = 8;
const sampleMs = 5_000;

export async function measureOverload({ seconds, databaseUrl }: OverloadOptions, cleanup: Cleanup): Promise<OverloadMeasured> {
  const loadBefore = loadavg()[0] as number;
  const { operator } = await emptySetting(databaseUrl, cleanup);
  await addStreamer(operator, handle);
  const token = await addKey(operator, handle, "write:donations");
  const program = await startOurs({ ...operator.env, LOG_LEVEL: "info" }, cleanup);
  const bursts: Summary[] = [];
  for (let round = -1; round < peakRounds; round += 1) {
    const burst = await burstOf(program, { token, connections: usual, pause: 0, seconds: peakSeconds });
    if (round >= 0) bursts.push(burst); // before: warms up
  }
  const peak = percentile(bursts.map(created), 0.5);
  const slowest = percentile(
    bursts.map(({ p99 }) => p99),
    0.5,
  );
  const resident = { before: await megabytes(program), during: [] as number[], after: 0 };
  const sampling = setInterval(async () => resident.during.push(await megabytes(program)), sampleMs);
  const pause = ((connections / factor - waiting) / peak) * 1_000;
  const burst = await burstOf(program, { token, connections, pause, seconds });
  clearInterval(sampling);
  const recoverySeconds = await recovery(program, token, slowest);
  await sleep(10_000);
  resident.after = await megabytes(program);
  return {
    peak: {
      perSecond: peak,
      p50: percentile(
        bursts.map(({ p50 }) => p50),
        0.5,
      ),
      p99: slowest,
    },
    connections,
    offered: Object.values(burst.statuses).reduce((sum, count) => sum + count, 0) / burst.seconds / peak,
    goodput: { perSecond: created(burst), share: created(burst) / peak },
    statuses: burst.statuses,
    broken: burst.broken,
    p50: burst.p50,
    p99: burst.p99,
    resident,
    recoverySeconds,
    load: [loadBefore, loadavg()[0] as number],
  };
}

type Burst = { token: string; connections: number; pause: number; seconds: number };

function burstOf({ url }: Program, { token, connections, pause, seconds }: Burst): Promise<Summary> {
  const load = { KIND: "create", TOKEN: token, STATUSES: "1", PAUSE: String(pause) };
  return wrk(url, { load, connections, seconds, timeoutSeconds: 10 });
}

function created({ statuses, seconds }: Summary): number {
  return (statuses["201"] ?? 0) / seconds;
}

async function megabytes({ pid }: Program): Promise<number> {
  return (await usageOf(pid))?.megabytes ?? Number.NaN;
}

/** Ten in a row must be as fast as the slowest at the peak. */
async function recovery({ url }: Program, token: string, slowestMs: number): Promise<number> {
  const began = performance.now();
  for (let inRow = 0, backAt = 0; ; ) {
    const { status, ms } = await send(`${url}/api/v1/donations`, token, JSON.stringify({ donatorName: "สมชาย", amount: 100 }));
    const good = status === 201 && ms <= slowestMs;
    if (!good || inRow === 0) backAt = performance.now();
    inRow = good ? inRow + 1 : 0;
    if (inRow === 10) return (backAt - began) / 1_000;
    await sleep(50);
  }
}

/** `growth`: of memory in the second half of the time; in the first half the heap grows to what the load needs. */
const aims = { share: 0.8, growth: 1.1, recoverySeconds: 10 };

/** Returns the text to print, with every aim that was missed. */
export function overloadText(measured: OverloadMeasured, seconds: number): string[] {
  const { peak, connections, offered, goodput, statuses, broken, p50, p99, resident, recoverySeconds, load } = measured;
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  const [most, last] = [Math.max(...resident.during), resident.during.at(-1) as number];
  const halfway = resident.during[Math.floor(resident.during.length / 2)] as number;
  const strange = Object.keys(statuses).filter((status) => !["201", "429", "503"].includes(status));
  const missed = [
    ...(goodput.share < aims.share ? [`goodput below ${aims.share} of the peak`] : []),
    ...(strange.length > 0 ? [`answers ${strange.join(", ")}`] : []),
    ...(last > aims.growth * halfway ? ["memory grows"] : []),
    ...(recoverySeconds > aims.recoverySeconds ? [`not back within ${aims.recoverySeconds} s`] : []),
  ];
  return [
    `Peak with ${usual} connections: ${whole(peak.perSecond)} donations a second, p50 ${peak.p50.toFixed(1)} ms, p99 ${peak.p99.toFixed(1)} ms.`,
    `${connections.toLocaleString("en")} connections for ${seconds} s, ${offered.toFixed(1)} times the peak: ` +
      `${whole(goodput.perSecond)} donations a second, ${goodput.share.toFixed(2)} of the peak; p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of all answers.`,
    `Answers: ${Object.entries(statuses)
      .map(([status, count]) => `${whole(count)} of ${status}`)
      .join(", ")}; ${whole(broken)} without an answer.`,
    `Resident memory: ${whole(resident.before)} MB before, ${resident.during.map(whole).join(" ")} every five seconds (most ${whole(most)}), ${whole(resident.after)} MB ten seconds after.`,
    `Back to the peak's latency after ${recoverySeconds.toFixed(1)} s.`,
    missed.length > 0 ? `Aims missed: ${missed.join(", ")}.` : "Every aim is reached.",
    `Load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} after; server, database and load share the machine.`,
  ];
}
