import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { checkout, node } from "./start-server.ts";
import type { Client, Operator } from "./target.ts";

/** Runs the operator's CLI beside the running server; returns its output. */
export async function cli({ env, code = checkout, ended }: Operator & { ended?: AbortSignal }, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(node, ["src/cli.ts", ...words], { cwd: code, env, signal: ended });
  return stdout.trim();
}

export const addStreamer = (operator: Operator, handle: string): Promise<string> => cli(operator, "streamers", "create", handle);

/** A new API key: the CLI prints it alone, once. */
export const addKey = (operator: Operator, handle: string, scopes: string, application?: string): Promise<string> =>
  cli(operator, "keys", "create", "--streamer", handle, "--scopes", scopes, ...(application ? ["--application", application] : []));

/** A new overlay key, in place of the one before: the CLI prints it once, above the address of its overlay. */
export async function addOverlayKey(operator: Operator, handle: string): Promise<string> {
  const [key = ""] = (await cli(operator, "overlay-keys", "create", "--streamer", handle, "--replace")).split("\n");
  return key;
}

export type NewClient = { name: string; redirectUris: string[]; scopes: string; public?: boolean };

/** Registers an OAuth client. */
export async function addClient(operator: Operator, { name, redirectUris, scopes, public: isPublic = false }: NewClient): Promise<Client> {
  const uris = redirectUris.flatMap((uri) => ["--redirect-uri", uri]);
  const words = ["--name", name, ...uris, ...(isPublic ? ["--public"] : []), "--scopes", scopes];
  const { client_id, client_secret } = JSON.parse(await cli(operator, "clients", "create", ...words));
  return { id: client_id, secret: client_secret ?? null, name, redirectUris, scopes: scopes.split(" ") };
}

/** Lets the streamer log in with this password. */
export async function setPassword({ env, code = checkout }: Operator, handle: string, password: string): Promise<void> {
  const running = promisify(execFile)(node, ["src/cli.ts", "streamers", "set-password", handle], { cwd: code, env });
  running.child.stdin?.end(password);
  await running;
}

/** Records a donation that did not come through the API. */
export const addDonation = (operator: Operator, source: "native" | "test", channel: string, amount: number): Promise<string> =>
  cli(operator, "donations", "add", "--streamer", operator.handle, "--source", source, "--channel", channel, "--amount", String(amount));
