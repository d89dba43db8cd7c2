// Which statements a server sends to a Citus coordinator, and how many shards each of them asks: PostgreSQL's auto_explain writes the plan of
// every statement to the coordinator's log.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cliAll, clientCall, clientOf, keyCall, overlayKeyCall, overlayKeyOf } from "../../client/operator.ts";
import { scopes } from "../../contract/contract.ts";
import { smallestFile } from "../../values/media.ts";
import { startCitus } from "../citus.ts";
import { freePort, startServer } from "../start-server.ts";
import { askEverything } from "./every-operation/ask-everything.ts";
import type { Asked, Streamer } from "./every-operation/caller.ts";

type TaskCountOptions = { env: Record<string, string>; later: (undo: () => Promise<unknown>) => void };

/** `tasks`: shards that the statement asked, at most; 0: tables of the coordinator alone. */
export type Statement = Readonly<{ pool: string; text: string; tasks: number; calls: number }>;

/** `requests`: statements that are sent when something is asked for. `scans`: those that an idle server sends as well. */
type TaskCounts = Asked & Readonly<{ requests: readonly Statement[]; scans: readonly Statement[]; idleSeconds: number }>;

/** What stands for the text of a part that Citus runs as a statement of its own. */
const partOfStatement = "(part of a statement)";

/** Longer than the pause of every task that looks for work often. */
const idleMs = 15_000;

export async function countTasks({ env, later }: TaskCountOptions): Promise<TaskCounts> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-plans-"));
  later(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o777);
  const cluster = await startCitus({ coordinatorSettings: explaining(folder) });
  later(cluster.stop);
  const [port, receiver] = [String(await freePort()), await startReceiver(later)];
  const url = `http://127.0.0.1:${port}`;
  const fixed = { HOST: "127.0.0.1", PORT: port, RATE_LIMITS: "off", TTS_URL: receiver, LOG_LEVEL: "error", WEBHOOKS: "local" };
  const all = { ...env, ...fixed, DATA_DIR: join(folder, "data"), DATABASE_URL: cluster.url, DISTRIBUTE: "citus" };
  const server = await startServer(url, all, { log: join(folder, "server.log"), quiet: true });
  later(server.stop);
  const streamer = { url, receiver, ...(await addStreamer(all)) };
  await askEverything(streamer); // the first time, so that streams and roll-ups are there when the server is idle
  await sleep(idleMs);
  const idleFrom = Date.now();
  await sleep(idleMs);
  const askedFrom = Date.now();
  const asked = await askEverything(streamer);
  await sleep(idleMs); // roll-ups, search and deliveries follow
  const plans = await readPlans(folder);
  const scans = statementsOf(plans.filter(({ at }) => at >= idleFrom && at < askedFrom));
  const known = new Set(scans.map(({ text }) => text));
  const requests = statementsOf(plans.filter(({ at }) => at >= askedFrom)).filter(({ text }) => !known.has(text));
  return { requests, scans, idleSeconds: (askedFrom - idleFrom) / 1_000, ...asked };
}

async function addStreamer(env: Record<string, string>): Promise<Omit<Streamer, "url" | "receiver">> {
  const [handle, password, redirectUri] = ["main", randomUUID(), "https://app.example/callback"];
  const client = { name: "Rehearsal", redirectUris: [redirectUri], scopes: "read:donations" };
  const calls = [["streamers", "create", handle], ["streamers", "set-password", handle], keyCall(handle, scopes.join(" "))];
  const outputs = await cliAll({ env, handle }, [...calls, overlayKeyCall(handle), clientCall(client)], ["", password]);
  const [, , key = "", overlay = "", registered = ""] = outputs;
  const { id, secret } = clientOf(client, registered);
  return { env, handle, password, key, overlayKey: overlayKeyOf(overlay), client: { id, secret: String(secret), redirectUri } };
}

const explaining = (folder: string): Record<string, string | number> => ({
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": 0,
  "auto_explain.log_format": "json",
  "auto_explain.log_nested_statements": "off",
  logging_collector: "on",
  log_destination: "jsonlog",
  log_directory: folder,
});

