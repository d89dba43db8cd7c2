import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { silent } from "../db/testing.ts";
import { chooseSpeaker, type SpeechEngine, speechEngine, speechState, voiceList } from "./choose-speaker.ts";
import type { Speaker } from "./speaker.ts";

const speaker = (name: string, isFallback = false): Speaker => ({ id: name, name, isFallback, speak: async () => null });
const espeak = { engine: "espeak", voice: null, path: "/nonexistent" } as const;

afterEach(() => void vi.useRealTimers());

test("an engine that appears later is found without a restart, and is not looked for at each alert", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let [looked, installed]: [number, Speaker | null] = [0, null];
  const engine = speechEngine(espeak, silent, async () => {
    looked += 1;
    return installed;
  });
  expect([await engine.find(), await engine.find(), looked]).toEqual([null, null, 1]);
  installed = speaker("espeak-ng");
  vi.advanceTimersByTime(10_000);
  expect([(await engine.find())?.name, looked]).toEqual(["espeak-ng", 2]);
  vi.advanceTimersByTime(3_600_000);
  expect([(await engine.find())?.name, looked]).toEqual(["espeak-ng", 2]);
});

test("a better engine takes the place of a fallback, which speaks until then", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const engines: (Speaker | null)[] = [speaker("package", true), null, speaker("program", true)];
  const engine = speechEngine(espeak, silent, async () => engines.shift() ?? null);
  const names: (string | undefined)[] = [];
  for (let i = 0; i < 4; i += 1) {
    names.push((await engine.find())?.name);
    await new Promise(setImmediate); // the look in the background
    vi.advanceTimersByTime(600_000);
  }
  expect(names).toEqual(["package", "package", "package", "program"]);
});

test("no engine is looked for with TTS=off", async () => {
  const engine = speechEngine(null, silent, () => expect.unreachable());
  expect([engine.isOn, await engine.find()]).toEqual([false, null]);
});

test.each([
  [{ engine: "http", url: "http://127.0.0.1:9/", token: null, voice: null }, "http"],
  [{ engine: "openai", url: null, token: "k", model: null, voice: null }, "openai"],
  [{ engine: "google", url: null, token: "k", voice: null }, "google"],
  [{ engine: "azure", url: null, region: "southeastasia", token: "k", voice: null }, "azure"],
] as const)("the engine of %j is %s", async (tts, id) => {
  expect((await chooseSpeaker(tts))?.id).toMatch(new RegExp(`^${id} `));
});

test("without espeak-ng on PATH the npm package speaks", async () => {
  // Null where the package takes longer to load than an alert may wait: it is looked for again.
  await expect.poll(() => chooseSpeaker(espeak)).toMatchObject({ name: "espeak-ng, the npm package", isFallback: true });
});

const speakerWith = (more: Partial<Speaker>): Speaker => ({ ...speaker("fake"), ...more });
const found = (speaker: Speaker | null, isOn = true): SpeechEngine => ({ isOn, find: async () => speaker });
const engine = (voices: NonNullable<Speaker["voices"]>) => found(speakerWith({ voices }));
const thai = [{ name: "th", language: "Thai" }];

test("there are no voices to choose from without an engine, or with one that names none", async () => {
  expect(await voiceList(found(null), silent)()).toEqual([]);
  expect(await voiceList(found(speakerWith({})), silent)()).toEqual([]);
});

test("the engine is asked for its voices once, by whoever asks first", async () => {
  let asked = 0;
  const list = voiceList(
    engine(async () => {
      asked += 1;
      return thai;
    }),
    silent,
  );
  expect(await Promise.all([list(), list()])).toEqual([thai, thai]);
  expect([await list(), asked]).toEqual([thai, 1]);
});

test("an engine that fails to name its voices has none, and is asked again the next time", async () => {
  let asked = 0;
  const list = voiceList(
    engine(async () => {
      asked += 1;
      if (asked === 1) throw new Error("broken");
      return thai;
    }),
    silent,
  );
  expect([await list(), await list()]).toEqual([[], thai]);
});

test("another engine that has appeared is asked for its own voices", async () => {
  const speakers = [speakerWith({ voices: async () => thai }), speakerWith({ voices: async () => [] })];
  const list = voiceList({ isOn: true, find: async () => speakers[0] ?? null }, silent);
  expect(await list()).toEqual(thai);
  speakers.shift();
  expect(await list()).toEqual([]);
});

test.each([
  ["off", found(null, false)],
  ["none", found(null)],
  ["fallback", found(speakerWith({ isFallback: true }))],
  ["natural", found(speakerWith({}))],
] as const)("speech is %s as operator and engine say", async (state, engine) => {
  expect(await speechState(engine)).toBe(state);
});

const folder = import.meta.dirname;

/** Files of speech engines; bounded-speaker.ts wraps any of them. */
const engines = readdirSync(folder).filter((file) => /-speaker\.ts$/.test(file) && !/^(?:choose|bounded)-/.test(file));

test("every speech engine has a test file beside it", () => {
  const tests = engines.map((file) => file.replace(/\.ts$/, ".test.ts"));
  expect(tests.filter((file) => !existsSync(join(folder, file))).map((file) => `src/speech/${file} is missing`)).toEqual([]);
});

test("every speech engine can be chosen by the operator", () => {
  const choice = readFileSync(join(folder, "choose-speaker.ts"), "utf8");
  expect(
    engines.filter((file) => !choice.includes(`"./${file}"`)).map((file) => `src/speech/choose-speaker.ts does not choose ${file}`),
  ).toEqual([]);
});
