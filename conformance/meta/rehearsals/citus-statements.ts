// The statements that a server sends to a Citus coordinator when every operation of the contract is asked for and when it is idle, and how
// many shards each asks. More than one is a fault, but for those of suite/servers/rehearsals/task-counts.ts.

import { missingCitus } from "../../suite/servers/citus.ts";
import { countTasks, findStatementFaults, type Statement } from "../../suite/servers/rehearsals/task-counts.ts";
import { cleanupAtTheEnd } from "../bench/cleanup.ts";
import { operatorEnvironment, requireInstalled } from "./environment.ts";

requireInstalled(await missingCitus());
const env = operatorEnvironment();
const { later, run } = cleanupAtTheEnd();
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
process.exit(faults.length === 0 ? 0 : 1);
