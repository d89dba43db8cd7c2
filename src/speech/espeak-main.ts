// The npm package espeak-ng as a program: the package's file, espeak-ng's options, the text on stdin, and on stdout the WAV file or the list of
// voices. The package is GPL-3.0-or-later, so the server runs it as a process of its own and never loads it.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

type Files = { writeFile: (path: string, content: Uint8Array) => void; readFile: (path: string) => Uint8Array };
type Output = (line: string) => void;
/** Runs the program once, with these arguments (compiled by Emscripten, which has no types for it). */
type Espeak = (run: {
  arguments: string[];
  preRun: ((module: { FS: Files }) => void)[];
  print: Output;
  printErr: Output;
}) => Promise<{ FS: Files }>;

const [file = "", ...given] = process.argv.slice(2);
const { default: espeak } = (await import(pathToFileURL(file).href)) as { default: Espeak };
const streams = ["--stdin", "--stdout"]; // files stand for them
const options = given.filter((option) => !streams.includes(option));
const lines: string[] = [];
const { FS } = await espeak({
  arguments: options.includes("--voices") ? options : [...options, "-w", "speech.wav", "-f", "text.txt"],
  preRun: [({ FS }) => FS.writeFile("text.txt", readFileSync(0))],
  print: (line) => lines.push(line),
  printErr: () => {},
});
process.stdout.write(options.includes("--voices") ? lines.join("\n") : FS.readFile("speech.wav"));
