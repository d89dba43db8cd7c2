// WORKERS=n: n processes that serve on one port, and a new one in the place of each that ends.

import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { Logger } from "pino";
import { unavailableExitCode } from "../db/failures.ts";
import { closeUntaken } from "./cluster-handoff.ts";

export type CrewParts = { size: number; databaseUrl: string; log: Logger /** One ended without being told to. */; onFailure: () => void };

export type Crew = {
  /** Resolves with the port when all serve. Throws when the first one says that it can't, or dies again and again. */
  begin: () => Promise<number>;
  /** Replaces them one after the other, so that there is always one that serves. */
  renew: () => Promise<void>;
  /** Resolves when all have finished what they took, and are gone. */
  stop: () => Promise<void>;
};

/** Before another takes the place of one that failed: doubles with each failure, and begins anew after a calm while. */
const pauseMs = { first: 100, longest: 10_000, calm: 30_000 };
/** Deaths of the first one before any serves: after so many it is no accident. */
const mostDeaths = 5;

/** Longer than the time a worker gives to requests under way. */
const stopMs = 15_000;

/** Only in a process that was started by nobody's `fork`. */
export function makeCrew({ size, databaseUrl, log, onFailure }: CrewParts): Crew {
  let begun = false;
  let stopping = false;
  let failures = 0;
  let giveUp = (_error: Error) => {};

  const launch = (): Worker => {
    const worker = cluster.fork({ DATABASE_URL: databaseUrl });
    closeUntaken(worker);
    const since = performance.now();
    worker.on("error", () => {}); // it went while something was being sent to it; "exit" tells
    worker.on("exit", (code, signal) => {
      if (stopping) return;
      if (code === 0 && begun) return void launch(); // it was told to, by `renew` or by the operator
      failures = performance.now() - since < pauseMs.calm ? failures + 1 : 1;
      const said = code !== null && code !== unavailableExitCode; // why, for all of them: its configuration, or the port
      if (!begun && (said || failures === mostDeaths)) return giveUp(new Error("a worker ended before it could serve"));
      const pause = Math.min(pauseMs.first * 2 ** (failures - 1), pauseMs.longest);
      onFailure();
      log.error({ worker: worker.id, code, signal, pause }, "a worker ended; another takes its place");
      setTimeout(() => stopping || launch(), pause);
    });
    return worker;
  };

  return {
    begin: async () => {
      const gaveUp = new Promise<never>((_, reject) => {
        giveUp = reject;
      });
      const first = once(cluster, "listening") as Promise<[Worker, { port: number }]>;
      launch(); // alone: what keeps it from serving would keep all, and should be said once
      const [, { port }] = await Promise.race([first, gaveUp]);
      begun = true;
      const others = listening(size - 1);
      for (let count = 1; count < size; count += 1) launch();
      await others;
      return port;
    },
    renew: async () => {
      for (const worker of running()) {
        const next = once(cluster, "listening");
        worker.process.kill("SIGTERM");
        await next;
      }
    },
    stop: async () => {
      stopping = true;
      await Promise.all(running().map(stopOne));
    },
  };
}

function running(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

/** Resolves when so many more listen, whichever they are: one that dies on the way is replaced. */
function listening(count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    if (left === 0) resolve();
    cluster.on("listening", () => --left === 0 && resolve());
  });
}

async function stopOne(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, "exit");
  worker.process.kill("SIGTERM");
  const late = setTimeout(() => worker.process.kill("SIGKILL"), stopMs);
  await exited;
  clearTimeout(late);
}
