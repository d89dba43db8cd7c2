// Speech by the espeak-ng program, if it is installed. Its Thai is robotic and hard to follow: a fallback for installations without an
// engine behind TTS_URL.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { maxAudioBytes, type Speaker, type Voice } from "./speaker.ts";
import { repairLengths, wavDurationMs } from "./wav.ts";

const probeLimitMs = 5_000;

/** Resolves to null when the program is not on PATH or does not speak. Call it once, at the start. */
export async function findEspeak(voice: string | null, program = "espeak-ng"): Promise<Speaker | null> {
  const speaker: Speaker = {
    id: `espeak-ng ${voice ?? ""}`,
    speak: async ({ text, voice: own }, signal) => {
      const options = ["-v", own ?? voice ?? "th", "-b", "1", "--stdin", "--stdout"];
      const output = await run({ program, options }, text, signal);
      if (!output) return null;
      const bytes = repairLengths(output);
      return { mime: "audio/wav", bytes, durationMs: wavDurationMs(bytes) };
    },
    voices: async (signal) => readVoices(String((await run({ program, options: ["--voices"] }, "", signal)) ?? "")),
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

type Command = { program: string; options: string[] };

/** Resolves to the program's output; null when it is too long. The input goes to stdin, where no text can be taken for an option. */
async function run({ program, options }: Command, input: string, signal: AbortSignal): Promise<Buffer | null> {
  const child = spawn(program, options, { stdio: ["pipe", "pipe", "ignore"], signal, killSignal: "SIGKILL" });
  child.stdin.on("error", () => {}); // the program ended before it had read everything: its exit code is checked below
  child.stdin.end(input);
  const [output, [code]] = await Promise.all([readBounded(child), once(child, "close")]);
  if (output && code !== 0) throw new Error(`${program} ended with ${code}`);
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
