// `make event-faults`: subscribers of events that are cut at random while writers record, alerts move, and server processes and database are
// killed. What each received is compared with the list at the end.
//   CUTS=10000       until so many streams were cut, or readers paused (1,000)      PROCESSES=2      server processes (1)
//   SEED=1           chooses the cuts, but not their moments                        KILL_SECONDS=8   mean time between two kills

import { cutAtRandom } from "../harness/events/cuts/cuts.ts";
import { compileCache } from "../harness/server/serve.ts";

const number = (name: string, fallback: number): number => Number(process.env[name] || fallback);

const inherited = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR)$/.test(name));
const env = {
  ...(Object.fromEntries(inherited) as Record<string, string>),
  HOST: "127.0.0.1",
  RATE_LIMITS: "off",
  NODE_COMPILE_CACHE: compileCache,
};
const began = Date.now();
const measured = await cutAtRandom({
  operator: { env },
  cuts: number("CUTS", 1_000),
  processes: number("PROCESSES", 1),
  streamers: number("STREAMERS", 3),
  subscribers: 12,
  seed: number("SEED", 1),
  killMs: number("KILL_SECONDS", 8) * 1_000,
  cutMs: number("CUT_MS", 600),
  report: console.log,
});
console.log(JSON.stringify({ seconds: Math.round((Date.now() - began) / 1_000), ...measured }, null, 2));
const { missed, doubled, misplaced } = measured;
if (missed + doubled + misplaced > 0) process.exitCode = 1;
