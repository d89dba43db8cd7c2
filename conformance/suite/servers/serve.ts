// Finds or starts the servers of a run.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, keyVariables, type Operator, type Served } from "../values/target.ts";
import { withConnection } from "./cluster.ts";
import { createOnServer, type Database, databaseUrl, inheritedEnvironment } from "./database.ts";
import { createFixtures, preparedDatabase, withFixtures } from "./fixtures.ts";
import { freePort, startServer } from "./start-server.ts";

/** Cache of compiled code: the operator's CLI and the server are started dozens of times in a run. */
export const compileCache = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url));

/** The servers of a run, and a function that stops them. */
export type Serving = { served: [Served, ...Served[]]; stop: () => Promise<void> };

/** Steps to run at the end, in reverse order. */
type Cleanup = (() => Promise<unknown>)[];

/** A server of ours; `restart` starts it again after it was stopped: at the same address. */
type Running = { url: string; operator: Operator; stop: () => Promise<void>; restart: () => Promise<void> };

/** The port is that of the environment. */
type Environment = { port: number; env: Record<string, string> };

/** `otherDatabaseUrl`: a database of the same PostgreSQL that is not copied. */
type Copying = { undo: Cleanup; logs: string; count: number; otherDatabaseUrl: string | undefined };

/**
 * The server at `url`, with the credentials of the environment; or ours: the running one that the file `SERVED` describes, or else
 * `count` new ones, each on a database of its own. All of ours know the same credentials.
 */
export async function serve(url: string | undefined, env: NodeJS.ProcessEnv, count = 1): Promise<Serving> {
  if (url) return { served: [remoteServer(url, env)], stop: async () => {} };
  if (env.SERVED) return { served: [JSON.parse(await readFile(env.SERVED, "utf8"))], stop: async () => {} };
  return startServing(env.DATABASE_URL, count);
}

function remoteServer(url: string, env: NodeJS.ProcessEnv): Served {
  const main = env.API_KEY;
  if (!main) throw new Error("a server of yours needs API_KEY: a credential with all scopes");
  const keys = Object.entries(keyVariables).map(([holder, variable]) => [holder, env[variable] || null]);
  const { OAUTH_CLIENT_ID: id, OAUTH_CLIENT_SECRET: secret = null } = env;
  const client: Pick<Client, "id" | "secret"> | null = id ? { id, secret } : null;
  return { url: url.replace(/\/+$/, ""), keys: { ...Object.fromEntries(keys), main }, client, operator: null, oauth: null };
}

async function startServing(databaseUrl: string | undefined, count: number): Promise<Serving> {
  const undo: Cleanup = [];
  const stop = async (): Promise<void> => {
    const steps = undo.splice(0).reverse();
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((cause: unknown) => failures.push(cause));
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { served: await start(databaseUrl, undo, count), stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function start(url: string | undefined, undo: Cleanup, count: number): Promise<Serving["served"]> {
  const database = url ? await createOnServer(url) : await preparedDatabase();
  undo.push(database.drop);
  const logs = await mkdtemp(join(tmpdir(), "namjai-conformance-log-"));
  undo.push(() => rm(logs, { recursive: true }));
  const environment = await serverEnvironment(database);
  // At once, because each takes a second: whoever comes first migrates the database.
  const starting = startOn(environment, join(logs, "server.log"));
  const creating = createFixtures({ env: environment.env, handle: "main" });
  await Promise.allSettled([starting, creating]);
  const first = await starting;
  undo.push(first.stop);
  const equipment = await creating;
  const others = count > 1 ? await startCopies(first, { undo, logs, count: count - 1, otherDatabaseUrl: url }) : [];
  const [main, ...more] = await Promise.all([first, ...others].map((server) => withFixtures(equipment, { ...server, logs })));
  return [main as Served, ...more];
}

async function startOn({ port, env }: Environment, log: string): Promise<Running> {
  const url = `http://127.0.0.1:${port}`;
  const operator = { env, handle: "main" };
  let server = await startServer(url, env, { log });
  const restarted = async (): Promise<void> => {
    server = await startServer(url, env, { log });
  };
  return { url, operator, stop: () => server.stop(), restart: restarted };
}

/**
 * Starts servers on copies of the first one's database. Stops the first meanwhile: PostgreSQL copies only a database without connections. An
 * embedded PostgreSQL would stop with its last client, which is a connection to another database here.
 */
async function startCopies(first: Running, { undo, logs, count, otherDatabaseUrl: elsewhere }: Copying): Promise<Running[]> {
  const original = await databaseUrl(first.operator.env);
  const other = elsewhere ?? Object.assign(new URL(original), { pathname: "/template1" }).href;
  const databases = await withConnection(other, async () => {
    await first.stop();
    const copies: Database[] = [];
    while (copies.length < count) copies.push(await createOnServer(other, new URL(original).pathname.slice(1)));
    await first.restart();
    return copies;
  });
  return Promise.all(
    databases.map(async (database, index) => {
      const server = await startOn(await serverEnvironment(database), join(logs, `server-${index + 2}.log`));
      // Before the first one stops, which may take the embedded PostgreSQL with it.
      undo.push(async () => server.stop().finally(database.drop));
      return server;
    }),
  );
}

/** The environment of a server of ours on this database, and the port that it gets there. */
export async function serverEnvironment(database: Database): Promise<Environment> {
  const port = await freePort();
  const fixed = {
    HOST: "127.0.0.1",
    PORT: String(port),
    LOG_LEVEL: "warn",
    RATE_LIMITS: "off",
    WEBHOOKS: "local",
    NODE_COMPILE_CACHE: compileCache,
  };
  return { port, env: { ...inheritedEnvironment(), ...fixed, ...database.env } };
}
