import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { useDatabase } from "../db/testing.ts";
import { forgetUnusedSpeech } from "./speech-store.ts";

let knex: Knex;

useDatabase(async (opened) => {
  knex = opened.knex;
});

async function keepSpeech(streamerId: string, hash: string): Promise<void> {
  await knex("speech_audio").insert({ hash, mime: "audio/wav", bytes: Buffer.of(1), streamer_id: streamerId });
}

/** An alert that waits for its turn. */
async function waitWith(streamerId: string, hash: string): Promise<void> {
  const playback = { id: uuidv7(), streamer_id: streamerId, donation_id: uuidv7(), number: 1, replay: false, sequence: 1, state: "queued" };
  await knex("playbacks").insert({ ...playback, speech_id: hash, waits_since: knex.fn.now() });
}

test("speech that was made for one streamer stays while an alert of that streamer or of another needs it, and goes otherwise", async () => {
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
