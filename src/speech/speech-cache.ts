// Speech for alerts: text, cache and deadline around an engine.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { beCareful, type SpeechLimits, usualLimits } from "./careful-speaker.ts";
import type { Audio, Speaker, Utterance } from "./speaker.ts";
import { speechRate } from "./speech-quota.ts";
import { type StoredSpeech, speechStore } from "./speech-store.ts";
import { type Spoken, speechText } from "./speech-text.ts";

export type PreparedSpeech = StoredSpeech & { hash: string };

export type SpeechRoom = {
  /**
   * Has the donation spoken for the streamer, or finds it spoken. Null when that fails, takes longer than 5 s, or too much was spoken
   * for the streamer lately; never rejects.
   */
  prepare: (streamerId: string, donation: Spoken) => Promise<PreparedSpeech | null>;
  /** The audio itself; null when there is none by this hash. Rejects when the database is away. */
  read: (hash: string) => Promise<Pick<Audio, "mime" | "bytes"> | null>;
  close: () => Promise<void>;
};

export type SpeechParts = { speaker: Speaker | null; knex: Knex; log: Logger; limits?: SpeechLimits };

const pruneEveryMs = 3_600_000;

export function openSpeech({ speaker, knex, log, limits = usualLimits }: SpeechParts): SpeechRoom {
  const store = speechStore(knex);
  const mayMake = speechRate();
  const careful = speaker && beCareful(speaker, log, limits);
  /** By hash: what several alerts say is made once. */
  const making = new Map<string, Promise<PreparedSpeech | null>>();

  const findOrMake = async (streamerId: string, hash: string, utterance: Utterance): Promise<PreparedSpeech | null> => {
    const found = await store.find(hash);
    if (found) return { hash, ...found };
    if (!(await mayMake(streamerId))) return null;
    const audio = (await careful?.speak(utterance)) ?? null;
    if (audio) await store.keep(streamerId, hash, audio);
    return audio && { hash, mime: audio.mime, durationMs: audio.durationMs };
  };
  const prepareOnce = (streamerId: string, hash: string, utterance: Utterance) => {
    const made = findOrMake(streamerId, hash, utterance)
      .catch((error) => {
        log.warn({ error: describeFailure(error) }, "speech could not be looked up or kept");
        return null;
      })
      .finally(() => making.delete(hash));
    making.set(hash, made);
    return made;
  };
  const pruning = setInterval(
    () => store.prune().catch((error) => log.warn({ error: describeFailure(error) }, "can't prune speech")),
    pruneEveryMs,
  );

  return {
    prepare: async (streamerId, donation) => {
      if (!speaker) return null;
      const utterance = { text: speechText(donation), language: donation.language };
      const hash = hashOf(speaker.id, utterance);
      return within(limits.patienceMs, making.get(hash) ?? prepareOnce(streamerId, hash, utterance));
    },
    read: async (hash) => (/^[0-9a-f]{64}$/.test(hash) ? store.read(hash) : null),
    close: async () => {
      clearInterval(pruning);
      careful?.close();
      await Promise.all(making.values());
    },
  };
}

function hashOf(speaker: string, { language, text }: Utterance): string {
  return createHash("sha256")
    .update(JSON.stringify([speaker, language, text]))
    .digest("hex");
}

/** What comes later is not waited for. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
