// `make event-faults`, `rehearse-pooler` and `rehearse-citus`: servers under load while processes, connections and machines are killed. Prints what was
// lost, doubled or refused. SEED=1 chooses what is killed, but not the moment.
//   events       Subscribers of events that are cut at random while writers record, alerts move, and server processes and database are killed. What
//                each received is compared with the list at the end. CUTS=10000 until so many streams were cut, or readers paused (1,000);
//                PROCESSES=2 server processes (1); KILL_SECONDS=8 mean time between two kills. KILLS=50 instead: server processes are killed so
//                many times in the middle of a delivery by webhook; ENDPOINTS=3
//   pooler       Two server processes behind PgBouncer in transaction mode, whose connections, PostgreSQL and PgBouncer are killed in the middle
//                of commits. KILLS=20 of each kind
//   citus        Two server processes on a Citus cluster of a coordinator and two workers, under the load of many streamers. Workers are killed in
//                turn and come back, one is frozen, the coordinator is killed, and one is added and gets shards. Then the data of all machines is
//                lost and restored. KILLS=10 in all, STREAMERS=24
//   statements   Which statements ask several shards of Citus?

import { missingCitus } from "../../suite/servers/citus.ts";
import { cutAtRandom } from "../../suite/servers/cuts/cuts.ts";
import { killInDelivery } from "../../suite/servers/cuts/webhook-kills.ts";
import { rehearseCitus } from "../../suite/servers/rehearsals/citus.ts";
import { longestGap } from "../../suite/servers/rehearsals/citus-steps.ts";
import { isPoolerInstalled, rehearsePooler } from "../../suite/servers/rehearsals/pooler.ts";
import { countTasks, findStatementFaults, type Statement } from "../../suite/servers/rehearsals/task-counts.ts";
import { cleanupAtTheEnd, operatorEnvironment, requireInstalled } from "../program.ts";

type Restored = Awaited<ReturnType<typeof rehearseCitus>>["restored"];

const number = (name: string, fallback: number): number => Number(process.env[name] || fallback);

const env = operatorEnvironment();
const seed = number("SEED", 1);
const operator = { env: { ...env, HOST: "127.0.0.1", RATE_LIMITS: "off" } };
const subscribing = { operator, processes: number("PROCESSES", 1), seed, report: console.log };
const rehearsals: Record<string, () => Promise<boolean>> = { events, pooler, citus, statements };
const rehearse = rehearsals[process.argv[2] ?? ""];
if (!rehearse) console.error(`conformance/meta/rehearsals/main.ts ${Object.keys(rehearsals).join(" | ")}`);
process.exit(rehearse ? ((await rehearse()) ? 0 : 1) : 64);

async function events(): Promise<boolean> {
  const began = Date.now();
  const measured = process.env.KILLS ? await killSenders() : await cutStreams();
  console.log(JSON.stringify({ seconds: Math.round((Date.now() - began) / 1_000), ...measured }, null, 2));
  return measured.breaches === 0;
}

async function cutStreams() {
  const sizes = { cuts: number("CUTS", 1_000), streamers: number("STREAMERS", 3), subscribers: 12 };
  const found = await cutAtRandom({ ...subscribing, ...sizes, killMs: number("KILL_SECONDS", 8) * 1_000, cutMs: number("CUT_MS", 600) });
  return { ...found, breaches: found.missed + found.doubled + found.misplaced };
}

async function killSenders() {
  const found = await killInDelivery({ ...subscribing, kills: number("KILLS", 50), endpoints: number("ENDPOINTS", 3) });
  return { ...found, breaches: found.lost + found.changed + found.renamed };
}

async function pooler(): Promise<boolean> {
  requireInstalled(isPoolerInstalled() ? null : "there is no pgbouncer (apt-get install pgbouncer)");
  const rows = await rehearsePooler({ env, kills: number("KILLS", 20), seed });
  console.table(Object.fromEntries(rows.map(({ kind, ...row }) => [kind, row])));
  const breaches = rows.reduce((sum, { lost, doubled, unasked, unexpected }) => sum + lost + doubled + unasked + unexpected, 0);
  console.log(breaches === 0 ? "0 acknowledged lost, 0 doubled" : `${breaches} breaches`);
  return breaches === 0;
}

async function citus(): Promise<boolean> {
  requireInstalled(await missingCitus());
  const { later, run } = cleanupAtTheEnd();
  const { rows, restored, ...before } = await rehearseCitus({
    later,
    env,
    kills: number("KILLS", 10),
    seed,
    streamers: number("STREAMERS", 24),
    onRow: ({ step, seconds, others }) => console.log(`${step}: ${seconds} s; all streamers of other shards went on after ${others} s`),
  }).finally(run);
  console.table(rows);
  const areSound = [isSound("after all steps", before), isSound("all machines lost and restored", restored)];
  console.log(`${before.movedShards} shards of donations are on the added worker`);
  const others = rows.every((row) => row.refusedElsewhere + row.unknownElsewhere === 0 && row.others < longestGap);
  return areSound.every(Boolean) && others && before.movedShards > 0;
}

/** Prints what is in the database; returns whether it is what was acknowledged. */
function isSound(when: string, { acknowledged, lost, doubled, unasked, unexpected, stored, reported, verified }: Restored): boolean {
  console.log(`${when}: acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}; reports have ${reported} of ${stored} donations`);
  console.log(`database verify: ${verified}`);
  for (const text of new Set(unexpected)) console.log(`unexpected: ${text}`);
  if (unasked > 0) console.log(`recorded after a refusal: ${unasked}`);
  return lost + doubled + unasked + unexpected.length === 0 && reported === stored;
}

/**
 * The statements that a server sends to the coordinator when every operation of the contract is asked for and when it is idle, and how many shards
 * each asks. More than one is a fault, but for those of suite/servers/rehearsals/task-counts.ts.
 */
async function statements(): Promise<boolean> {
  requireInstalled(await missingCitus());
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
  return faults.length === 0;
}
