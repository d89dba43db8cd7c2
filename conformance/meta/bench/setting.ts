// A fresh database with two histories of the same density among fifty small ones, and the server of this checkout on it.

import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { addKey, addStreamer, cli, cliApart } from "../../suite/client/operator.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { createDatabase, databaseUrl } from "../../suite/servers/database.ts";
import { freePort } from "../../suite/servers/free-port.ts";
import { type Server, startServer } from "../../suite/servers/start-server.ts";
import type { Operator } from "../../suite/values/target.ts";
import { rollUpAtOnce } from "./bulk-roll-ups.ts";
import type { Cleanup } from "./cleanup.ts";
import { type History, prepareWords, seed, withFewIndexes } from "./seed.ts";

export type Side = "smaller" | "larger";
export const sides: readonly Side[] = ["smaller", "larger"];

export type Setting = {
  rows: Record<Side, number>;
  /** Of both histories, and of two streamers for what is recorded meanwhile, so that the histories stay as they are. */
  keys: Record<Side | "busy" | "busier", string>;
  /** What seeding and catching up took. */
  notes: string[];
  client: pg.Client;
  /** Starts the server; `env` adds to its environment. */
  serve: (env?: Record<string, string>) => Promise<Server & { url: string }>;
  databaseUrl: string;
  /** For the command line. */
  operator: Operator;
};

type Options = {
  rows: Record<Side, number>;
  /** PostgreSQL to make the database on; unset: embedded, in a directory of its own. */
  databaseUrl: string | undefined;
  /** A data directory that an earlier run has kept. */
  reuse: string | undefined;
  keep: boolean;
};

const smallStreamers = 50;

/** The folder of results. */
export const results = join(checkout, "bench-results");

/** Adds everything that it creates to `cleanup`, so that the database is dropped at the end, unless it is to be kept. */
export async function prepare({ rows, databaseUrl: given, reuse, keep }: Options, cleanup: Cleanup): Promise<Setting> {
  const { env, serve, first, url, client } = await open({ databaseUrl: given, reuse, keep }, cleanup);
  const operator = { env, handle: "smaller" };
  const notes: string[] = [];
  if (!reuse) {
    for (const handle of ["smaller", "larger", "busy", "busier"]) await addStreamer(operator, handle);
    await seedSmall(client, { handle: "smaller", rows: rows.smaller }, notes);
  }
  await first.stop(); // the bench's own connection keeps an embedded PostgreSQL up
  const connect = () => connected(url);
  if (!reuse)
    await seedLarge(
      client,
      { handle: "larger", rows: rows.larger },
      () => rebuild(operator, { notes, rows: rows.larger, connect, ended: cleanup.ended }),
      notes,
    );
  const key = (handle: string) => addKey(operator, handle, "write:donations read:donations");
  return {
    rows: { smaller: await countOf(client, "smaller"), larger: await countOf(client, "larger") },
    keys: { smaller: await key("smaller"), larger: await key("larger"), busy: await key("busy"), busier: await key("busier") },
    notes,
    client,
    serve,
    databaseUrl: url,
    operator,
  };
}

/** A fresh database without anything, and a server that made its tables. */
export type EmptySetting = Pick<Setting, "client" | "serve" | "databaseUrl" | "operator">;

export async function emptySetting(databaseUrl: string | undefined, cleanup: Cleanup): Promise<EmptySetting> {
  const { env, serve, first, url, client } = await open({ databaseUrl, reuse: undefined, keep: false }, cleanup);
  await first.stop(); // the bench's own connection keeps an embedded PostgreSQL up
  return { client, serve, databaseUrl: url, operator: { env, handle: "" } };
}

/** The database with the bench's own connection to it, and a first server, which runs. */
async function open({ databaseUrl: given, reuse, keep }: Omit<Options, "rows">, cleanup: Cleanup) {
  const database = reuse ? { env: { DATA_DIR: reuse }, drop: async () => {} } : await createDatabase(given);
  const { DATA_DIR: dataDir } = database.env as Record<string, string | undefined>;
  cleanup.later(() => (keep && dataDir ? console.log(`Kept. Measure it again with REUSE=${dataDir}`) : database.drop()));
  const env = { ...environment(), ...database.env };
  // Every program stops an embedded PostgreSQL that nobody else is connected to.
  if (dataDir) cleanup.later(() => cli({ env, handle: "" }, "streamers", "list"));
  await mkdir(results, { recursive: true });
  const serve = server(env, cleanup);
  const first = await serve();
  const url = await databaseUrl(env);
  const client = await connected(url);
  cleanup.later(() => client.end());
  return { env, serve, first, url, client };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", (error) => console.error(`the bench's own connection: ${error.message}`));
  await client.connect();
  return client;
}

