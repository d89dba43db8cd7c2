// The operator's command line, as rules call it. One process runs the commands of a worker.

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, type TestContext } from "vitest";
import { scopes } from "../contract/scopes.ts";
import { checkout, node } from "../contract/sources.ts";
import { type Client, type Operator, operatorOf, target } from "../values/target.ts";
import type { CommandAnswer, CommandCall, CommandRequest } from "./run-commands.ts";

/** Runs a command on the database of the server under test; returns its output. */
export async function cli(operator: Operator, ...words: string[]): Promise<string> {
  const [output = ""] = await runCommands(operator, [{ words, input: "" }]);
  return output.trim();
}

/** Runs a long command beside others, in a process of its own; returns its output. `ended`: ends it. */
export const cliApart = async (operator: Operator, words: readonly string[], ended: AbortSignal): Promise<string> =>
  (await runApart(operator, { words, input: "" }, ended)).trim();

/** Runs several commands one after the other; returns the output of each. `inputs`: what they read, by their places. */
export const cliAll = (operator: Operator, calls: readonly string[][], inputs: readonly string[] = []): Promise<string[]> =>
  runCommands(
    operator,
    calls.map((words, index) => ({ words, input: inputs[index] ?? "" })),
  );

export const addStreamer = (operator: Operator, handle: string): Promise<string> => cli(operator, "streamers", "create", handle);

/** A new API key: the CLI prints it alone, once. */
export const addKey = (operator: Operator, handle: string, scopes: string, application?: string): Promise<string> =>
  cli(operator, ...keyCall(handle, scopes, application));

/** Revokes an API key of the operator's streamer. */
export async function revokeKey(operator: Operator, key: string): Promise<void> {
  const keys = JSON.parse(await cli(operator, "keys", "list", "--streamer", operator.handle)) as { id: string; publicId: string }[];
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

/** A streamer of this rule file, and their key with all scopes; skips where the suite can't create one. */
export function newStreamer(): (context: TestContext) => string {
  let key = "";
  beforeAll(async () => {
    const { operator } = target();
    if (!operator) return;
    const handle = `suite-${crypto.randomUUID().slice(0, 8)}`;
    ({ key } = await addStreamerWithKeys(operator, handle, scopes.join(" ")));
  });
  return (context) => {
    operatorOf(context);
    return key;
  };
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
export async function setPassword(operator: Operator, handle: string, password: string): Promise<void> {
  await cliAll(operator, [["streamers", "set-password", handle]], [password]);
}

/** Undoes an import of the operator's streamer. Resolves to how many donations this has voided. */
export async function undoImport(operator: Operator, importId: string): Promise<number> {
  return JSON.parse(await cli(operator, "donations", "undo-import", importId, "--streamer", operator.handle)).voided;
}

/** Records a donation that did not come through the API. */
export const addDonation = (operator: Operator, source: "native" | "test", channel: string, amount: number): Promise<string> =>
  cli(operator, "donations", "add", "--streamer", operator.handle, "--source", source, "--channel", channel, "--amount", String(amount));

// The process that runs the operator's commands for this one: started with the first command, and ended with this process.

type Waiting = { resolve: (outputs: string[]) => void; reject: (cause: Error) => void };
type OperatorProcess = { child: ChildProcess; waiting: Map<number, Waiting> };

/** By the folder of the code that they run. */
const processes = new Map<string, OperatorProcess>();
let lastId = 0;

/** Runs these calls one after the other on the operator's database; resolves to what each prints. */
export function runCommands({ env, code = checkout }: Operator, calls: readonly CommandCall[]): Promise<string[]> {
  const shared = processes.get(code) ?? start(code, env);
  processes.set(code, shared);
  return ask(shared, { env, calls });
}

/** Runs a call in a process of its own, beside all others; resolves to what it prints. `signal` ends it. */
export async function runApart({ env, code = checkout }: Operator, call: CommandCall, signal: AbortSignal): Promise<string> {
  const own = start(code, env, signal);
  try {
    const [output = ""] = await ask(own, { env, calls: [call] });
    return output;
  } finally {
    if (own.child.connected) own.child.disconnect(); // which ends it
  }
}

function ask({ child, waiting }: OperatorProcess, asked: Omit<CommandRequest, "id">): Promise<string[]> {
  const request: CommandRequest = { id: ++lastId, ...asked };
  return new Promise((resolve, reject) => {
    waiting.set(request.id, { resolve, reject });
    child.ref();
    child.channel?.ref();
    child.send(request, (error) => {
      if (!error) return;
      waiting.delete(request.id);
      reject(error);
    });
  });
}

function start(code: string, env: Record<string, string>, signal?: AbortSignal): OperatorProcess {
  const program = fileURLToPath(new URL("run-commands.ts", import.meta.url));
  const how = { cwd: code, env: environmentOf(env), execPath: node, execArgv: [], ...(signal && { signal }) };
  const child = fork(program, { ...how, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const waiting: OperatorProcess["waiting"] = new Map();
  const fail = (cause: Error): void => {
    if (processes.get(code)?.child === child) processes.delete(code);
    for (const { reject } of waiting.values()) reject(cause);
    waiting.clear();
  };
  child.on("message", (answer: CommandAnswer) => {
    settle(waiting, answer);
    if (waiting.size > 0) return;
    // A process that waits for commands keeps nobody from ending.
    child.unref();
    child.channel?.unref();
  });
  child.on("error", fail); // it did not start, or the signal has ended it
  child.on("exit", (exitCode, by) => fail(new Error(`the process of the operator's commands ended with ${exitCode ?? by}`)));
  return { child, waiting };
}

function settle(waiting: OperatorProcess["waiting"], answer: CommandAnswer): void {
  const caller = waiting.get(answer.id);
  waiting.delete(answer.id);
  if ("error" in answer) caller?.reject(new Error(answer.error));
  else caller?.resolve(answer.outputs);
}

/** What all operators have of the machine. Settings come with each request: the process serves several servers. */
const environmentOf = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR|PG.*|NODE_.*)$/.test(name)));
