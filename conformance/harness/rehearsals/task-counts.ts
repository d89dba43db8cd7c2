// Which statements a server sends to a Citus coordinator, and how many shards each of them asks: PostgreSQL's auto_explain writes the plan of
// every statement to the coordinator's log.

import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { startCitus } from "../server/citus.ts";
import { freePort } from "../server/free-port.ts";
import { cliAll, keyCall, overlayKeyCall, overlayKeyOf } from "../server/operator.ts";
import { startServer } from "../server/start-server.ts";

export type TaskCountOptions = { env: Record<string, string>; later: (undo: () => Promise<unknown>) => void };

/** `tasks`: shards that the statement asked, at most; 0: tables of the coordinator alone. */
export type Statement = Readonly<{ pool: string; text: string; tasks: number; calls: number }>;

/** `requests`: statements that are sent when something is asked for. `scans`: those that an idle server sends as well. */
export type TaskCounts = Readonly<{ requests: readonly Statement[]; scans: readonly Statement[]; refused: readonly string[] }>;

const scopes = "write:donations read:donations void:donations write:alerts read:alerts write:webhooks";
/** Longer than the pause of every task that looks for work. */
const idleMs = 15_000;

export async function countTasks({ env, later }: TaskCountOptions): Promise<TaskCounts> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-plans-"));
  later(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o777);
  const cluster = await startCitus({ coordinatorSettings: explaining(folder) });
  later(cluster.stop);
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const fixed = { HOST: "127.0.0.1", PORT: port, RATE_LIMITS: "off", TTS: "off", LOG_LEVEL: "error", WEBHOOKS: "local" };
  const all = { ...env, ...fixed, DATA_DIR: join(folder, "data"), DATABASE_URL: cluster.url, DISTRIBUTE: "citus" };
  const server = await startServer(url, all, { log: join(folder, "server.log"), quiet: true });
  later(server.stop);
  const calls = [["streamers", "create", "main"], keyCall("main", scopes), overlayKeyCall("main")];
  const [, key = "", overlay = ""] = await cliAll({ env: all, handle: "main" }, calls);
  await ask(url, key, overlayKeyOf(overlay)); // the first time, so that streams and roll-ups are there when the server is idle
  const idleFrom = Date.now();
  await sleep(idleMs);
  const askedFrom = Date.now();
  const refused = await ask(url, key, overlayKeyOf(overlay));
  await sleep(5_000); // roll-ups, search and deliveries follow
  const plans = await readPlans(folder);
  const scans = statementsOf(plans.filter(({ at }) => at >= idleFrom && at < askedFrom));
  const known = new Set(scans.map(({ text }) => text));
  const requests = statementsOf(plans.filter(({ at }) => at >= askedFrom)).filter(({ text }) => !known.has(text));
  return { requests, scans, refused };
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

/** Asks for everything that is asked for often. Resolves to what was not answered with success. */
async function ask(url: string, key: string, overlayKey: string): Promise<string[]> {
  const refused: string[] = [];
  const send = async (method: string, path: string, body?: unknown, type = "application/json"): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${key}`, ...(body ? { "Content-Type": type } : {}) };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
    });
    if (!answer.ok) refused.push(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    else if (answer.headers.get("content-type")?.includes("json")) return answer.json();
    else if (!answer.headers.get("content-type")?.includes("event-stream")) await answer.arrayBuffer();
    return answer;
  };
  const get = (path: string) => send("GET", path);
  const donations = "/api/v1/donations";
  const donation = { donatorName: "Somsri", amount: 5, message: "สวัสดี" };
  const watching = new AbortController();
  const headers = { Authorization: `Bearer ${overlayKey}` };
  const stream = await fetch(`${url}/api/v1/overlay/stream?player=rehearsal&plays=true`, { headers, signal: watching.signal });
  if (stream.status !== 200) refused.push(`overlay: ${stream.status}`);
  const { data } = (await send("POST", donations, donation)) as { data: { id: string } };
  const keyed = { ...donation, idempotencyKey: crypto.randomUUID(), identifier: "somsri" };
  for (const _ of [1, 2]) await send("POST", donations, keyed);
  await send(
    "POST",
    `${donations}/batch`,
    `${JSON.stringify({ ...donation, createdAt: "2020-01-01T00:00:00Z" })}\n`,
    "application/x-ndjson",
  );
  const reports = ["stats", "top-donators", "breakdown", "trends/amount?interval=day", "trends/count?interval=day", "export"];
  const sorts = ["createdAt", "-receivedAt", "amount"].map((sort) => `?sort=${sort}`);
  for (const path of ["", ...sorts, `/${data.id}`, "/search?q=somsri", ...reports.map((report) => `/${report}`)])
    await get(`${donations}${path}`);
  await send("POST", `${donations}/${data.id}/void`, { reason: "mistake" });
  for (const path of ["me", "alerts", "alerts/settings", "events?limit=5", "webhooks"]) await get(`/api/v1/${path}`);
  for (const action of ["pause", "resume"]) await send("POST", `/api/v1/alerts/${action}`, {});
  await sleep(2_000); // an alert begins
  watching.abort();
  return refused;
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
  const text = json["Query Text"].replace(/\s+/g, " ").trim();
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
