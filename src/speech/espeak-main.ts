// The npm package espeak-ng as a program that is started ahead: it loads the package's file, waits for stdin (a line with espeak-ng's options as
// JSON, then the text), and writes the WAV file or the list of voices to stdout. The package is GPL-3.0-or-later, so the server runs it as a
// process of its own and never loads it.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

type Files = { writeFile: (path: string, content: Uint8Array) => void; readFile: (path: string) => Uint8Array };
type Run = { arguments: string[]; onRuntimeInitialized: () => void; print: (line: string) => void; printErr: (line: string) => void };
/** Calls `onRuntimeInitialized` when everything is loaded, and then runs the program once (compiled by Emscripten, which has no types for it). */
type Espeak = (run: Run & { FS?: Files }) => Promise<{ FS: Files }>;

const [file = ""] = process.argv.slice(2);
const { default: espeak } = (await import(pathToFileURL(file).href)) as { default: Espeak };
const lines: string[] = [];
let options: string[] = [];
const run: Run & { FS?: Files } = {
  arguments: [],
  onRuntimeInitialized: () => {
    const input = readFileSync(0);
    const end = input.indexOf("\n");
    options = JSON.parse(input.toString("utf8", 0, end));
    run.FS?.writeFile("text.txt", input.subarray(end + 1));
    run.arguments.push(...options, ...(options.includes("--voices") ? [] : ["-w", "speech.wav", "-f", "text.txt"]));
  },
  print: (line) => lines.push(line),
  printErr: () => {},
};
const { FS } = await espeak(run);
process.stdout.write(options.includes("--voices") ? lines.join("\n") : FS.readFile("speech.wav"));
