import { afterEach, expect, test, vi } from "vitest";
import { silent } from "../db/testing.ts";
import { chooseSpeaker, speechEngine } from "./choose-speaker.ts";
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
  expect(await chooseSpeaker(espeak)).toMatchObject({ name: "espeak-ng, the npm package", isFallback: true });
});
