// The process that runs the operator's commands for this one: started with the first command, and ended with this process.

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

import { checkout, node } from "../contract/sources.ts";
import type { Operator } from "../values/target.ts";
import type { CommandAnswer, CommandCall, CommandRequest } from "./run-commands.ts";

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
