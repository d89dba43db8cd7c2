import { expect, test } from "vitest";
import { saveSettings } from "../../alerts/queue/controls.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import { streamerStore } from "../../donations/streamers.ts";
import { Problem } from "../../http/problem.ts";
import type { Utterance } from "../../speech/speaker.ts";
import { openSpeech } from "../../speech/speech-cache.ts";
import { makeWav } from "../../speech/testing.ts";
import { speakSample } from "./samples.ts";

const database = useDatabase();

const sample = { donatorName: "Malee", amount: 100, message: "hello spam" };

/** A service with an engine that notes what it is asked, and limits that refuse after so many samples. */
async function open({ refusesFrom = Number.POSITIVE_INFINITY } = {}) {
  const spoken: Utterance[] = [];
  const spent: unknown[] = [];
  const speaker = {
    id: "fake",
    name: "fake",
    speak: async (utterance: Utterance) => {
      spoken.push(utterance);
      return { mime: "audio/wav", bytes: makeWav({ seconds: 1 }), durationMs: 1_000 };
    },
  };
  const { knex } = database;
  const speech = openSpeech({ engine: { isOn: true, find: async () => speaker }, knex, log: silent });
  const limits = {
    spend: (...call: unknown[]) => {
      if (spent.push(call) >= refusesFrom) throw new Problem("rate_limited", "no");
      return {};
    },
  };
  const { id } = await streamerStore(knex).create(`s${Math.random()}`.slice(0, 12).replace(".", ""));
  return { id, speech, spoken, spent, say: speakSample(knex, speech, limits as never) };
}

test("a sample is spoken once for the same text and voice, and then comes from the cache, which the overlay shares", async () => {
  const { id, say, spoken, speech } = await open();
  const [first, again] = [await say(id, { ...sample, voice: "th" }), await say(id, { ...sample, voice: "th" })];
  expect([first?.mime, again?.bytes.equals(first?.bytes as Buffer), spoken.length]).toEqual(["audio/wav", true, 1]);
  const alert = {
    donatorName: sample.donatorName,
    amount: 100,
    message: sample.message,
    currency: "THB",
    language: "th",
    voice: "th",
  } as const;
  expect(await speech.prepare(id, alert)).toMatchObject({ mime: "audio/wav" });
  expect(spoken).toHaveLength(1);
  await speech.close();
});

test("a sample without a voice has that of the settings, and with null the engine's own", async () => {
  const { id, say, spoken, speech } = await open();
  await saveSettings(database.knex, id, { voice: "malee" });
  await say(id, { ...sample, message: "one" });
  await say(id, { ...sample, message: "one", voice: null });
  expect(spoken.map(({ voice }) => voice ?? null)).toEqual(["malee", null]);
  await speech.close();
});

test("blocked words that the settings mask are not spoken in a sample either", async () => {
  const { id, say, spoken, speech } = await open();
  await saveSettings(database.knex, id, { blockedWords: ["spam"], blockedWordAction: "mask_word" });
  await say(id, { ...sample, message: "masked spam" });
  expect(spoken[0]?.text).toContain("masked");
  expect(spoken[0]?.text).not.toContain("spam");
  await speech.close();
});

test("samples are limited for each streamer apart from other forms, and a refused one reaches no engine", async () => {
  const { id, say, spoken, spent, speech } = await open({ refusesFrom: 2 });
  await say(id, { ...sample, message: "limit" });
  await expect(say(id, { ...sample, message: "limit again" })).rejects.toMatchObject({ code: "rate_limited" });
  expect(spent).toEqual(Array(2).fill(["control", `listening ${id}`, { tokens: 5 }]));
  expect(spoken).toHaveLength(1);
  await speech.close();
});
