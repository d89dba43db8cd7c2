import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createDatabase, type Database } from "./database.ts";
import { equip, equipped } from "./equipment.ts";
import { freePort, startServer } from "./server.ts";
import { type Client, keyVariables, type Served } from "./target.ts";

/** The operator's commands start a dozen times and more: compiled code is kept. */
const compileCache = fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url));

/** What is served, and how to end it. */
export type Serving = { served: Served; stop: () => Promise<void> };

/**
 * Someone's server at `url`, with the credentials of the environment; or ours: one that somebody has started and described in the
 * file `SERVED`, or else started on a database of its own.
 */
export async function serve(url: string | undefined, env: NodeJS.ProcessEnv): Promise<Serving> {
  if (url) return { served: given(url, env), stop: async () => {} };
  if (env.SERVED) return { served: JSON.parse(await readFile(env.SERVED, "utf8")), stop: async () => {} };
  return started(env.DATABASE_URL);
}

function given(url: string, env: NodeJS.ProcessEnv): Served {
  const main = env.API_KEY;
  if (!main) throw new Error("a server of yours needs API_KEY: a credential with all scopes");
  const keys = Object.entries(keyVariables).map(([holder, variable]) => [holder, env[variable] || null]);
  const { OAUTH_CLIENT_ID: id, OAUTH_CLIENT_SECRET: secret = null } = env;
  const client: Pick<Client, "id" | "secret"> | null = id ? { id, secret } : null;
  return { url: url.replace(/\/+$/, ""), keys: { ...Object.fromEntries(keys), main }, client, operator: null, oauth: null };
}

async function started(databaseUrl: string | undefined): Promise<Serving> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    const steps = undo.splice(0).reverse();
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((cause: unknown) => failures.push(cause));
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { served: await start(databaseUrl, undo), stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** What has to be undone at the end is added to `undo`. */
async function start(databaseUrl: string | undefined, undo: (() => Promise<unknown>)[]): Promise<Served> {
  const database = await createDatabase(databaseUrl);
  undo.push(database.drop);
  const { port, env } = await serverEnvironment(database);
  const url = `http://127.0.0.1:${port}`;
  const logs = await mkdtemp(join(tmpdir(), "namjai-conformance-log-"));
  undo.push(() => rm(logs, { recursive: true }));
  undo.push((await startServer(url, env, { log: join(logs, "server.log") })).stop);
  const operator = { env, handle: "main" };
  return equipped(await equip(operator), { url, operator, logs });
}

/** The environment of a server of ours on this database, and the port that it gets there. */
export async function serverEnvironment(database: Database): Promise<{ port: number; env: Record<string, string> }> {
  const port = await freePort();
  const fixed = { HOST: "127.0.0.1", PORT: String(port), LOG_LEVEL: "warn", RATE_LIMITS: "off", NODE_COMPILE_CACHE: compileCache };
  const kept = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR|PG.*)$/.test(name));
  return { port, env: { ...(Object.fromEntries(kept) as Record<string, string>), ...fixed, ...database.env } };
}
