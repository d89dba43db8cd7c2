// Makes the speech of the first playbacks that wait for it, ahead of their turn and without holding the overlay's lock.

import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import { resultWithin } from "../../base/async.ts";
import type { PreparedSpeech, Speech } from "../dependencies.ts";
import { shownTexts, spokenTexts } from "../queue/filter.ts";
import { isSpoken } from "../settings/settings.ts";
import { changeOverlay, withOverlay } from "../store/overlay.ts";
import { type StoredPlayback, setPrepared } from "../store/playbacks.ts";
import type { QueueView } from "../store/queue-step.ts";
import type { Times } from "../timeouts.ts";
import { traceSpeech } from "../trace-alerts.ts";

export type PreparationDeps = {
  knex: Knex;
  speech: Speech | null;
  times: Times;
  /** A playback is queued, with or without speech, or could not be queued. */
  onDone: () => void;
  warn: (error: unknown, what: string) => void;
};

export type Preparations = { start: (view: QueueView) => void };

/** Playbacks of one streamer whose speech is made at the same time. */
const maxConcurrent = 3;

export function makePreparations({ knex, speech, times, onDone, warn }: PreparationDeps): Preparations {
  const underWay = new Set<string>();

  const prepare = async (playback: StoredPlayback, { overlay }: QueueView) => {
    const { amount, currency, variation } = playback;
    const { donatorName, message } = spokenTexts(shownTexts(playback, overlay.settings));
    const { speak, voice: ownVoice } = variation ?? { speak: true, voice: null };
    const voice = ownVoice ?? overlay.settings.voice;
    const made =
      speak && isSpoken(overlay.settings, amount)
        ? await speech?.prepare(overlay.streamerId, { donatorName, amount, currency, message, language: "th", voice }).catch((error) => {
            warn(error, "speech could not be prepared");
            return null;
          })
        : null;
    return made ?? null;
  };

  /** Speech of words that were hidden while it was made is left out. */
  const finish = (playback: StoredPlayback, { overlay: before }: QueueView, made: PreparedSpeech | null) =>
    withOverlay(knex, before.streamerId, async (trx, overlay) => {
      const isStill = isDeepStrictEqual(shownTexts(playback, before.settings), shownTexts(playback, overlay.settings));
      if (await setPrepared(trx, { streamerId: before.streamerId, id: playback.id }, isStill ? made : null))
        await changeOverlay(trx, overlay, {});
    });

  const start = async (playback: StoredPlayback, view: QueueView) => {
    underWay.add(playback.id);
    try {
      const prepared = traceSpeech(knex, playback.donationId, () => prepare(playback, view));
      await finish(playback, view, await resultWithin(times.speechLimitMs, prepared));
    } catch (error) {
      warn(error, "a prepared alert could not be queued");
    } finally {
      underWay.delete(playback.id);
      onDone();
    }
  };

  return {
    start: (view) => {
      for (const playback of view.preparing.slice(0, maxConcurrent)) if (!underWay.has(playback.id)) void start(playback, view);
    },
  };
}
