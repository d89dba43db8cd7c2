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
  const { child, waiting } = processes.get(code) ?? start(code, env);
  const request: CommandRequest = { id: ++lastId, env, calls };
  return new Promise((resolve, reject) => {
    waiting.set(request.id, { resolve, reject });
    child.ref();
    child.channel?.ref();
    child.send(request);
  });
}

function start(code: string, env: Record<string, string>): OperatorProcess {
  const program = fileURLToPath(new URL("run-commands.ts", import.meta.url));
  const child = fork(program, { cwd: code, env, execPath: node, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const waiting: OperatorProcess["waiting"] = new Map();
  child.on("message", (answer: CommandAnswer) => {
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ("error" in answer) caller?.reject(new Error(answer.error));
    else caller?.resolve(answer.outputs);
    if (waiting.size > 0) return;
    // A process that waits for commands keeps nobody from ending.
    child.unref();
    child.channel?.unref();
  });
  child.on("exit", (exitCode) => {
    processes.delete(code);
    for (const { reject } of waiting.values()) reject(new Error(`the process of the operator's commands ended with ${exitCode}`));
  });
  const started = { child, waiting };
  processes.set(code, started);
  return started;
}
