// The servers that are compared, all on one database: their processes and their credentials.

import { type ChildProcess, spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { uuidv7 } from "uuidv7";
import { addClient, addKey, addStreamer } from "../../../suite/client/operator.ts";
import { checkout, node } from "../../../suite/contract/sources.ts";
import { freePort } from "../../../suite/servers/start-server.ts";
import type { Client } from "../../../suite/values/target.ts";
import type { Cleanup } from "../../program.ts";
import { type EmptySetting, results } from "../setting.ts";
import type { Load, Participant, Program } from "./comparison.ts";

export type Participants = {
  baseline: Participant;
  ours: Participant;
  oursWithJwt: Participant;
  twoWorkers: Participant;
  bareWriter: Participant;
  bareKoa: Participant;
  bareHttp: Participant;
};

export const handle = "busy";
const scopes = "write:donations read:donations";

/** The server as it is deployed, log lines included, with rate limits that are counted but never reached. */
const ours = {
  LOG_LEVEL: "info",
  RATE_LIMITS: ["create", "read", "token", "failed"].map((name) => `${name}=100000000/60/100000000`).join(","),
};

export async function startAll(setting: EmptySetting, cleanup: Cleanup): Promise<Participants> {
  const { operator, databaseUrl } = setting;
  await rm(log, { force: true });
  await addStreamer(operator, handle);
  const key = await addKey(operator, handle, scopes);
  const client = await addClient(operator, { name: "bench", redirectUris: ["https://bench.example/callback"], scopes });
  const own = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  const env = { PATH: process.env.PATH ?? "", DATABASE_URL: databaseUrl };
  const program = await startOurs({ ...operator.env, ...ours }, cleanup);
  const workers = await startOurs({ ...operator.env, ...ours, WORKERS: "2" }, cleanup);
  const baseline = await start([own("baseline.ts")], env, cleanup);
  const bareWriter = await start([own("bare.ts"), "writer", handle], operator.env, cleanup);
  return {
    baseline: { name: "baseline", program: baseline, token: baseline.said.split(" ")[1] as string },
    ours: { name: "ours", program, token: key },
    oursWithJwt: { name: "ours, JWT", program, token: await newAccessToken(setting, client, program.url) },
    twoWorkers: { name: "ours, two workers", program: workers, token: key },
    bareWriter: { name: "Koa + bodyparser + our writer", program: bareWriter, token: "" },
    bareKoa: { name: "Koa + bodyparser", program: await start([own("bare.ts"), "koa"], env, cleanup), token: "" },
    bareHttp: { name: "node:http", program: await start([own("bare.ts"), "http"], env, cleanup), token: "" },
  };
}

/** Baseline and ours, with both kinds of credential, on a fresh database. */
export type Readers = {
  baseline: { jwt: Participant; key: Participant };
  ours: { jwt: Participant; key: Participant };
  /** What load.lua needs for this many connections that refresh tokens. */
  refreshing: Record<"baseline" | "ours", (connections: number) => Promise<Load>>;
};

export async function startReaders(setting: EmptySetting, cleanup: Cleanup): Promise<Readers> {
  const { operator, databaseUrl, client: database } = setting;
  await rm(log, { force: true });
  await addStreamer(operator, handle);
  const key = await addKey(operator, handle, scopes);
  const client = await addClient(operator, { name: "bench", redirectUris: ["https://bench.example/callback"], scopes });
  const program = await startOurs({ ...operator.env, ...ours }, cleanup);
  const file = fileURLToPath(new URL("baseline.ts", import.meta.url));
  const baseline = await start([file], { PATH: process.env.PATH ?? "", DATABASE_URL: databaseUrl }, cleanup);
  const [, jwt, baselineKey] = baseline.said.split(" ") as [string, string, string];
  const secret = randomBytes(20).toString("hex");
  await database.query("insert into baseline_clients values ($1, $2)", [client.id, hash("sha256", secret, "buffer")]);
  const load = (secret: string, tokens: readonly string[]): Load => ({
    KIND: "token",
    CLIENT: `"client_id":"${client.id}","client_secret":"${secret}"`,
    REFRESH_TOKENS: tokens.join(" "),
  });
  return {
    baseline: {
      jwt: { name: "baseline", program: baseline, token: jwt },
      key: { name: "baseline", program: baseline, token: baselineKey },
    },
    ours: {
      jwt: { name: "ours", program, token: await newAccessToken(setting, client, program.url) },
      key: { name: "ours", program, token: key },
    },
    refreshing: {
      baseline: async (connections) => load(secret, await newBaselineTokens(setting, client.id, connections)),
      ours: async (connections) => load(client.secret as string, await newRefreshTokens(setting, client, connections)),
    },
  };
}

async function newBaselineTokens({ client: database }: EmptySetting, clientId: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => randomBytes(32).toString("base64url"));
  await database.query(
    `insert into baseline_refresh_tokens (hash, client_id, grant_id, account_id, scope, expires_at)
     select hash, $2, gen_random_uuid(), 1, 'write:donations read:donations', now() + interval '1 day' from unnest($1::bytea[]) hash`,
    [tokens.map((token) => hash("sha256", token, "buffer")), clientId],
  );
  return tokens;
}

