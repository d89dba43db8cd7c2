// Speech by espeak-ng: the system's program, or the npm package of the same name in a process of its own. Its Thai is robotic and hard to
// follow: a fallback for installations without another engine.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import pLimit from "p-limit";
import { maxAudioBytes, type Speaker, type Voice } from "./speaker.ts";
import { withPhonemes } from "./thai-phonemes.ts";
import { repairLengths, wavDurationMs } from "./wav.ts";

const probeLimitMs = 5_000;

/** A program that takes espeak-ng's options. `path`: of its environment, which is nothing else. `isPackage`: it is slower and needs more memory. */
export type EspeakProgram = Readonly<{ command: string; options: readonly string[]; path: string; isPackage: boolean }>;

/** The program that is found on PATH. */
export function systemEspeak(path: string): EspeakProgram {
  return { command: "espeak-ng", options: [], path, isPackage: false };
}

/** Processes of 120 MB, each of which speaks one text. */
const maxPackageProcesses = 2;

/** The npm package, an optional dependency; null where it is not installed. Its process may read its own files, and do nothing else. */
export function packagedEspeak(): EspeakProgram | null {
  try {
    const file = createRequire(import.meta.url).resolve("espeak-ng");
    const main = join(import.meta.dirname, "espeak-main.ts");
    const readable = [join(dirname(file), "..", "*"), main, join(import.meta.dirname, "../../package.json")];
    const options = ["--permission", ...readable.map((path) => `--allow-fs-read=${path}`), main, file];
    return { command: process.execPath, options, path: "", isPackage: true };
  } catch {
    return null;
  }
}

/** Resolves to null when the program can't be run or does not speak. */
export async function findEspeak(voice: string | null, program: EspeakProgram): Promise<Speaker | null> {
  const limit = pLimit(program.isPackage ? maxPackageProcesses : Number.POSITIVE_INFINITY);
  const runLimited = (options: string[], input: string, signal: AbortSignal) => limit(() => run({ program, options }, input, signal));
  const speaker: Speaker = {
    id: `espeak-ng phonemes ${voice ?? ""}`,
    name: program.isPackage ? "espeak-ng, the npm package" : "espeak-ng",
    isFallback: true,
    speak: async ({ text, voice: own }, signal) => {
      const spoken = own ?? voice ?? "th";
      const input = /^th\b/.test(spoken) ? withPhonemes(text) : text;
      const output = await runLimited(["-v", spoken, "-b", "1", "--stdin", "--stdout"], input, signal);
      if (!output) return null;
      const bytes = repairLengths(output);
      return { mime: "audio/wav", bytes, durationMs: wavDurationMs(bytes) };
    },
    voices: async (signal) => readVoices(String((await runLimited(["--voices"], "", signal)) ?? "")),
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

type Call = { program: EspeakProgram; options: string[] };

/**
 * Resolves to the program's output; null when it is too long. The input goes to stdin, where no text can be taken for an option. The program
 * gets none of the server's environment, which holds secrets.
 */
async function run({ program, options }: Call, input: string, signal: AbortSignal): Promise<Buffer | null> {
  const child = spawn(program.command, [...program.options, ...options], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: program.path },
    signal,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => {}); // the program ended before it had read everything: its exit code is checked below
  child.stdin.end(input);
  const [output, [code]] = await Promise.all([readBounded(child), once(child, "close")]);
  if (output && code !== 0) throw new Error(`espeak-ng ended with ${code}`);
  return output;
}

async function readBounded(child: ChildProcess): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of child.stdout ?? []) {
    length += chunk.length;
    if (length > maxAudioBytes) {
      child.kill("SIGKILL");
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
