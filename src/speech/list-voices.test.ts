import { expect, test } from "vitest";
import { silent } from "../db/testing.ts";
import { type SpeechEngine, speechState, voiceList } from "./choose-speaker.ts";
import type { Speaker } from "./speaker.ts";

const speaker = (more: Partial<Speaker>): Speaker => ({ id: "fake", name: "fake", speak: async () => null, ...more });
const found = (speaker: Speaker | null, isOn = true): SpeechEngine => ({ isOn, find: async () => speaker });
const engine = (voices: NonNullable<Speaker["voices"]>) => found(speaker({ voices }));
const thai = [{ name: "th", language: "Thai" }];

test("there are no voices to choose from without an engine, or with one that names none", async () => {
  expect(await voiceList(found(null), silent)()).toEqual([]);
  expect(await voiceList(found(speaker({})), silent)()).toEqual([]);
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
  const speakers = [speaker({ voices: async () => thai }), speaker({ voices: async () => [] })];
  const list = voiceList({ isOn: true, find: async () => speakers[0] ?? null }, silent);
  expect(await list()).toEqual(thai);
  speakers.shift();
  expect(await list()).toEqual([]);
});

test.each([
  ["off", found(null, false)],
  ["none", found(null)],
  ["fallback", found(speaker({ isFallback: true }))],
  ["natural", found(speaker({}))],
] as const)("speech is %s as operator and engine say", async (state, engine) => {
  expect(await speechState(engine)).toBe(state);
});
