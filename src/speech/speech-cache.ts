// Prepares speech for alerts: makes the text, looks it up in the cache, and calls the engine within a deadline and a quota.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { resultWithin } from "../base/async.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { startIntervalTask } from "../telemetry/interval-task.ts";
import { boundSpeaker, defaultLimits, type SpeechLimits } from "./bounded-speaker.ts";
import type { SpeechEngine } from "./choose-speaker.ts";
import type { Audio, Speaker, Utterance } from "./speaker.ts";
import { type StoredSpeech, speechRate, speechStore } from "./speech-store.ts";
import { type SpokenDonation, speechText } from "./speech-text.ts";

export type PreparedSpeech = StoredSpeech & { hash: string };

export type Speech = {
  /**
   * Makes the speech of a donation, or finds it in the cache. Resolves to null when that fails, takes longer than 5 s, or exceeds the
   * streamer's quota; never rejects.
   */
  prepare: (streamerId: string, donation: SpokenDonation & { voice?: string | null }) => Promise<PreparedSpeech | null>;
  /** Resolves to the audio; null for an unknown hash. Rejects when the database can't be reached. */
  read: (hash: string) => Promise<Pick<Audio, "mime" | "bytes"> | null>;
};

export type SpeechService = Speech & { close: () => Promise<void> };

type Order = Readonly<{ speaker: Speaker; utterance: Utterance }>;

type SpeechDeps = { engine: SpeechEngine; knex: Knex; log: Logger; limits?: SpeechLimits };

const pruneIntervalMs = 3_600_000;

export function openSpeech({ engine, knex, log, limits = defaultLimits }: SpeechDeps): SpeechService {
  const store = speechStore(knex);
  const takeQuota = speechRate();
  const bounded = boundSpeaker(log, limits);
  /** By hash: speech that several alerts need at the same time is made once. */
  const pending = new Map<string, Promise<PreparedSpeech | null>>();

  const findOrMake = async (streamerId: string, hash: string, { speaker, utterance }: Order): Promise<PreparedSpeech | null> => {
    const found = await store.find(hash);
    if (found) return { hash, ...found };
    if (!(await takeQuota(streamerId))) return null;
    const audio = await bounded.speak(speaker, utterance);
    if (audio) await store.keep(streamerId, hash, audio);
    return audio && { hash, mime: audio.mime, durationMs: audio.durationMs };
  };
  const findOrMakeOnce = (streamerId: string, hash: string, order: Order) => {
    const prepared = findOrMake(streamerId, hash, order)
      .catch((error) => {
        log.warn({ error: describeFailure(error) }, "speech could not be looked up or kept");
        return null;
      })
      .finally(() => pending.delete(hash));
    pending.set(hash, prepared);
    return prepared;
  };
  const pruning = startIntervalTask({ pauseMs: pruneIntervalMs, log, failureMessage: "can't prune speech" }, store.prune);

  return {
    prepare: async (streamerId, donation) => {
      const speaker = await resultWithin(limits.waitLimitMs, engine.find());
      if (!speaker) return null;
      const utterance = { text: speechText(donation), language: donation.language, voice: donation.voice ?? null };
      const hash = hashOf(speaker.id, utterance);
      return resultWithin(limits.waitLimitMs, pending.get(hash) ?? findOrMakeOnce(streamerId, hash, { speaker, utterance }));
    },
    read: async (hash) => (/^[0-9a-f]{64}$/.test(hash) ? store.read(hash) : null),
    close: async () => {
      bounded.close();
      await Promise.all([pruning.stop(), ...pending.values()]);
    },
  };
}

/** Without a voice of its own, speech keeps the hash that it had before there were such voices. */
function hashOf(speaker: string, { language, text, voice }: Utterance): string {
  return createHash("sha256")
    .update(JSON.stringify([speaker, language, text, ...(voice ? [voice] : [])]))
    .digest("hex");
}
