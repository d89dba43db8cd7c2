import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { expect, test } from "vitest";
import { boundSpeaker, defaultLimits, type SpeechLimits } from "./bounded-speaker.ts";
import { type Audio, type Speaker, TextRefused, type Utterance } from "./speaker.ts";

const audio: Audio = { mime: "audio/wav", bytes: Buffer.from("x"), durationMs: 1 };
const utterance = { text: "ก", language: "th" } as const;

test("at most maxConcurrentCalls calls run at the same time, and the others wait", async () => {
  let running = 0;
  let most = 0;
  const { speak } = careful(async () => {
    most = Math.max(most, ++running);
    await sleep(20);
    running -= 1;
    return audio;
  });
  const spoken = await Promise.all(Array.from({ length: 10 }, () => speak(utterance)));
  expect(spoken).toEqual(Array(10).fill(audio));
  expect(most).toBe(defaultLimits.maxConcurrentCalls);
});

test("a call that has waited longer than waitLimitMs does not reach the engine", async () => {
  let calls = 0;
  const { speak } = careful(
    async () => {
      calls += 1;
      await sleep(100);
      return audio;
    },
    { maxConcurrentCalls: 1, waitLimitMs: 50 },
  );
  expect(await Promise.all([speak(utterance), speak(utterance)])).toEqual([audio, null]);
  expect(calls).toBe(1);
});

test("a call that takes longer than callLimitMs is aborted and counts as a failure", async () => {
  const { speak, lines } = careful(hanging, { callLimitMs: 30 });
  expect(await speak(utterance)).toBeNull();
  expect(lines).toEqual([expect.stringContaining("the speech engine cannot be used")]);
});

test("after maxFailures failures the engine is not called during the cool-down; the log has one line for the outage and one for its end", async () => {
  let calls = 0;
  let broken = true;
  const { speak, lines } = careful(
    async () => {
      calls += 1;
      if (broken) throw new Error("broken");
      return audio;
    },
    { cooldownMs: 200 },
  );
  for (let i = 0; i < 10; i += 1) expect(await speak(utterance)).toBeNull();
  expect(calls).toBe(defaultLimits.maxFailures);
  await sleep(250);
  for (let i = 0; i < 10; i += 1) await speak(utterance);
  expect(calls).toBe(defaultLimits.maxFailures + 1);
  expect(lines).toHaveLength(1);
  broken = false;
  await sleep(250);
  expect(await speak(utterance)).toEqual(audio);
  expect(lines).toEqual([expect.stringContaining("cannot be used"), expect.stringContaining("is back")]);
});

test("failures that alternate with successes start no cool-down", async () => {
  let calls = 0;
  const { speak } = careful(async () => {
    if (++calls % 2) throw new Error("now and then");
    return audio;
  });
  for (let i = 0; i < 20; i += 1) await speak(utterance);
  expect(calls).toBe(20);
});

test("audio that is too long is not a failure, so that no donator can silence the alerts of others", async () => {
  const { speak } = careful(async ({ text }) => (text === "long" ? null : audio));
  for (let i = 0; i < 10; i += 1) expect(await speak({ ...utterance, text: "long" })).toBeNull();
  expect(await speak(utterance)).toEqual(audio);
});

test("a text that the engine refuses is logged and is not a failure, so that no donator can silence the alerts of others", async () => {
  const { speak, lines } = careful(async ({ text }) => {
    if (text === "refused") throw new TextRefused("answered 422");
    return audio;
  });
  for (let i = 0; i < 10; i += 1) expect(await speak({ ...utterance, text: "refused" })).toBeNull();
  expect(await speak(utterance)).toEqual(audio);
  expect(lines).toEqual(Array(10).fill(expect.stringContaining("answered 422")));
});

test("closing aborts the running calls without a log message", async () => {
  const { speak, close, lines } = careful(hanging);
  const spoken = Array.from({ length: 10 }, () => speak(utterance));
  close();
  expect(await Promise.all(spoken)).toEqual(Array(10).fill(null));
  expect(await speak(utterance)).toBeNull();
  expect(lines).toEqual([]);
});

test("a voice that the engine does not have is no failure: the engine's own voice speaks", async () => {
  const voices: unknown[] = [];
  const { speak } = careful(async ({ voice }) => {
    voices.push(voice);
    if (voice) throw new Error("no such voice");
    return audio;
  });
  for (let i = 0; i <= defaultLimits.maxFailures; i += 1) expect(await speak({ ...utterance, voice: "nobody" })).toBe(audio);
  expect(voices.slice(0, 2)).toEqual(["nobody", undefined]);
});

function careful(speak: Speaker["speak"], limits: Partial<SpeechLimits> = {}) {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => lines.push(line) });
  const bounded = boundSpeaker(log, { ...defaultLimits, ...limits });
  return { ...bounded, speak: (utterance: Utterance) => bounded.speak({ id: "fake", name: "fake", speak }, utterance), lines };
}

function hanging(_: unknown, signal: AbortSignal): Promise<Audio> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
