// `make rehearse-citus`: two server processes on a Citus cluster of a coordinator and two workers, under the load of many streamers. Workers
// are killed in turn and come back, one is frozen, the coordinator is killed, and one is added and gets shards. Then the data of all machines
// is lost and restored. Prints what became of donations and reports.
// KILLS=10 in all, SEED=1, STREAMERS=24. With the word `statements`: which statements ask several shards?

import { missingCitus } from "../../suite/servers/citus.ts";
import { rehearseCitus } from "../../suite/servers/rehearsals/citus.ts";
import { longestGap } from "../../suite/servers/rehearsals/citus-steps.ts";
import { countTasks, findStatementFaults, type Statement } from "../../suite/servers/rehearsals/task-counts.ts";
import { cleanupAtTheEnd } from "../bench/cleanup.ts";
import { operatorEnvironment, requireInstalled } from "./environment.ts";

requireInstalled(await missingCitus());
const env = operatorEnvironment();
const { later, run } = cleanupAtTheEnd();
if (process.argv[2] === "statements") process.exit((await countShards()) ? 0 : 1);
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

/**
 * The statements that a server sends to the coordinator when every operation of the contract is asked for and when it is idle, and how many shards
 * each asks. More than one is a fault, but for those of suite/servers/rehearsals/task-counts.ts.
 */
async function countShards(): Promise<boolean> {
  const counts = await countTasks({ env, later }).finally(run);
  const { requests, scans, idleSeconds } = counts;
  const shown = ({ tasks, calls, pool, text }: Statement) =>
    `${String(tasks).padStart(3)} ${String(calls).padStart(4)}  ${pool}: ${text.slice(0, 900)}`;
  const print = (title: string, statements: readonly Statement[]) =>
    console.log(
      `${title}\n${statements
        .toSorted((a, b) => b.tasks - a.tasks || a.pool.localeCompare(b.pool))
        .map(shown)
        .join("\n")}\n`,
    );
  console.log("shards asked, calls, pool, statement\n");
  print("requests, and what follows them:", requests);
  print("an idle server:", scans);
  const faults = [
    ...counts.refused.map((text) => `refused: ${text}`),
    ...counts.unasked.map((id) => `operation without a request: ${id}`),
    ...findStatementFaults(counts),
  ];
  for (const fault of faults) console.log(fault);
  const manyOf = (statements: readonly Statement[]) => statements.filter(({ tasks }) => tasks > 1).length;
  const perSecond = scans.reduce((sum, { calls }) => sum + calls, 0) / idleSeconds;
  console.log(
    `${requests.length} statements of requests: ${manyOf(requests)} ask more than one shard; ${manyOf(scans)} of ${scans.length} of an idle ` +
      `server do, which sends ${perSecond.toFixed(1)} statements a second`,
  );
  return faults.length === 0;
}
