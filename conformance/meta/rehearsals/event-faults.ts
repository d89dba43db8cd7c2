// `make event-faults`: subscribers of events that are cut at random while writers record, alerts move, and server processes and database are
// killed. What each received is compared with the list at the end.
//   CUTS=10000       until so many streams were cut, or readers paused (1,000)      PROCESSES=2      server processes (1)
//   KILLS=50         instead: server processes that are killed so many times in the middle of a delivery by webhook; ENDPOINTS=3
//   SEED=1           chooses the cuts, but not their moments                        KILL_SECONDS=8   mean time between two kills

import { cutAtRandom } from "../../suite/servers/cuts/cuts.ts";
import { killInDelivery } from "../../suite/servers/cuts/webhook-kills.ts";
import { operatorEnvironment } from "./environment.ts";

const number = (name: string, fallback: number): number => Number(process.env[name] || fallback);

const env = { ...operatorEnvironment(), HOST: "127.0.0.1", RATE_LIMITS: "off" };
const shared = { operator: { env }, processes: number("PROCESSES", 1), seed: number("SEED", 1), report: console.log };
const began = Date.now();
const measured = process.env.KILLS ? await kill() : await cut();
console.log(JSON.stringify({ seconds: Math.round((Date.now() - began) / 1_000), ...measured }, null, 2));
if (measured.breaches > 0) process.exitCode = 1;

async function cut() {
  const sizes = { cuts: number("CUTS", 1_000), streamers: number("STREAMERS", 3), subscribers: 12 };
  const found = await cutAtRandom({ ...shared, ...sizes, killMs: number("KILL_SECONDS", 8) * 1_000, cutMs: number("CUT_MS", 600) });
  return { ...found, breaches: found.missed + found.doubled + found.misplaced };
}

async function kill() {
  const found = await killInDelivery({ ...shared, kills: number("KILLS", 50), endpoints: number("ENDPOINTS", 3) });
  return { ...found, breaches: found.lost + found.changed + found.renamed };
}
