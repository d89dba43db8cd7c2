// `make bench`, the start part: from the start of the process to the first answer, its database up and migrated.
//   TIMES=30   starts for each number

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, node } from "../../suite/contract/sources.ts";
import { freePort } from "../../suite/servers/start-server.ts";
import type { Cleanup } from "../program.ts";
import { percentile, usageOf } from "./measure.ts";
import { emptySetting } from "./setting.ts";

type Started = {
  ms: number;
  /** Null where the machine does not say. */
  cpuMs: number | null;
  /** At rest. */
  megabytes: number | null;
};

export type StartMeasured = { times: number; withCache: Started; withoutCache: Started; load: [number, number] };

type StartOptions = { times: number; databaseUrl: string | undefined };

/** Both ways in turn. */
export async function measureStart({ times, databaseUrl }: StartOptions, cleanup: Cleanup): Promise<StartMeasured> {
  const loadBefore = loadavg()[0] as number;
  const { operator } = await emptySetting(databaseUrl, cleanup);
  const cache = await mkdtemp(join(tmpdir(), "namjai-bench-compiled-"));
  cleanup.later(() => rm(cache, { recursive: true }));
  const cached = { ...operator.env, NODE_COMPILE_CACHE: cache };
  await startOnce(cached); // fills it
  const [withCache, withoutCache]: [Started[], Started[]] = [[], []];
  for (let round = 0; round < times; round += 1) {
    withoutCache.push(await startOnce(operator.env));
    withCache.push(await startOnce(cached));
  }
  return { times, withCache: median(withCache), withoutCache: median(withoutCache), load: [loadBefore, loadavg()[0] as number] };
}

/** After its first answer a server compiles the validators that nobody has needed yet, and gives back what starting took. */
const restMs = 3_000;

async function startOnce(env: Record<string, string>): Promise<Started> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(node, ["--max-semi-space-size=16", "src/main.ts"], {
    cwd: checkout,
    env: { ...env, PORT: String(port) },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`the server ended at its start with ${child.exitCode}`);
    await sleep(5);
  }
  const ms = performance.now() - began;
  const usage = await usageOf(child.pid as number);
  await sleep(restMs);
  const atRest = await usageOf(child.pid as number);
  child.kill("SIGTERM");
  await exited;
  return { ms, cpuMs: usage && usage.cpuSeconds * 1_000, megabytes: atRest?.megabytes ?? null };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ port, host: "127.0.0.1", path: "/readyz", agent: false }, (message) => {
      message.resume();
      resolve(message.statusCode === 200);
    });
    asked.on("error", () => resolve(false)).end();
  });
}

function median(all: readonly Started[]): Started {
  const middle = (of: (one: Started) => number | null) => {
    const known = all.map(of).filter((value) => value !== null);
    return known.length > 0 ? percentile(known, 0.5) : null;
  };
  return { ms: middle(({ ms }) => ms) as number, cpuMs: middle(({ cpuMs }) => cpuMs), megabytes: middle(({ megabytes }) => megabytes) };
}

export function startText({ times, withCache, withoutCache, load }: StartMeasured): string[] {
  const line = ({ ms, cpuMs, megabytes }: Started) =>
    `${ms.toFixed(0)} ms, of which the processor works ${cpuMs?.toFixed(0) ?? "?"} ms; ${megabytes?.toFixed(0) ?? "?"} MB at rest`;
  return [
    `From the process's start to its first answer, medians of ${times} starts in turn, the database being up:`,
    `with compiled code being kept, as \`npm start\` does: ${line(withCache)};`,
    `without: ${line(withoutCache)}.`,
    `Load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} after.`,
  ];
}
