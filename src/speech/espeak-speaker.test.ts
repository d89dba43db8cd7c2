import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { temporaryDirectory, until } from "../db/testing.ts";
import { type EspeakProgram, findEspeak, packagedEspeak, systemEspeak } from "./espeak-speaker.ts";
import type { Speaker } from "./speaker.ts";

const path = process.env.PATH ?? "";
const never = new AbortController().signal;
const utterance = { text: "สวัสดีครับ", language: "th" } as const;
const notInstalled = "there is no espeak-ng (apt-get install espeak-ng)";
const speakers: Record<"program" | "package", Speaker | null> = { program: null, package: null };
const kinds = ["program", "package"] as const;
let directory: string;

beforeAll(async () => {
  const packaged = packagedEspeak();
  [speakers.program, speakers.package] = await Promise.all([findEspeak(null, systemEspeak(path)), packaged && findEspeak(null, packaged)]);
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true }));

test.for(kinds)("espeak-ng as a %s speaks Thai as a WAV file whose header has its length", async (kind, context) => {
  const audio = await theInstalled(context, kind).speak(utterance, never);
  expect(audio).toMatchObject({ mime: "audio/wav" });
  expect(audio!.bytes.readUInt32LE(4)).toBe(audio!.bytes.length - 8);
  expect(audio!.bytes.readUInt32LE(40)).toBe(audio!.bytes.length - 44);
  expect(audio!.durationMs).toBeGreaterThan(300);
  expect(audio!.durationMs).toBeLessThan(10_000);
});

test.for(kinds)("a text that looks like an option of the %s is spoken as text", async (kind, context) => {
  for (const text of ["--help -f /etc/passwd", "--voices", "\0 \ud800 <speak>"])
    expect(await theInstalled(context, kind).speak({ ...utterance, text }, never)).toMatchObject({ mime: "audio/wav" });
});

test.for(kinds)("audio of several minutes resolves to null from the %s", async (kind, context) => {
  expect(await theInstalled(context, kind).speak({ ...utterance, text: "999999999 ".repeat(200) }, never)).toBeNull();
});

test("the npm package speaks exactly as the program", async (context) => {
  const [program, packaged] = await Promise.all(kinds.map((kind) => theInstalled(context, kind).speak(utterance, never)));
  expect(packaged?.bytes.equals(program?.bytes ?? Buffer.alloc(0))).toBe(true);
});

test("the process of the npm package reads no file but its own", async () => {
  const next = packagedEspeak();
  next?.prepareNext?.();
  const child = next?.start(["-v", "th"], "ก");
  const [pid, argv] = [child?.pid, child?.spawnargs.slice(1, -2) ?? []];
  expect(pid).toBeGreaterThan(0);
  expect(argv[0]).toBe("--permission");
  const readsAnother = [...argv, "--eval", "require('fs').readFileSync('/etc/hostname')"];
  await expect(promisify(execFile)(process.execPath, readsAnother)).rejects.toThrow("ERR_ACCESS_DENIED");
});

test("the program gets none of the environment's secrets", async () => {
  process.env.SECRET_KEY_OF_TEST = "secret";
  const speaker = await findEspeak(null, await program("printenv"));
  const spoken = await speaker?.speak(utterance, never);
  delete process.env.SECRET_KEY_OF_TEST;
  expect(spoken?.bytes.toString()).toContain("PATH=");
  expect(spoken?.bytes.toString()).not.toContain("secret");
});

test("the process that waits for the next text is replaced when it is killed", async (context) => {
  const started: number[] = [];
  const packaged = packagedEspeak() ?? context.skip("not run: the package espeak-ng is not installed");
  const start: EspeakProgram["start"] = (options, input) => {
    const child = packaged.start(options, input);
    started.push(child.pid ?? 0);
    return child;
  };
  const speaker = await findEspeak(null, { ...packaged, start });
  await speaker?.speak(utterance, never); // by the process that has waited
  const waiting = packaged.start([], "");
  waiting.kill("SIGKILL");
  await once(waiting, "close");
  expect(await speaker?.speak(utterance, never)).toMatchObject({ mime: "audio/wav" });
  expect(new Set([...started, waiting.pid]).size).toBe(4);
});

test("a voice that does not exist is detected at the start", async (context) => {
  theInstalled(context, "program");
  expect(await findEspeak("zzz", systemEspeak(path))).toBeNull();
  expect(await findEspeak("zzz", packagedEspeak() as EspeakProgram)).toBeNull();
});

test("a program that is not installed gives no speaker", async () => {
  expect(await findEspeak(null, systemEspeak(path, "no-such-program-anywhere"))).toBeNull();
});

test("a program that fails at the start gives no speaker, and a failure after the start rejects", async () => {
  expect(await findEspeak(null, await program("exit 1"))).toBeNull();
  const flag = join(directory, "worked-once");
  const speaker = await findEspeak(null, await program(`[ -e ${flag} ] && exit 3; touch ${flag}; cat`));
  await expect(speaker!.speak(utterance, never)).rejects.toThrow("ended with 3");
});

test("the installed espeak-ng names its voices, each once, and speaks with each of their names that is tried", async (context) => {
  const voices = (await theInstalled(context, "program").voices?.(never)) ?? [];
  expect(voices).toContainEqual({ name: "th", language: "Thai" });
  expect(new Set(voices.map(({ name }) => name)).size).toBe(voices.length);
  for (const { name } of voices.filter((_, i) => i % 40 === 0))
    expect(await theInstalled(context, "program").speak({ ...utterance, voice: name }, never), name).toMatchObject({ mime: "audio/wav" });
});

test("the voices of espeak-ng are read from its table: the name that -v takes, and the language in words", async () => {
  const table = [
    "Pty Language       Age/Gender VoiceName          File                 Other Languages",
    " 5  yue             --/M      Chinese_(Cantonese) sit/yue              (zh-yue 5)(zh 8)",
    " 5  yue             --/M      Chinese_(Cantonese,_latin_as_Jyutping) sit/yue-Latn-jyutping (zh-yue 8)",
    " 2  en-gb           --/M      English_(Great_Britain) gmw/en               (en 2)",
  ].join("\n");
  const speaker = await findEspeak(null, await program(`case "$1" in --voices) echo '${table}';; *) cat;; esac`));
  expect(await speaker?.voices?.(never)).toEqual([
    { name: "en-gb", language: "English (Great Britain)" },
    { name: "yue", language: "Chinese (Cantonese)" },
  ]);
});

test("a program that hangs is killed when the signal is aborted", async () => {
  const flag = join(directory, "pid");
  const speaker = await findEspeak(null, await program(`[ -e ${flag} ] || { touch ${flag}; exit 0; }; echo $$ > ${flag}; exec sleep 600`));
  const deadline = new AbortController();
  const spoken = speaker!.speak(utterance, deadline.signal);
  const pid = await written(flag);
  deadline.abort();
  await expect(spoken).rejects.toThrow(/abort/i);
  await until(async () => !isAlive(pid));
});

function theInstalled(context: TestContext, kind: keyof typeof speakers): Speaker {
  const installed = speakers[kind];
  if (!installed && process.env.CI) throw new Error(notInstalled);
  return installed ?? context.skip(`not run: ${notInstalled}`);
}

async function program(script: string): Promise<EspeakProgram> {
  const file = join(directory, `program-${Math.random()}`);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return systemEspeak(path, file);
}

async function written(file: string): Promise<number> {
  let pid = 0;
  await until(async () => (pid = Number(await readFile(file, "utf8"))) > 0);
  return pid;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