/** Takes events of webhooks, and speaks alerts. */
async function startReceiver(later: TaskCountOptions["later"]): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "Content-Type": "audio/wav" }).end(Buffer.from(smallestFile, "latin1")));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  later(async () => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

type Plan = Readonly<{ at: number; pool: string; text: string; tasks: number }>;

async function readPlans(folder: string): Promise<Plan[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").flatMap(planOf));
}

function planOf(line: string): Plan[] {
  if (!line.includes("plan:\\n")) return [];
  const logged = JSON.parse(line) as { timestamp: string; application_name?: string; message: string };
  const json = JSON.parse(logged.message.slice(logged.message.indexOf("{"))) as { "Query Text": string };
  const text = json["Query Text"].replace(/\s+/g, " ").trim() || partOfStatement;
  return [
    {
      at: Date.parse(`${logged.timestamp.replace(" ", "T").replace(" UTC", "Z")}`),
      pool: logged.application_name ?? "",
      text,
      tasks: tasksIn(json),
    },
  ];
}

/** The greatest number of tasks of a part of the plan. */
function tasksIn(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  const own = (node as { "Task Count"?: number })["Task Count"] ?? 0;
  return Math.max(own, ...Object.values(node).map(tasksIn));
}

function statementsOf(plans: readonly Plan[]): Statement[] {
  const byText = Map.groupBy(
    plans.filter(({ pool }) => pool.startsWith("donations")),
    ({ text }) => text,
  );
  return [...byText.values()].map((own) => ({
    pool: (own[0] as Plan).pool,
    text: (own[0] as Plan).text,
    tasks: Math.max(...own.map(({ tasks }) => tasks)),
    calls: own.length,
  }));
}

// Which statements may ask more than one shard of a distributed database, and how often an idle process may send them.

/** `part`: of the statement's text. `perMinute`: how often an idle process sends it at most, by the pause of its task. */
type OverShards = Readonly<{ part: string; perMinute: number; why: string }>;

/** Tasks that search for streamers with something to do, whom nobody knows before. Each asks for ids, from an index of each shard. */
const scansOverShards: readonly OverShards[] = [
  {
    part: "from goal_watches w join streamers s",
    perMinute: 60,
    why: "goals whose sum may have changed, at most 100 at a time: any process may have recorded the donation",
  },
  {
    part: "from timers t join streamers s",
    perMinute: 60,
    why: "timers that donations may have changed, and those that ran out, at most 100 at a time: any process may have recorded the donation",
  },
  {
    part: "select distinct p.streamer_id from playbacks p join overlays o",
    perMinute: 30,
    why: "alerts that a player has left, at most 200 streamers at a time: its process may have died",
  },
  {
    part: "where (o.settings -> 'approval' is not null or o.settings ->> 'blockedWordAction' = 'hold')",
    perMinute: 30,
    why: "alerts to be held, and those whose time to decide is over, of at most 200 streamers at a time, whether a page is open or not",
  },
  {
    part: partOfStatement,
    perMinute: 60,
    why: "the two sides of the union above, which Citus runs by themselves",
  },
  {
    part: "exists (select from alerts a where a.streamer_id = s.id and a.status = 'queued') order by s.id limit",
    perMinute: 30,
    why: "alerts that have waited too long for a player, of the next 200 streamers: nobody is connected who would look",
  },
  {
    part: "from streamers s left join report_progress p",
    perMinute: 30,
    why: "roll-ups that are behind, at most 1,000 streamers at a time: those of other processes, and folds that failed",
  },
  {
    part: "(select max(last_sequence) from donation_search_blocks b where b.streamer_id = s.id)",
    perMinute: 60,
    why: "streamers with enough donations for a search block, which no table notes; one query for each process and pause",
  },
];

/** Statements that something asked for may send to more than one shard. It may only get shorter. */
const requestsOverShards: readonly Omit<OverShards, "perMinute">[] = [
  {
    part: 'select distinct "speech_id" from "playbacks" where "speech_id" in',
    why: "an erasure, or too much speech of one streamer, deletes audio: alerts of any streamer may share it, which are few and are asked once",
  },
];

/** All statements of an idle process together: every task has its own pause, however many streamers there are. */
const maxIdlePerSecond = 25;

/** What a server must not send, in words. */
export function findStatementFaults({ requests, scans, idleSeconds }: TaskCounts): string[] {
  const wide = scans.filter(({ tasks }) => tasks > 1);
  const all = scans.reduce((sum, { calls }) => sum + calls, 0);
  const listed = [...scansOverShards, ...requestsOverShards];
  return [
    ...requests.filter(asksTooMany(requestsOverShards)).map((one) => `a request asks ${describe(one)}`),
    ...wide.filter(asksTooMany(scansOverShards)).map((one) => `an idle server asks ${describe(one)}`),
    ...scansOverShards.flatMap((one) => findTooOften(one, wide, idleSeconds)),
    ...(all > maxIdlePerSecond * idleSeconds ? [`an idle server sends ${all} statements in ${idleSeconds} s`] : []),
    ...listed
      .filter((one) => ![...requests, ...wide].some(isOf(one)))
      .map(({ part }) => `no statement has: ${part}; take it out of the list`),
  ];
}

const isOf =
  ({ part }: Pick<OverShards, "part">) =>
  ({ text }: Statement): boolean =>
    text.includes(part);

const asksTooMany =
  (listed: readonly Pick<OverShards, "part">[]) =>
  (statement: Statement): boolean =>
    statement.tasks > 1 && !listed.some((one) => isOf(one)(statement));

/** One call more than the pause allows: the time that is watched may begin and end with one. */
function findTooOften(listed: OverShards, scans: readonly Statement[], seconds: number): string[] {
  const calls = scans.filter(isOf(listed)).reduce((sum, one) => sum + one.calls, 0);
  const most = Math.ceil((listed.perMinute / 60) * seconds) + 2;
  return calls > most ? [`an idle server sends ${calls} instead of at most ${most} times in ${seconds} s: ${listed.part}`] : [];
}

const describe = ({ tasks, pool, text }: Statement): string => `${tasks} shards (${pool}): ${text.slice(0, 300)}`;
