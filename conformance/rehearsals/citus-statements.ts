// The statements that a server sends to a Citus coordinator, and how many shards each asks. Those of requests must ask one at most.

import { cleanupAtTheEnd } from "../bench/cleanup.ts";
import { countTasks, type Statement } from "../harness/rehearsals/task-counts.ts";
import { missingCitus } from "../harness/server/citus.ts";
import { operatorEnvironment, requireInstalled } from "./environment.ts";

requireInstalled(await missingCitus());
const env = operatorEnvironment();
const { later, run } = cleanupAtTheEnd();
const { requests, scans, refused } = await countTasks({ env, later }).finally(run);

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
for (const text of refused) console.log(`refused: ${text}`);
const many = requests.filter(({ tasks }) => tasks > 1);
console.log(
  `${requests.length} statements of requests: ${many.length} ask more than one shard; ${scans.filter(({ tasks }) => tasks > 1).length} of ${scans.length} of an idle server do`,
);
process.exit(many.length + refused.length === 0 ? 0 : 1);