/** Starts the server on a port of its own; it is stopped at the end if it still runs. */
function server(env: Record<string, string>, cleanup: Cleanup): Setting["serve"] {
  return async (added = {}) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const starting = startServer(url, { ...env, PORT: String(port), ...added }, { log: join(results, "server.log") });
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= starting.then((started) => started.stop()));
    cleanup.later(stop);
    return { ...(await starting), url, stop };
  };
}

function environment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR|PG.*)$/.test(name));
  const fixed = { HOST: "127.0.0.1", LOG_LEVEL: "warn", RATE_LIMITS: "off", NODE_OPTIONS: "--max-semi-space-size=16" }; // as `npm start`
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...fixed };
}

/** The workers of the running server process the donations. */
async function seedSmall(client: pg.Client, history: History, notes: string[]): Promise<void> {
  await prepareWords(client);
  await client.query(
    `with made as (insert into streamers (id) select unnest($1::uuid[]))
     insert into streamer_handles (streamer_id, handle) select u, 'other-' || n from unnest($1::uuid[]) with ordinality as o(u, n)`,
    [Array.from({ length: smallStreamers }, () => randomUUID())],
  );
  for (let number = 1; number <= smallStreamers; number += 1) await seed(client, { handle: `other-${number}`, rows: number * 20 });
  await timed(notes, `seeded ${count(history.rows)} donations`, history.rows, () => seed(client, history));
  await timed(notes, `the server's roll-up worker took ${count(history.rows)} in`, history.rows, () => caughtUp(client, history, rolledUp));
  await timed(notes, `the server's search worker took ${count(history.rows)} in, counted from then on`, history.rows, () =>
    caughtUp(client, history, indexed),
  );
}

/** The server is stopped, as for an import: the rebuild commands process the donations. */
async function seedLarge(client: pg.Client, history: History, takeUp: () => Promise<void>, notes: string[]): Promise<void> {
  await timed(notes, `seeded ${count(history.rows)} donations`, history.rows, () => withFewIndexes(client, () => seed(client, history)));
  await takeUp();
  await timed(notes, "vacuum analyze, checkpoint", null, async () => {
    await client.query("vacuum analyze");
    await client.query("checkpoint").catch(() => {}); // not everybody may
  });
}

/** A longer history is rolled up in bulk: to fold it would take hours. */
const maxFolded = 5_000_000;
const bulkConnections = 4;

type Rebuilt = { notes: string[]; rows: number; connect: () => Promise<pg.Client>; ended: AbortSignal };

async function rebuild(operator: Operator, { notes, rows, connect, ended }: Rebuilt): Promise<void> {
  const one = (title: string, work: () => Promise<unknown>) => timed(notes, title, rows, work);
  await Promise.all([
    rows <= maxFolded
      ? one("reports rebuild --streamer larger", () => cliApart(operator, ["reports", "rebuild", "--streamer", "larger"], ended))
      : one("rolled up in bulk", () => rollUpAtOnce(connect, ["larger"], bulkConnections)),
    one("search rebuild (all streamers), at the same time", () => cliApart(operator, ["search", "rebuild"], ended)),
  ]);
}

const rolledUp =
  "select coalesce((select rolled_sequence from report_progress where streamer_id = h.streamer_id), 0) as reached from streamer_handles h where handle = $1";
const indexed =
  "select coalesce(max(last_sequence), 0) + 255 as reached from donation_search_blocks where streamer_id = (select streamer_id from streamer_handles where handle = $1)";

/** Waits until the server's workers have processed all donations. */
export async function untilCaughtUp(client: pg.Client, history: History): Promise<void> {
  await caughtUp(client, history, rolledUp);
  await caughtUp(client, history, indexed);
}

async function caughtUp(client: pg.Client, { handle, rows }: History, question: string): Promise<void> {
  for (;;) {
    const answer = await client.query(question, [handle]);
    if (Number(answer.rows[0].reached) >= rows) return;
    await sleep(200);
  }
}

async function timed(notes: string[], title: string, rows: number | null, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1_000;
  const note = `${title}: ${seconds.toFixed(1)} s${rows === null ? "" : `, ${count(Math.round(rows / seconds))}/s`}`;
  console.log(note);
  notes.push(note);
}

async function countOf(client: pg.Client, handle: string): Promise<number> {
  const { rows } = await client.query(
    "select last_sequence from streamers where id = (select streamer_id from streamer_handles where handle = $1)",
    [handle],
  );
  return Number(rows[0].last_sequence);
}

export const count = (number: number): string => number.toLocaleString("en-US");
