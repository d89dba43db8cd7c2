// Speaks a sample for the studio, as the overlay would speak an alert: the same engine, the same cache, the same quota of new speech.

import type { Knex } from "knex";
import { defaultSettings } from "../../alerts/settings/settings.ts";
import { shownTexts, spokenTexts } from "../../alerts/settings/shown-texts.ts";
import { readOverlay } from "../../alerts/store/overlay.ts";
import type { Limits } from "../../http/rate-limits/rate-limits.ts";
import { summedIn } from "../../http/summed-currency.ts";
import type { SpeechService } from "../../speech/speech-cache.ts";

type Sample = Readonly<{ donatorName: string; amount: number; message: string; voice?: string | null }>;

/**
 * Speaks a text as an alert's. Without `voice` it is that of the settings, with null the server's. Null: the engine fails or is slow, or the
 * streamer's quota is used up. Throws rate_limited.
 */
export type SpeakSample = (streamerId: string, text: Sample) => Promise<Readonly<{ mime: string; bytes: Buffer }> | null>;

type SpeakSampleDeps = Readonly<{ knex: Knex; speech: Pick<SpeechService, "prepare" | "read">; limits: Pick<Limits, "spend"> }>;

/** Of the bucket of a streamer's controls, which has 30: six samples at once, so that listening leaves the engine to alerts. */
const tokens = 5;

export function speakSample({ knex, speech, limits }: SpeakSampleDeps): SpeakSample {
  return async (streamerId, { donatorName, amount, message, voice }) => {
    await limits.spend("control", `listening ${streamerId}`, { tokens });
    const settings = (await readOverlay(knex, streamerId))?.settings ?? defaultSettings;
    const texts = spokenTexts(shownTexts({ donatorName, message, masked: false }, settings));
    const utterance = {
      ...texts,
      amount,
      currency: summedIn,
      language: "th",
      voice: voice === undefined ? settings.voice : voice,
    } as const;
    const made = await speech.prepare(streamerId, utterance);
    return made && speech.read(made.hash);
  };
}
