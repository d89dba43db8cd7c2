// Runs commands of the operator's command line for operator.ts, in a process that stays: to load it takes half a second of CPU, more than
// most commands. Each message is a list of calls; the answer is what they print, or why one fails. Every list opens the database anew and
// closes it, as a process of its own does. The code is that of the folder in which it is started.

import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

type CommandLine = typeof import("../../../src/cli/run.ts");

/** A call's words, and what it reads from standard input. */
export type CommandCall = { words: readonly string[]; input: string };
export type CommandRequest = { id: number; env: Record<string, string>; calls: readonly CommandCall[] };
export type CommandAnswer = { id: number } & ({ outputs: string[] } | { error: string });

const { readCall, withDatabase } = (await import(`${pathToFileURL(process.cwd())}/src/cli/run.ts`)) as CommandLine;

process.setMaxListeners(0); // the log of each list listens for the end of the process

let last: Promise<unknown> = Promise.resolve();
// One after the other: they share the standard input.
process.on("message", (request: CommandRequest) => void (last = last.then(async () => process.send?.(await answer(request)))));
process.on("disconnect", () => process.exit());

const answer = ({ id, ...request }: CommandRequest): Promise<CommandAnswer> =>
  run(request).then(
    (outputs) => ({ id, outputs }),
    (error: Error) => ({ id, error: error.message }),
  );

async function run({ env, calls }: Omit<CommandRequest, "id">): Promise<string[]> {
  const read = await Promise.all(calls.map(readWords));
  const outputs: string[] = [];
  const keepsSchema = read.every(({ call }) => call.keepsSchema);
  await withDatabase(env, keepsSchema, async (deps) => {
    for (const { call, stdin } of read) {
      Object.defineProperty(process, "stdin", { value: Readable.from([stdin]), configurable: true });
      const { output, failed } = await call.run(deps);
      if (failed) throw new Error(output ?? "");
      outputs.push(output ?? "");
    }
  });
  return outputs;
}

async function readWords({ words, input: stdin }: CommandCall) {
  const call = await readCall([...words]);
  if (typeof call === "string") throw new Error(`not a command: ${words.join(" ")}`);
  return { call, stdin };
}
