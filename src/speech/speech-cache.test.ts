import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { uuidv7 } from "uuidv7";
import { afterEach, beforeEach, expect, test } from "vitest";
import { silent, useDatabase } from "../db/testing.ts";
import { defaultLimits, type SpeechLimits } from "./bounded-speaker.ts";
import type { Audio, Speaker, Utterance } from "./speaker.ts";
import { openSpeech, type SpeechService } from "./speech-cache.ts";
import { forgetUnusedSpeech, speechStore } from "./speech-store.ts";
import { makeWav } from "./testing.ts";

const donation = { donatorName: "สมชาย", amount: 100, currency: "THB", message: "ขอบคุณ", language: "th" } as const;
const audio: Audio = { mime: "audio/wav", bytes: makeWav({ seconds: 1 }), durationMs: 1_000 };
const rooms: SpeechService[] = [];
const streamer = uuidv7();

const database = useDatabase();
beforeEach(() => database.knex("speech_audio").delete());
afterEach(() => Promise.all(rooms.splice(0).map((room) => room.close())));

test("prepared speech can be read by its hash", async () => {
  const { room, said } = open();
  const prepared = await room.prepare(streamer, donation);
  expect(prepared).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), mime: "audio/wav", durationMs: 1_000 });
  expect(await room.read(prepared!.hash)).toEqual({ mime: "audio/wav", bytes: audio.bytes });
  expect(said).toEqual([{ text: "สมชาย โดเนทหนึ่งร้อยบาท, ขอบคุณ", language: "th" }]);
});

test("the same text is spoken once for all processes, and is found after a restart", async () => {
  const [a, b] = [open(), open()];
  const first = await a.room.prepare(streamer, donation);
  expect(await b.room.prepare(streamer, donation)).toEqual(first);
  expect([a.said.length, b.said.length]).toEqual([1, 0]);
});

test("the same text that is prepared several times at once causes one call of the engine", async () => {
  const { room, said } = open({ speak: () => sleep(50, audio) });
  const prepared = await Promise.all(Array.from({ length: 20 }, () => room.prepare(streamer, donation)));
  expect(new Set(prepared.map((speech) => speech?.hash)).size).toBe(1);
  expect(said).toHaveLength(1);
});

test("another voice, engine or text has another hash", async () => {
  const hashes = [
    (await open({ id: "one" }).room.prepare(streamer, donation))?.hash,
    (await open({ id: "two" }).room.prepare(streamer, donation))?.hash,
    (await open({ id: "one" }).room.prepare(streamer, { ...donation, amount: 101 }))?.hash,
  ];
  expect(new Set(hashes).size).toBe(3);
});

test("prepare resolves to null at the deadline, and audio that comes later is found the next time", async () => {
  const engine = Promise.withResolvers<typeof audio>();
  const { room, said } = open({ speak: () => engine.promise, limits: { waitLimitMs: 50 } });
  expect(await room.prepare(streamer, donation)).toBeNull();
  engine.resolve(audio);
  await expect.poll(() => room.prepare(streamer, donation), { timeout: 10_000 }).toMatchObject({ mime: "audio/wav" });
  expect(said).toHaveLength(1);
});

test("prepare resolves to null when the engine fails, and nothing is stored", async () => {
  const { room } = open({ speak: () => Promise.reject(new Error("broken")) });
  expect(await room.prepare(streamer, donation)).toBeNull();
  expect(await database.knex("speech_audio").pluck("hash")).toEqual([]);
});

test("without an engine nothing is prepared, but audio that other processes have made can be read", async () => {
  const prepared = await open().room.prepare(streamer, donation);
  const none = openSpeech({ engine: { isOn: true, find: async () => null }, knex: database.knex, log: silent });
  rooms.push(none);
  expect(await none.prepare(streamer, donation)).toBeNull();
  expect(await none.read(prepared!.hash)).toMatchObject({ mime: "audio/wav" });
});

test.each(["", "0", "f".repeat(64), "F".repeat(64), "\0", "x".repeat(100_000)])("read(%j) is null", async (hash) => {
  expect(await open().room.read(hash)).toBeNull();
});

test("prepare resolves to null when the database fails, and logs it without the donator's text", async () => {
  const lines: string[] = [];
  const { room } = open({ log: pino({}, { write: (line) => lines.push(line) }) });
  await database.knex.raw("alter table speech_audio rename to speech_audio_away");
  try {
    expect(await room.prepare(streamer, donation)).toBeNull();
  } finally {
    await database.knex.raw("alter table speech_audio_away rename to speech_audio");
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/สมชาย|ขอบคุณ/);
});

