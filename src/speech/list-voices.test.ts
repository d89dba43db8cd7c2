import { expect, test } from "vitest";
import { silent } from "../db/testing.ts";
import { voiceList } from "./list-voices.ts";
import type { Speaker } from "./speaker.ts";

const engine = (voices: NonNullable<Speaker["voices"]>): Speaker => ({ id: "fake", speak: async () => null, voices });
const thai = [{ name: "th", language: "Thai" }];

test("there are no voices to choose from without an engine, or with one that names none", async () => {
  expect(await voiceList(null, silent)()).toEqual([]);
  expect(await voiceList({ id: "fake", speak: async () => null }, silent)()).toEqual([]);
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
