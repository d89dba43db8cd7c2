import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

import { send } from "../../suite/client/http-client.ts";
import { change, control, decide, donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, type Page, type Playback } from "../../suite/client/overlay/overlay-page.ts";
import { type SpeechEngine, startSpeechEngine } from "../../suite/client/overlay/speech-engine.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { target } from "../../suite/values/target.ts";

// A process whose speech engine is the suite's own: its audio contains a digest of the text that it speaks.

let engine: SpeechEngine;
let process: Process | null = null;
const there = { server: "" };

beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  engine = await startSpeechEngine((text) => wavOf(Buffer.from(digestOf(text))));
  process = await startProcess(operator, "speech-text", { TTS_URL: engine.url });
  there.server = process.url;
});
beforeEach(async (context) => {
  needsOwnProcess(context as never);
  overlayKeyOf(context as never);
  await freshQueue(there);
});
afterEach(() => closePages());
afterAll(async () => {
  await process?.stop();
  engine?.close();
});

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A WAV file of one second at most: 8-bit samples, 8000 a second. */
function wavOf(data: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF    WAVEfmt ");
  head.write("data", 36);
  const numbers = [4, 36 + data.length, 16, 16, 20, 0x10001, 24, 8_000, 28, 8_000, 32, 0x80001, 40, data.length];
  for (let at = 0; at < numbers.length; at += 2) head.writeUInt32LE(numbers[at + 1] ?? 0, numbers[at]);
  return Buffer.concat([head, data]);
}

/** Plays the next alert to its end. Returns it with the text that its speech says. */
async function listen(page: Page): Promise<Playback & { said: string }> {
  const playback = await page.next("playback");
  const { text: audio } = await send({ path: `/api/v1/overlay/speech/${playback.speech?.id}`, key: target().keys.overlay, ...there });
  for (const step of ["started", "ended"] as const) await acknowledge(step, playback.id, { player: page.player, ...there });
  const said = engine.requests.map(({ text }) => text).find((text) => audio.includes(digestOf(text)));
  return { ...playback, said: said ?? `nothing that the engine was asked for: ${audio.slice(0, 200)}` };
}

const heldCount = async (): Promise<number> => queueOf(await queue(there)).heldCount;

test("the speech of an alert says name, amount in Thai words, and message", async () => {
  const page = await follow(there);
  await donate({ donatorName: "มาลี", amount: 1234.5, message: "ขอบคุณค่ะ" }, there);
  const { said } = await listen(page);
  for (const part of ["มาลี", "หนึ่งพันสองร้อยสามสิบสี่บาทห้าสิบสตางค์", "ขอบคุณค่ะ"]) expect(said).toContain(part);
});

test("each of ten alerts that are donated at once has its own speech", async () => {
  const page = await follow(there);
  const names = ["กบ", "ขวัญ", "คูณ", "งาม", "จอย", "ฉัตร", "ชมพู่", "ดาว", "ต้น", "นก"];
  const alertAll = async (): Promise<Playback[]> => {
    await Promise.all(names.map((donatorName) => donate({ donatorName, message: `จาก${donatorName}` }, there)));
    const played: Playback[] = [];
    for (const _ of names) {
      const { said, ...playback } = await listen(page);
      played.push(playback);
      if (playback.speech) expect(names.filter((name) => said.includes(`จาก${name}`))).toEqual([playback.donatorName]);
    }
    return played;
  };
  // On a busy machine an alert may have waited for its speech for too long, and plays without it.
  for (let tries = 1; tries < 5; tries += 1) if ((await alertAll()).every(({ speech }) => speech !== null)) return;
  expect((await alertAll()).filter(({ speech }) => speech === null)).toEqual([]);
});

test.each(["mask_word", "mask_text"])(
  "the speech of an alert whose words are hidden by %s says none of them",
  async (blockedWordAction) => {
    await change({ blockedWords: ["สแปม"], blockedWordAction }, there);
    const page = await follow(there);
    await donate({ donatorName: "ร้านสแปม", message: "ซื้อสแปมเลย", amount: 21 }, there);
    const { said } = await listen(page);
    expect(said).not.toContain("สแปม");
    expect(said).toContain("ยี่สิบเอ็ดบาท");
  },
);

test("the speech of an alert that was masked says neither name nor message, only the amount", async () => {
  await change({ approval: "all" }, there);
  const page = await follow(there);
  const { id } = await donate({ donatorName: "มานี", message: "ความลับ", amount: 22 }, there);
  await expect.poll(heldCount).toBe(1);
  await control("pause", there);
  await decide(id, "mask", there);
  await control("resume", there);
  const { said } = await listen(page);
  for (const hidden of ["มานี", "ความลับ"]) expect(said).not.toContain(hidden);
  expect(said).toContain("ยี่สิบสองบาท");
});

test("the speech engine is not asked to speak for a donation with skipAlert", async () => {
  const page = await follow(there);
  await donate({ donatorName: "เงียบ", skipAlert: true }, there);
  await donate({ donatorName: "หลังเงียบ" }, there);
  expect((await listen(page)).said).toContain("หลังเงียบ");
  expect(engine.requests.map(({ text }) => text).filter((text) => text.startsWith("เงียบ"))).toEqual([]);
});
