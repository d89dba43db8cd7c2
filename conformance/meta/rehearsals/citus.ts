// `make rehearse-citus`: two server processes on a Citus cluster of a coordinator and two workers, under the load of many streamers. Workers
// are killed in turn and come back, one is frozen, the coordinator is killed, and one is added and gets shards. Then the data of all machines
// is lost and restored. Prints what became of donations and reports.
// KILLS=10 in all, SEED=1, STREAMERS=24.

import { missingCitus } from "../../suite/servers/citus.ts";
import { rehearseCitus } from "../../suite/servers/rehearsals/citus.ts";
import { longestGap } from "../../suite/servers/rehearsals/citus-steps.ts";
import { cleanupAtTheEnd } from "../bench/cleanup.ts";
import { operatorEnvironment, requireInstalled } from "./environment.ts";

requireInstalled(await missingCitus());
const env = operatorEnvironment();
const { later, run } = cleanupAtTheEnd();
const kills = Number(process.env.KILLS || 10);
const { rows, restored, ...before } = await rehearseCitus({
  later,
  env,
  kills,
  seed: Number(process.env.SEED || 1),
  streamers: Number(process.env.STREAMERS || 24),
  onRow: ({ step, seconds, others }) => console.log(`${step}: ${seconds} s; all streamers of other shards went on after ${others} s`),
}).finally(run);
console.table(rows);

/** Prints what is in the database; returns whether it is what was acknowledged. */
function isSound(when: string, { acknowledged, lost, doubled, unasked, unexpected, stored, reported, verified }: typeof restored): boolean {
  console.log(`${when}: acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}; reports have ${reported} of ${stored} donations`);
  console.log(`database verify: ${verified}`);
  for (const text of new Set(unexpected)) console.log(`unexpected: ${text}`);
  if (unasked > 0) console.log(`recorded after a refusal: ${unasked}`);
  return lost + doubled + unasked + unexpected.length === 0 && reported === stored;
}

const areSound = [isSound("after all steps", before), isSound("all machines lost and restored", restored)];
console.log(`${before.movedShards} shards of donations are on the added worker`);
const others = rows.every((row) => row.refusedElsewhere + row.unknownElsewhere === 0 && row.others < longestGap);
process.exit(areSound.every(Boolean) && others && before.movedShards > 0 ? 0 : 1);
