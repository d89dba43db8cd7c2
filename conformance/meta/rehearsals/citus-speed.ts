// Donations a second of 1,000 streamers on PostgreSQL alone, and on Citus with 1, 2 and 3 workers, each held to a part of a core.
// STREAMERS=1000, SECONDS=20, PART=0.3, NODES=0,1,2,3

import { missingCitus } from "../../suite/servers/citus.ts";
import { measureSpeed, removeGroups } from "../../suite/servers/rehearsals/node-speed.ts";
import { cleanupAtTheEnd } from "../bench/cleanup.ts";
import { operatorEnvironment, requireInstalled } from "./environment.ts";

requireInstalled(await missingCitus());
const env = operatorEnvironment();
const { STREAMERS = 1_000, SECONDS = 20, PART = 0.3, NODES = "0,1,2,3" } = process.env;
const rows = [];
const end = cleanupAtTheEnd();
for (const workers of NODES.split(",").map(Number)) {
  const steps: (() => Promise<unknown>)[] = [];
  const undo = async () => {
    for (const step of steps.splice(0).reverse()) await step();
    await removeGroups();
  };
  end.later(undo);
  const later = (step: () => Promise<unknown>) => void steps.push(step);
  const numbers = { streamers: Number(STREAMERS), seconds: Number(SECONDS), connections: 64, part: Number(PART) };
  rows.push(await measureSpeed({ env, workers, ...numbers, later }).finally(undo));
  console.log(JSON.stringify(rows.at(-1)));
}
console.table(rows);
await end.run();
process.exit(0);
