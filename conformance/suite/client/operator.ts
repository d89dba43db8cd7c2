// The operator's command line, as rules call it.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { checkout, node } from "../contract/sources.ts";
import type { Client, Operator } from "../values/target.ts";

/** Runs the operator's CLI beside the running server; returns its output. */
export async function cli({ env, code = checkout, ended }: Operator & { ended?: AbortSignal }, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(node, ["src/cli.ts", ...words], { cwd: code, env, signal: ended });
  return stdout.trim();
}

const runCommands = fileURLToPath(new URL("run-commands.ts", import.meta.url));

/** Runs several commands in one process, one after the other; returns the output of each. `inputs`: what they read, by their places. */
export async function cliAll(
  { env, code = checkout }: Operator,
  calls: readonly string[][],
  inputs: readonly string[] = [],
): Promise<string[]> {
  const running = promisify(execFile)(node, [runCommands], { cwd: code, env });
  running.child.stdin?.end(JSON.stringify(calls.map((words, index) => ({ words, input: inputs[index] ?? "" }))));
  return JSON.parse((await running).stdout);
}

export const addStreamer = (operator: Operator, handle: string): Promise<string> => cli(operator, "streamers", "create", handle);

/** A new API key: the CLI prints it alone, once. */
export const addKey = (operator: Operator, handle: string, scopes: string, application?: string): Promise<string> =>
  cli(operator, ...keyCall(handle, scopes, application));

/** Revokes an API key of the operator's streamer, or of another one. */
export async function revokeKey(operator: Operator, key: string, handle = operator.handle): Promise<void> {
  const keys = JSON.parse(await cli(operator, "keys", "list", "--streamer", handle)) as { id: string; publicId: string }[];
  await cli(operator, "keys", "revoke", keys.find(({ publicId }) => key.includes(publicId))?.id ?? "");
}

export const keyCall = (handle: string, scopes: string, application?: string): string[] => [
  ...["keys", "create", "--streamer", handle, "--scopes", scopes],
  ...(application ? ["--application", application] : []),
];

/** A new overlay key, in place of all before: the CLI prints it once, above the address of its overlay. */
export const addOverlayKey = async (operator: Operator, handle: string): Promise<string> =>
  overlayKeyOf(await cli(operator, ...overlayKeyCall(handle)));

export const overlayKeyCall = (handle: string): string[] => ["overlay-keys", "create", "--streamer", handle, "--replace"];
export const overlayKeyOf = (output: string): string => output.split("\n")[0] ?? "";

/** A new streamer with an API key and an overlay key. */
export async function addStreamerWithKeys(
  operator: Operator,
  handle: string,
  scopes: string,
): Promise<{ key: string; overlayKey: string }> {
  const [, key = "", overlay = ""] = await cliAll(operator, [
    ["streamers", "create", handle],
    keyCall(handle, scopes),
    overlayKeyCall(handle),
  ]);
  return { key, overlayKey: overlayKeyOf(overlay) };
}

export type NewClient = { name: string; redirectUris: string[]; scopes: string; public?: boolean };

/** Registers an OAuth client. */
export const addClient = async (operator: Operator, client: NewClient): Promise<Client> =>
  clientOf(client, await cli(operator, ...clientCall(client)));

export const clientCall = ({ name, redirectUris, scopes, public: isPublic = false }: NewClient): string[] => [
  ...["clients", "create", "--name", name, ...redirectUris.flatMap((uri) => ["--redirect-uri", uri])],
  ...(isPublic ? ["--public"] : []),
  ...["--scopes", scopes],
];

export function clientOf({ name, redirectUris, scopes }: NewClient, output: string): Client {
  const { client_id, client_secret } = JSON.parse(output);
  return { id: client_id, secret: client_secret ?? null, name, redirectUris, scopes: scopes.split(" ") };
}

/** A new streamer who can log in with this password. */
export async function addStreamerWithPassword(operator: Operator, handle: string, password: string): Promise<void> {
  const calls = [
    ["streamers", "create", handle],
    ["streamers", "set-password", handle],
  ];
  await cliAll(operator, calls, ["", password]);
}

/** Lets the streamer log in with this password. */
export async function setPassword({ env, code = checkout }: Operator, handle: string, password: string): Promise<void> {
  const running = promisify(execFile)(node, ["src/cli.ts", "streamers", "set-password", handle], { cwd: code, env });
  running.child.stdin?.end(password);
  await running;
}

/** Undoes an import of the operator's streamer. Resolves to how many donations this has voided. */
export async function undoImport(operator: Operator, importId: string): Promise<number> {
  return JSON.parse(await cli(operator, "donations", "undo-import", importId, "--streamer", operator.handle)).voided;
}

/** Records a donation that did not come through the API. */
export const addDonation = (operator: Operator, source: "native" | "test", channel: string, amount: number): Promise<string> =>
  cli(operator, "donations", "add", "--streamer", operator.handle, "--source", source, "--channel", channel, "--amount", String(amount));
