// Runs several commands of the operator's command line in one process, one after the other: each process of its own takes a third of a second
// to load. Reads a list of calls from standard input, each its words and what it shall read there itself, and prints the list of what they
// print. The code is that of the folder in which it is started.

import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

type CommandLine = typeof import("../../../src/cli/run.ts");

const { printed, readCall, withDatabase } = (await import(`${pathToFileURL(process.cwd())}/src/cli/run.ts`)) as CommandLine;
const calls: { words: string[]; input: string }[] = JSON.parse(await text(process.stdin));
const outputs: string[] = [];
await withDatabase(process.env, false, async (deps) => {
  for (const { words, input } of calls) {
    Object.defineProperty(process, "stdin", { value: Readable.from([input]), configurable: true });
    const call = await readCall(words);
    if (typeof call === "string") throw new Error(`not a command: ${words.join(" ")}`);
    outputs.push(printed(await call.command.run(deps, call.input)));
  }
});
console.log(JSON.stringify(outputs));
process.exit();
