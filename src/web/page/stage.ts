// Provides the card and the sounds for one alert.

import type { Stage } from "../core/alert-playback.ts";
import type { Playback } from "../core/events.ts";
import type { Card } from "./card.ts";
import { fetchSound } from "./fetched.ts";
import { logEvent } from "./journal.ts";
import type { Sounds } from "./sound.ts";

export type StageDeps = {
  key: string;
  card: Card;
  sounds: Sounds;
  /** A blob URL; null: it could not be fetched. */
  chime: string | null;
};

/** `release` frees the speech of this alert. */
export function makeStage({ key, card, sounds, chime }: StageDeps, { id, donationId }: Playback): Stage & { release: () => void } {
  const details = { playbackId: id, donationId };
  let loading: Promise<string | null> = Promise.resolve(null);
  return {
    enter: (playback, seconds) => {
      logEvent("shown", details);
      card.show(playback, seconds);
    },
    leave: card.leave,
    clear: card.clear,
    chime: () => sounds.play("chime", chime, details),
    loadSpeech: async (speechId) => {
      loading = fetchSound(new URL(`../api/v1/overlay/speech/${encodeURIComponent(speechId)}`, document.baseURI), { key });
      const speech = await loading;
      return speech === null ? null : () => sounds.play("speech", speech, details);
    },
    release: () => void loading.then((speech) => speech !== null && URL.revokeObjectURL(speech)),
  };
}
