// Two servers on one database, the donations that are posted to them while something fails, and what became of each: one that is answered 503
// was not recorded and is posted again.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { freePort, type Server, startServer } from "../start-server.ts";

export type Load = {
  /** Resolves to the time, by `performance.now()`, of the first acknowledgement of a donation that was posted after this time. */
  acknowledgedSince: (time: number) => Promise<number>;
  /** Resolves when every donation that was posted is settled. */
  stop: () => Promise<void>;
  counted: () => Counted;
};

export type Counted = Readonly<{
  /** All donations, whatever became of them. */
  posted: number;
  acknowledged: number;
  refused: number;
  /** Donations of which an answer was 500 or broke off: whether it was recorded was unknown. With an idempotency key it was posted again. */
  unknown: number;
  answered500: number;
  /** Not answered: the connection was refused or broke off, so the outcome is unknown as well. */
  broken: number;
  /** Other answers. */
  unexpected: readonly string[];
  /** Acknowledged donations that a process did not find right afterwards. */
  unread: number;
  /** Milliseconds in which donations were refused and none was acknowledged: of all such times, and of the longest. */
  away: { sum: number; longest: number };
}>;

/** A donation is named by its message. */
type Posted = { message: string; acknowledged: boolean; unknown: boolean };

type State = Target & {
  isOver: boolean;
  posted: Posted[];
  refused: number;
  broken: number;
  answered500: number;
  unexpected: string[];
  unread: number;
  away: { since: number | null; sum: number; longest: number };
  awaited: { since: number; resolve: (time: number) => void }[];
};

/**
 * `urls`: the processes that serve now, asked before each request. `key`: of the streamer; with `reads` it needs read:donations, and each
 * acknowledged donation is read from the next process.
 */
export type Target = { urls: () => readonly string[]; key: string; reads?: boolean };

/** Each writer posts one donation after the other, to the processes in turn. Every second donation has an idempotency key. */
export function startLoad({ writers, ...target }: Target & { writers: number }): Load & Verifier {
  const away = { since: null, sum: 0, longest: 0 };
  const state: State = {
    ...target,
    isOver: false,
    posted: [],
    refused: 0,
    broken: 0,
    answered500: 0,
    unexpected: [],
    unread: 0,
    away,
    awaited: [],
  };
  const running = Promise.all(Array.from({ length: writers }, (_, number) => write(state, number)));
  return {
    acknowledgedSince: (since) => new Promise((resolve) => state.awaited.push({ since, resolve })),
    stop: async () => {
      state.isOver = true;
      await running;
    },
    counted: () => ({
      posted: state.posted.length,
      acknowledged: state.posted.filter(({ acknowledged }) => acknowledged).length,
      refused: state.refused,
      broken: state.broken,
      answered500: state.answered500,
      unread: state.unread,
      unknown: state.posted.filter(({ unknown }) => unknown).length,
      unexpected: state.unexpected,
      away: { sum: Math.round(state.away.sum), longest: Math.round(state.away.longest) },
    }),
    verify: (database) => verify(state, database),
  };
}

type Verifier = {
  /** Compares every answer with the rows of the database. */
  verify: (database: pg.Client) => Promise<Deviations>;
};

export type Deviations = Readonly<{
  /** Acknowledged and not there. */
  lost: number;
  /** There more than once. */
  doubled: number;
  /** Recorded although every answer said that it is not. */
  unasked: number;
}>;

/**
 * At the end, of the whole time. `unexpected`: answers of another status than a load expects, and acknowledged donations that another process
 * did not find. `stored`, `reported`: donations, and those that reports count.
 */
export type Verified = Deviations & Readonly<{ acknowledged: number; unexpected: readonly string[]; stored: number; reported: number }>;

async function write(state: State, number: number): Promise<void> {
  for (let turn = number; !state.isOver; turn += 1) {
    const donation: Posted = { message: randomUUID(), acknowledged: false, unknown: false };
    state.posted.push(donation);
    const isKeyed = turn % 2 === 0;
    const body = { donatorName: "Somsri", amount: 1, message: donation.message, ...(isKeyed && { idempotencyKey: donation.message }) };
    while (!donation.acknowledged && (isKeyed || !donation.unknown)) await post(state, donation, body, turn);
  }
}

