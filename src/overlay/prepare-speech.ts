// Speech is made ahead, outside of any lock: of the first playbacks that wait for it.

import type { Knex } from "knex";
import type { PreparedSpeech, Speech } from "./dependencies.ts";
import { changeOverlay, onOverlay } from "./store/overlay.ts";
import { type StoredPlayback, setPrepared } from "./store/playbacks.ts";
import type { View } from "./store/queue-step.ts";
import type { Times } from "./timeouts.ts";

export type PreparationParts = {
  knex: Knex;
  speech: Speech | null;
  times: Times;
  /** A playback waits for its speech no more, or could not be helped. */
  onDone: () => void;
  complain: (error: unknown, what: string) => void;
};

export type Preparations = { start: (view: View) => void };

/** Playbacks that are made ready at once. */
const atOnce = 3;

export function preparations({ knex, speech, times, onDone, complain }: PreparationParts): Preparations {
  const underWay = new Set<string>();

  const prepare = async (playback: StoredPlayback, { overlay }: View) => {
    const { donatorName, amount, currency, message } = playback;
    const made = overlay.settings.speech
      ? await speech?.prepare(overlay.streamerId, { donatorName, amount, currency, message, language: "th" }).catch((error) => {
          complain(error, "speech could not be prepared");
          return null;
        })
      : null;
    return made ?? null;
  };

  const finish = (streamerId: string, id: string, made: PreparedSpeech | null) =>
    onOverlay(knex, streamerId, async (trx, overlay) => {
      if (await setPrepared(trx, id, made)) await changeOverlay(trx, overlay, {});
    });

  const start = async (playback: StoredPlayback, view: View) => {
    underWay.add(playback.id);
    try {
      await finish(view.overlay.streamerId, playback.id, await within(times.prepare, prepare(playback, view)));
    } catch (error) {
      complain(error, "a prepared alert could not be queued");
    } finally {
      underWay.delete(playback.id);
      onDone();
    }
  };

  return {
    start: (view) => {
      for (const playback of view.preparing.slice(0, atOnce)) if (!underWay.has(playback.id)) void start(playback, view);
    },
  };
}

/** What comes later is not waited for. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
