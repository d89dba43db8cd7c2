// Speech by espeak-ng: the system's program, or the npm package of the same name in a process of its own. Its Thai is robotic and hard to
// follow: a fallback for installations without another engine.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import pLimit from "p-limit";
import { maxAudioBytes, type Speaker, type Voice } from "./speaker.ts";
import { withPhonemes } from "./thai-phonemes.ts";
import { repairLengths, wavDurationMs } from "./wav.ts";

/** The npm package takes 5 s to load while a machine is busy. */
const probeLimitMs = 20_000;

/** espeak-ng, however it is started. */
export type EspeakProgram = Readonly<{
  name: string;
  /** How many texts it speaks at once. */
  maxConcurrent: number;
  /** Starts a process that speaks one text, and gives it the options and the input. It gets none of the server's environment, which holds secrets. */
  start: (options: readonly string[], input: string) => Process;
  /** Prepares the next process, so that it speaks sooner. */
  prepareNext?: () => void;
}>;

type Process = ChildProcessByStdio<Writable, Readable, null>;

const stdio = ["pipe", "pipe", "ignore"] as const;

/** The program `command` that is found on `path`. */
export function systemEspeak(path: string, command = "espeak-ng"): EspeakProgram {
  return {
    name: "espeak-ng",
    maxConcurrent: Number.POSITIVE_INFINITY,
    start: (options, input) => {
      const streams = options.includes("--voices") ? [] : ["--stdin", "--stdout"]; // no text on stdin can be taken for an option
      return given(spawn(command, [...options, ...streams], { stdio: [...stdio], env: { PATH: path } }), input);
    },
  };
}

/** A process that waits for a text needs 120 MB. */
const idleMs = 600_000;

/**
 * The npm package, an optional dependency; null where it is not installed. Its processes may read their own files, and do nothing else. The
 * next one is started ahead and waits, because loading takes five times as long as speaking.
 */
export function packagedEspeak(): EspeakProgram | null {
  const file = findPackage();
  if (!file) return null;
  const main = join(import.meta.dirname, "espeak-main.ts");
  const readable = [join(dirname(file), "..", "*"), main, join(import.meta.dirname, "../../package.json")];
  const command = ["--permission", ...readable.map((path) => `--allow-fs-read=${path}`), main, file];
  const load = () => spawn(process.execPath, command, { stdio: [...stdio], env: {} });
  let waiting: Process | null = null;
  return {
    name: "espeak-ng, the npm package",
    maxConcurrent: 2,
    start: (options, input) => {
      const child = waiting ?? load();
      waiting = null;
      child.ref();
      return given(child, `${JSON.stringify(options)}\n${input}`);
    },
    prepareNext: () => {
      if (waiting) return;
      const child = load();
      waiting = child;
      const end = setTimeout(() => waiting === child && child.kill(), idleMs).unref();
      child.once("exit", () => {
        clearTimeout(end);
        if (waiting === child) waiting = null;
      });
      child.on("error", () => {}).unref(); // it ends with the server, because its stdin does
    },
  };
}

function findPackage(): string | null {
  try {
    return createRequire(import.meta.url).resolve("espeak-ng");
  } catch {
    return null;
  }
}

function given(child: Process, input: string): Process {
  child.stdin.on("error", () => {}); // the process ended before it had read everything: its exit code is checked
  child.stdin.end(input);
  return child;
}

/** Resolves to null when the program can't be run or does not speak. */
export async function findEspeak(voice: string | null, program: EspeakProgram): Promise<Speaker | null> {
  const limit = pLimit(program.maxConcurrent);
  const run = (options: string[], input: string, signal: AbortSignal) => limit(() => outputOf(program, [options, input], signal));
  const speaker: Speaker = {
    id: `espeak-ng phonemes ${voice ?? ""}`,
    name: program.name,
    isFallback: true,
    speak: async ({ text, voice: own }, signal) => {
      const spoken = own ?? voice ?? "th";
      const output = await run(["-v", spoken, "-b", "1"], /^th\b/.test(spoken) ? withPhonemes(text) : text, signal);
      if (!output) return null;
      const bytes = repairLengths(output);
      return { mime: "audio/wav", bytes, durationMs: wavDurationMs(bytes) };
    },
    voices: async (signal) => readVoices(String((await run(["--voices"], "", signal)) ?? "")),
  };
  const probe = speaker.speak({ text: "ก", language: "th" }, AbortSignal.timeout(probeLimitMs));
  return probe.then(
    () => speaker,
    () => null,
  );
}

/** Reads ` 5  en-gb  --/M  English_(Great_Britain)  gmw/en  …`. A language with several lines is one voice: `-v` takes its name. */
function readVoices(table: string): Voice[] {
  const lines = [...table.matchAll(/^ *\d+ +(\S+) +\S+ +(\S+)/gm)];
  const languages = new Map(lines.map(([, name = "", language = ""]) => [name, language.replaceAll("_", " ")] as const).reverse());
  return [...languages].map(([name, language]) => ({ name, language })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Resolves to the program's output; null when it is too long. Rejects when the program fails, and when the signal is aborted, which kills it. */
async function outputOf(program: EspeakProgram, [options, input]: [string[], string], signal: AbortSignal): Promise<Buffer | null> {
  signal.throwIfAborted();
  const child = program.start(options, input);
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  try {
    const [output, [code]] = await Promise.all([readBounded(child), once(child, "close")]);
    signal.throwIfAborted();
    if (output && code !== 0) throw new Error(`espeak-ng ended with ${code}`);
    program.prepareNext?.();
    return output;
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

async function readBounded(child: Process): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of child.stdout) {
    length += chunk.length;
    if (length > maxAudioBytes) {
      child.kill("SIGKILL");
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
