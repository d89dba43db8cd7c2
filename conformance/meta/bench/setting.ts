// A fresh database with the server of this checkout on it, and streamers there.

import { hash, randomInt } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { uuidv7 } from "uuidv7";
import { cli } from "../../suite/client/operator.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { base62, publicLength, secretLength, withChecksum } from "../../suite/servers/credentials.ts";
import { createDatabase, databaseUrl } from "../../suite/servers/database.ts";
import { freePort, type Server, startServer } from "../../suite/servers/start-server.ts";
import type { Operator } from "../../suite/values/target.ts";
import type { Cleanup } from "../program.ts";
import { send } from "./measure.ts";

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

export type DatabaseOptions = {
  /** PostgreSQL to make the database on; unset: embedded, in a directory of its own. */
  databaseUrl: string | undefined;
  /** A data directory that an earlier run has kept. */
  reuse: string | undefined;
  keep: boolean;
};

/** The folder of results. */
export const results = join(checkout, "bench-results");

/** A fresh database without anything, and a server that made its tables. */
export type EmptySetting = Pick<Setting, "client" | "serve" | "databaseUrl" | "operator">;

export async function emptySetting(databaseUrl: string | undefined, cleanup: Cleanup): Promise<EmptySetting> {
  const { env, serve, first, url, client } = await openDatabase({ databaseUrl, reuse: undefined, keep: false }, cleanup);
  await first.stop(); // the bench's own connection keeps an embedded PostgreSQL up
  return { client, serve, databaseUrl: url, operator: { env, handle: "" } };
}

/** The database with the bench's own connection to it, and a first server, which runs. */
export async function openDatabase({ databaseUrl: given, reuse, keep }: DatabaseOptions, cleanup: Cleanup) {
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

export async function connected(url: string): Promise<pg.Client> {
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

/** Donations that the bench has under way at once. */
const maxUnderWay = 48;

export async function insertStreamers(client: pg.Client, made: readonly { id: string; handle: string }[]): Promise<void> {
  await client.query(
    `with made as (insert into streamers (id) select unnest($1::uuid[]))
     insert into streamer_handles (streamer_id, handle) select * from unnest($1::uuid[], $2::text[])`,
    [made.map(({ id }) => id), made.map(({ handle }) => handle)],
  );
}

/** Streamers with a key each, by SQL: the command line would take a second for each. */
export async function seedKeys({ client }: EmptySetting, count: number, scopes: readonly string[]): Promise<string[]> {
  const made = Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    application: uuidv7(),
    handle: `bench-${index}`,
    ...newApiKey(),
  }));
  const column = (name: "id" | "application" | "publicId") => made.map((one) => one[name]);
  await insertStreamers(client, made);
  await client.query(
    "insert into applications (id, streamer_id, name) select a, s, 'default' from unnest($1::uuid[], $2::uuid[]) as t(a, s)",
    [column("application"), column("id")],
  );
  await client.query(
    `insert into api_keys (id, streamer_id, application_id, public_id, secret_hash, name, scopes)
     select *, 'bench', $6::text[] from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bytea[])`,
    [
      made.map(() => uuidv7()),
      column("id"),
      column("application"),
      column("publicId"),
      made.map(({ key }) => hash("sha256", key, "buffer")),
      scopes,
    ],
  );
  return made.map(({ key }) => key);
}

/**
 * Records donations, to one streamer after the other, at the rate or as fast as they are answered. Resolves to when each was answered, by its
 * id: milliseconds of `performance.now`.
 */
export async function donateTo(
  url: string,
  keys: readonly string[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<{ answered: Map<string, number>; seconds: number }> {
  const json = JSON.stringify({ donatorName: "สมชาย", amount: 100, message: "ขอบคุณสำหรับสตรีมครับ", skipAlert: true });
  const answered = new Map<string, number>();
  const began = performance.now();
  let number = 0;
  const writer = async () => {
    for (;;) {
      const own = number++;
      const due = began + (own * 1_000) / rate;
      if (due - began >= seconds * 1_000 || performance.now() - began >= seconds * 1_000) return;
      if (due > performance.now()) await sleep(due - performance.now());
      const { status, body } = await send(`${url}/api/v1/donations`, keys[own % keys.length] as string, json);
      const at = performance.now();
      if (status !== 201) throw new Error(`a donation was answered ${status}: ${body}`);
      answered.set((JSON.parse(body.toString("utf8")) as { data: { id: string } }).data.id, at);
    }
  };
  await Promise.all(Array.from({ length: maxUnderWay }, writer));
  const took = (performance.now() - began) / 1_000;
  return { answered, seconds: took };
}

type NewKey = { key: string; publicId: string };

export const newOverlayKey = (): NewKey => newKey("o1");

const newApiKey = (): NewKey => newKey("v1");

function newKey(kind: "o1" | "v1"): NewKey {
  const random = (length: number) => Array.from({ length }, () => base62[randomInt(base62.length)]).join("");
  const publicId = random(publicLength);
  return { key: withChecksum(`namjai_${kind}_${publicId}${random(secretLength)}`), publicId };
}
