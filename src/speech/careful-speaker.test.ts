import { pino } from "pino";
import { expect, test } from "vitest";
import { beCareful, type SpeechLimits, usualLimits } from "./careful-speaker.ts";
import type { Audio, Speaker } from "./speaker.ts";

const audio: Audio = { mime: "audio/wav", bytes: Buffer.from("x"), durationMs: 1 };
const utterance = { text: "ก", language: "th" } as const;

test("so many calls at once and no more; the others wait their turn", async () => {
  let running = 0;
  let most = 0;
  const { speak } = careful(async () => {
    most = Math.max(most, ++running);
    await pause(20);
    running -= 1;
    return audio;
  });
  const spoken = await Promise.all(Array.from({ length: 10 }, () => speak(utterance)));
  expect(spoken).toEqual(Array(10).fill(audio));
  expect(most).toBe(usualLimits.mostCalls);
});

test("whoever has waited too long for a place is not spoken any more", async () => {
  let calls = 0;
  const { speak } = careful(
    async () => {
      calls += 1;
      await pause(100);
      return audio;
    },
    { mostCalls: 1, patienceMs: 50 },
  );
  expect(await Promise.all([speak(utterance), speak(utterance)])).toEqual([audio, null]);
  expect(calls).toBe(1);
});

test("a call that hangs is aborted and is a failure", async () => {
  const { speak, lines } = careful(hanging, { callMs: 30 });
  expect(await speak(utterance)).toBeNull();
  expect(lines).toEqual([expect.stringContaining("the speech engine cannot be used")]);
});

test("after several failures the engine rests, then it is tried again; the log has one line for the outage and one for its end", async () => {
  let calls = 0;
  let broken = true;
  const { speak, lines } = careful(
    async () => {
      calls += 1;
      if (broken) throw new Error("broken");
      return audio;
    },
    { restMs: 200 },
  );
  for (let i = 0; i < 10; i += 1) expect(await speak(utterance)).toBeNull();
  expect(calls).toBe(usualLimits.mostFailures);
  await pause(250);
  for (let i = 0; i < 10; i += 1) await speak(utterance);
  expect(calls).toBe(usualLimits.mostFailures + 1);
  expect(lines).toHaveLength(1);
  broken = false;
  await pause(250);
  expect(await speak(utterance)).toEqual(audio);
  expect(lines).toEqual([expect.stringContaining("cannot be used"), expect.stringContaining("is back")]);
});

test("a single failure now and then is no reason to rest", async () => {
  let calls = 0;
  const { speak } = careful(async () => {
    if (++calls % 2) throw new Error("now and then");
    return audio;
  });
  for (let i = 0; i < 20; i += 1) await speak(utterance);
  expect(calls).toBe(20);
});

test("audio that is too long is no failure: no donor can silence the others", async () => {
  const { speak } = careful(async ({ text }) => (text === "long" ? null : audio));
  for (let i = 0; i < 10; i += 1) expect(await speak({ ...utterance, text: "long" })).toBeNull();
  expect(await speak(utterance)).toEqual(audio);
});

test("closing ends what is under way, without a word", async () => {
  const { speak, close, lines } = careful(hanging);
  const spoken = Array.from({ length: 10 }, () => speak(utterance));
  close();
  expect(await Promise.all(spoken)).toEqual(Array(10).fill(null));
  expect(await speak(utterance)).toBeNull();
  expect(lines).toEqual([]);
});

function careful(speak: Speaker["speak"], limits: Partial<SpeechLimits> = {}) {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => lines.push(line) });
  return { ...beCareful({ id: "fake", speak }, log, { ...usualLimits, ...limits }), lines };
}

function hanging(_: unknown, signal: AbortSignal): Promise<Audio> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