/** Inserts approved grants by SQL, because no streamer is there to consent. */
async function newRefreshTokens({ client: database }: EmptySetting, client: Client, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => `namjai_r1_${randomBytes(20).toString("hex")}`);
  await database.query(
    `with given as (select * from unnest($1::uuid[], $2::bytea[]) as g(id, hash)),
     granted as (
       insert into oauth_grants (id, client_id, streamer_id, scopes, expires_at, activated_at)
       select g.id, $3, s.streamer_id, $4, now() + interval '1 day', now() from given g, streamer_handles s where s.handle = $5)
     insert into oauth_refresh_tokens (hash, grant_id, expires_at) select hash, id, now() + interval '1 day' from given`,
    [tokens.map(() => uuidv7()), tokens.map((token) => hash("sha256", token, "buffer")), client.id, client.scopes, handle],
  );
  return tokens;
}

async function newAccessToken(setting: EmptySetting, client: Client, url: string): Promise<string> {
  const [refreshToken] = await newRefreshTokens(setting, client, 1);
  const asked = { grant_type: "refresh_token", refresh_token: refreshToken, client_id: client.id, client_secret: client.secret };
  const answer = await fetch(`${url}/oauth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(asked),
  });
  if (answer.status !== 200) throw new Error(`a refresh token was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** What the servers say in one run, each request being a line of ours: gigabytes. A run that ends well deletes it. */
export const log = join(results, "create.log");

/** As `npm start` sets it; every server gets it. */
const flags = ["--max-semi-space-size=16"];

/** Starts our server, and resolves when it is ready. */
export async function startOurs(env: Record<string, string>, cleanup: Cleanup): Promise<Program> {
  const { program, child } = await launch(["src/main.ts"], env, cleanup);
  while (!(await isReady(program.url))) {
    if (child.exitCode !== null || child.signalCode !== null) throw endedEarly(child);
    await sleep(50);
  }
  return program;
}

/** Starts another program of this bench, and resolves with the first line that it prints. */
async function start(words: readonly string[], env: Record<string, string>, cleanup: Cleanup): Promise<Program & { said: string }> {
  const { program, child } = await launch(words, env, cleanup);
  const line = once(child.stdout as Readable, "data").then(([said]) => String(said).trim());
  const said = await Promise.race([line, once(child, "exit").then(() => Promise.reject(endedEarly(child)))]);
  return { ...program, said };
}

type Launched = Readonly<{ program: Program; child: ChildProcess }>;

/** Starts `words` with a free PORT. What it logs goes straight into a file: nobody here reads it meanwhile. */
async function launch(words: readonly string[], env: Record<string, string>, cleanup: Cleanup): Promise<Launched> {
  const port = String(await freePort());
  const file = await open(log, "a");
  const child = spawn(node, [...flags, ...words], { cwd: checkout, env: { ...env, PORT: port }, stdio: ["ignore", "pipe", file.fd] });
  await file.close();
  const exited = once(child, "exit");
  cleanup.later(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  return { program: { url: `http://127.0.0.1:${port}`, pid: child.pid as number }, child };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

function endedEarly({ spawnargs }: ChildProcess): Error {
  return new Error(`${spawnargs.slice(1).join(" ")} ended at its start; bench-results/create.log says why`);
}
