import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { scopes } from "./contract.ts";
import { createDatabase, type Database } from "./database.ts";
import { type Depth, depths } from "./depth.ts";
import { addClient, addKey, addStreamer, setPassword } from "./operator.ts";
import { freePort, startServer } from "./server.ts";
import { keyVariables, type OAuth, type Operator, type Target } from "./target.ts";

type Served = Pick<Target, "url" | "keys" | "client" | "operator" | "oauth">;

let stop = async (): Promise<void> => {};

/** Finds or starts the server under test and hands its address and keys to every rule file. */
export async function setup(project: TestProject): Promise<void> {
  const { seed, path } = readSeed(process.env.SEED);
  console.log(`SEED=${seed}`);
  const served = process.env.API_URL ? given(process.env.API_URL, process.env) : await started().catch(giveUp);
  const run = { seed, path, depth: readDepth(process.env.DEPTH), runId: randomBytes(6).toString("hex") };
  project.provide("target", { ...served, ...run, foreign: served.operator === null });
}

export const teardown = (): Promise<void> => stop();

/** `SEED=<seed>` or, to jump to one counterexample, `SEED=<seed>:<path>` as a failure prints it. */
function readSeed(text: string | undefined): { seed: number; path: string | null } {
  if (!text) return { seed: Math.floor(Math.random() * 2 ** 31), path: null };
  const [seed = "", ...path] = text.split(":");
  if (!Number.isInteger(Number(seed))) throw new Error(`SEED must be <number> or <number>:<path>, not "${text}"`);
  return { seed: Number(seed), path: path.length > 0 ? path.join(":") : null };
}

function readDepth(text = "full"): Depth {
  const depth = depths.find((one) => one === text);
  if (!depth) throw new Error(`DEPTH must be ${depths.join(" or ")}, not "${text}"`);
  return depth;
}

function given(url: string, env: NodeJS.ProcessEnv): Served {
  const main = env.API_KEY;
  if (!main) throw new Error("API_URL needs API_KEY beside it: a key with write:donations and read:donations");
  const keys = Object.entries(keyVariables).map(([holder, variable]) => [holder, env[variable] || null]);
  const { OAUTH_CLIENT_ID: id, OAUTH_CLIENT_SECRET: secret = null } = env;
  const client = id ? { id, secret } : null;
  return { url: url.replace(/\/+$/, ""), keys: { ...Object.fromEntries(keys), main }, client, operator: null, oauth: null };
}

async function giveUp(cause: unknown): Promise<never> {
  await stop();
  throw cause;
}

async function started(): Promise<Served> {
  const database = await createDatabase(process.env.DATABASE_URL);
  stop = database.drop;
  const { port, env } = await serverEnvironment(database);
  const url = `http://127.0.0.1:${port}`;
  const logs = await mkdtemp(join(tmpdir(), "namjai-conformance-log-"));
  const server = await startServer(url, env, { log: join(logs, "server.log") });
  stop = () => server.stop().finally(() => Promise.all([database.drop(), rm(logs, { recursive: true })]));
  const operator = { env, handle: "main" };
  const keys = await createKeys(operator);
  const oauth = await createClients(operator, logs);
  return { url, keys, client: oauth.clients.confidential, operator, oauth };
}

async function serverEnvironment(database: Database): Promise<{ port: number; env: Record<string, string> }> {
  const port = await freePort();
  const fixed = { HOST: "127.0.0.1", PORT: String(port), LOG_LEVEL: "warn", RATE_LIMITS: "off" };
  const kept = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR|PG.*)$/.test(name));
  return { port, env: { ...(Object.fromEntries(kept) as Record<string, string>), ...fixed, ...database.env } };
}

async function createKeys(operator: Operator): Promise<Target["keys"]> {
  await Promise.all(["main", "other", "quiet"].map((handle) => addStreamer(operator, handle)));
  const both = "write:donations read:donations";
  const [main, secondApplication, readOnly, writeOnly, other, quiet] = await Promise.all([
    addKey(operator, "main", both),
    addKey(operator, "main", both, "second"),
    addKey(operator, "main", "read:donations"),
    addKey(operator, "main", "write:donations"),
    addKey(operator, "other", both),
    addKey(operator, "quiet", both),
  ]);
  return { main, secondApplication, readOnly, writeOnly, other, quiet };
}

async function createClients(operator: Operator, logs: string): Promise<OAuth> {
  const [web, device] = ["https://client.example/callback", "http://127.0.0.1/callback"];
  const all = { redirectUris: [web, device], scopes: scopes.join(" ") };
  const passwords = { main: `ตะวัน ${randomUUID()}`, other: `จันทร์ ${randomUUID()}` };
  const [confidential, second, open, readOnly] = await Promise.all([
    addClient(operator, { ...all, name: 'Tip & Jar <b>"Thai"</b>' }),
    addClient(operator, { ...all, name: "Second" }),
    addClient(operator, { ...all, name: "Public", public: true }),
    addClient(operator, { name: "Read only", redirectUris: [web], scopes: "read:donations" }),
    setPassword(operator, "main", passwords.main),
    setPassword(operator, "other", passwords.other),
  ]);
  const secrets = join(logs, "secrets.txt");
  await writeFile(secrets, "");
  return { clients: { confidential, second, public: open, readOnly }, passwords, secrets, logs };
}