test("close aborts running calls and resolves when they have ended", async () => {
  const { room } = open({
    speak: (_, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const prepared = room.prepare(streamer, donation);
  await sleep(50);
  await room.close();
  expect(await prepared).toBeNull();
});

test("audio that was not used for 30 days is deleted, and audio that was used is not", async () => {
  const store = speechStore(database.knex);
  const { room } = open();
  const kept = await room.prepare(streamer, donation);
  const alsoKept = await room.prepare(streamer, { ...donation, amount: 2 });
  await room.prepare(streamer, { ...donation, amount: 3 });
  await database.knex.raw(
    "insert into speech_audio (hash, mime, bytes, streamer_id) select 'old ' || n, 'audio/wav', '', ? from generate_series(1, 1200) n",
    [streamer],
  );
  await database.knex.raw("update speech_audio set used_at = now() - interval '31 days'");
  await room.prepare(streamer, donation);
  await room.read(alsoKept!.hash);
  await store.prune();
  expect((await database.knex("speech_audio").pluck("hash")).sort()).toEqual([kept!.hash, alsoKept!.hash].sort());
});

test("the least recently used audio of a streamer beyond 50 MB is deleted, except audio of open playbacks and of other streamers", async () => {
  const store = speechStore(database.knex);
  const [mine, hers] = [uuidv7(), uuidv7()];
  const large = { mime: "audio/wav", bytes: Buffer.alloc(10_000_000), durationMs: null };
  const keep = async (streamerId: string, hash: string, daysAgo: number) => {
    await store.keep(streamerId, hash, large);
    await database.knex.raw("update speech_audio set used_at = now() - ? * interval '1 day' where hash = ?", [daysAgo, hash]);
  };
  await keep(hers, "hers", 20);
  const waits = { id: uuidv7(), streamer_id: mine, donation_id: uuidv7(), number: 1, replay: false, sequence: 1, state: "queued" };
  await database.knex("playbacks").insert({ ...waits, speech_id: "waited for", waits_since: database.knex.fn.now() });
  for (const [index, hash] of ["waited for", "oldest", "older", "old", "new"].entries()) await keep(mine, hash, 9 - index);
  expect(await database.knex("speech_audio").pluck("hash")).toHaveLength(6);
  await keep(mine, "newest", 0);
  await keep(mine, "last", 0);
  const kept = await database.knex("speech_audio").pluck("hash");
  expect(kept.sort()).toEqual(["hers", "last", "new", "newest", "old", "older", "waited for"].sort());
});

test("at most 30 new texts a minute are spoken for a streamer; stored audio and other streamers are not limited by that", async () => {
  const { room, said } = open({ limits: { maxConcurrentCalls: 100 } });
  const speak = (streamerId: string, amount: number) => room.prepare(streamerId, { ...donation, amount });
  const made = await Promise.all(Array.from({ length: 40 }, (_, index) => speak(streamer, index + 1)));
  expect(made.filter((speech) => speech !== null)).toHaveLength(30);
  expect(said).toHaveLength(30);
  const again = made.findIndex((speech) => speech !== null);
  expect(await speak(streamer, again + 1)).toEqual(made[again]);
  expect(await speak(uuidv7(), 1_000)).not.toBeNull();
});

test("reading audio writes its use at most once a day", async () => {
  const { room } = open();
  const { hash } = (await room.prepare(streamer, donation))!;
  const usedAt = () => database.knex("speech_audio").where({ hash }).first("used_at");
  const before = await usedAt();
  await room.read(hash);
  expect(await usedAt()).toEqual(before);
});

type Opened = Partial<Speaker> & { limits?: Partial<SpeechLimits>; log?: typeof silent };

function open({ id = "fake", speak = async () => audio, limits = {}, log = silent }: Opened = {}) {
  const said: Utterance[] = [];
  const speaker: Speaker = {
    id,
    name: id,
    speak: (utterance, signal) => {
      said.push(utterance);
      return speak(utterance, signal);
    },
  };
  const room = openSpeech({
    engine: { isOn: true, find: async () => speaker },
    knex: database.knex,
    log,
    limits: { ...defaultLimits, ...limits },
  });
  rooms.push(room);
  return { room, said };
}

async function keepSpeech(streamerId: string, hash: string): Promise<void> {
  await database.knex("speech_audio").insert({ hash, mime: "audio/wav", bytes: Buffer.of(1), streamer_id: streamerId });
}

/** An alert that waits for its turn. */
async function waitWith(streamerId: string, hash: string): Promise<void> {
  const playback = { id: uuidv7(), streamer_id: streamerId, donation_id: uuidv7(), number: 1, replay: false, sequence: 1, state: "queued" };
  await database.knex("playbacks").insert({ ...playback, speech_id: hash, waits_since: database.knex.fn.now() });
}

test("speech that was made for one streamer stays while an alert of that streamer or of another needs it, and goes otherwise", async () => {
  const { knex } = database;
  const [mine, hers] = [uuidv7(), uuidv7()];
  for (const hash of ["mine", "shared", "unused", "late"]) await keepSpeech(mine, hash);
  await knex("speech_audio")
    .where({ hash: "late" })
    .update({ made_at: knex.raw("now() - interval '2 days'") });
  await keepSpeech(hers, "hers");
  await waitWith(mine, "mine");
  await waitWith(hers, "shared");
  await forgetUnusedSpeech(knex, mine);
  expect((await knex("speech_audio").pluck("hash")).sort()).toEqual(["hers", "mine", "shared"]);
});