async function post(state: State, donation: Posted, body: object, turn: number): Promise<void> {
  const sentAt = performance.now();
  const answer = await request(state, turn, "/api/v1/donations", body);
  if (answer?.status === 201 || answer?.status === 200) {
    donation.acknowledged = true;
    endAway(state.away);
    endAwaited(state, sentAt);
    if (state.reads) await read(state, turn + 1, answer.headers.get("location") ?? "");
    return;
  }
  if (answer === null) state.broken += 1;
  if (answer?.status === 500) state.answered500 += 1;
  if (answer === null || answer.status === 500) donation.unknown = true;
  else if (answer.status === 503) state.refused += 1;
  else if (answer.status !== 409) state.unexpected.push(`${answer.status}`);
  state.away.since ??= performance.now();
  await sleep(20);
}

async function read(state: State, turn: number, path: string): Promise<void> {
  const answer = await request(state, turn, new URL(path, "http://any").pathname);
  if (answer?.status === 404) state.unread += 1;
}

/** The answer, whose body is read; null when there was none. */
async function request({ urls, key }: State, turn: number, path: string, body?: object): Promise<Response | null> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const serving = urls();
  const send = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const answer = await fetch(`${serving[turn % serving.length]}${path}`, { ...send, headers }).catch(() => null);
  await answer?.arrayBuffer().catch(() => null);
  return answer;
}

function endAwaited(state: State, sentAt: number): void {
  for (const { since, resolve } of state.awaited) if (since < sentAt) resolve(performance.now());
  state.awaited = state.awaited.filter(({ since }) => since >= sentAt);
}

function endAway(away: State["away"]): void {
  if (away.since === null) return;
  const took = performance.now() - away.since;
  Object.assign(away, { since: null, sum: away.sum + took, longest: Math.max(away.longest, took) });
}

/**
 * Lost: acknowledged and not there. Doubled: there more than once. Unasked: there, although every answer said that it is not; while donations
 * are posted, those under way count as well.
 */
async function verify({ posted }: State, database: pg.Client): Promise<Deviations> {
  const acknowledged = posted.filter((donation) => donation.acknowledged);
  const { rows } = await database.query<{ message: string; count: number }>(
    "select message, count(*)::int as count from donations group by 1",
  );
  const stored = new Map(rows.map(({ message, count }) => [message, count]));
  const times = ({ message }: Posted): number => stored.get(message) ?? 0;
  return {
    lost: acknowledged.filter((donation) => times(donation) === 0).length,
    doubled: posted.filter((donation) => times(donation) > 1).length,
    unasked: posted.filter((donation) => !donation.acknowledged && !donation.unknown && times(donation) > 0).length,
  };
}

// Starts two server processes on one database, for rehearsals.

/** Adds what is undone at the end, the last one first. */
export type Later = (undo: () => Promise<unknown>) => void;

type Env = Readonly<Record<string, string>>;

/** `env`: with which the operator's CLI runs beside them. `logs`: the files of their output. */
export type TwoServers = { urls: string[]; logs: string[]; env: Record<string, string> };

/** Starts two server processes on one database, without rate limits and speech. `env`: of the operator. `own`: `DATABASE_URL`, and more. */
export async function startTwoServers(env: Env, own: Env, later: Later): Promise<TwoServers> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-rehearsal-"));
  later(() => rm(folder, { recursive: true }));
  const fixed = { HOST: "127.0.0.1", RATE_LIMITS: "off", TTS: "off", LOG_LEVEL: "error", DATA_DIR: folder, NOTIFIER: "postgres" };
  const shared = { ...env, ...fixed, ...own };
  const [urls, logs]: [string[], string[]] = [[], []];
  for (const number of [1, 2]) {
    const [port, log] = [String(await freePort()), join(folder, `server-${number}.log`)];
    const url = `http://127.0.0.1:${port}`;
    const server: Server = await startServer(url, { ...shared, PORT: port, BASE_URL: url }, { log, quiet: true });
    later(server.stop);
    urls.push(url);
    logs.push(log);
  }
  return { urls, logs, env: shared };
}

/** The number of donations that the streamer's report has. */
export async function countReported(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/donations/stats`, { headers: { Authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: { count: number } }).data.count;
}
