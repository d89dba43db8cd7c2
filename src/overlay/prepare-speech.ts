// Makes the speech of the first playbacks that wait for it, ahead of their turn and without holding the overlay's lock.

import type { Knex } from "knex";
import { resultWithin } from "../async/result-within.ts";
import type { PreparedSpeech, Speech } from "./dependencies.ts";
import { changeOverlay, withOverlay } from "./store/overlay.ts";
import { type StoredPlayback, setPrepared } from "./store/playbacks.ts";
import type { QueueView } from "./store/queue-step.ts";
import type { Times } from "./timeouts.ts";

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
    const { donatorName, amount, currency, message } = playback;
    const made = overlay.settings.speech
      ? await speech?.prepare(overlay.streamerId, { donatorName, amount, currency, message, language: "th" }).catch((error) => {
          warn(error, "speech could not be prepared");
          return null;
        })
      : null;
    return made ?? null;
  };

  const finish = (streamerId: string, id: string, made: PreparedSpeech | null) =>
    withOverlay(knex, streamerId, async (trx, overlay) => {
      if (await setPrepared(trx, id, made)) await changeOverlay(trx, overlay, {});
    });

  const start = async (playback: StoredPlayback, view: QueueView) => {
    underWay.add(playback.id);
    try {
      await finish(view.overlay.streamerId, playback.id, await resultWithin(times.speechLimitMs, prepare(playback, view)));
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
