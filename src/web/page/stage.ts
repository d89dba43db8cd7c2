// Where one alert is shown and heard: the card and the audio elements.

import type { Stage } from "../core/alert-playback.ts";
import type { Playback } from "../core/events.ts";
import type { Card } from "./card.ts";
import { fetchSound } from "./fetched.ts";
import { note } from "./journal.ts";
import type { Sounds } from "./sound.ts";

export type StageParts = {
  key: string;
  card: Card;
  sounds: Sounds;
  /** A blob URL; null where it could not be had. */
  chime: string | null;
};

/** `strike` clears away what this alert alone needed. */
export function makeStage({ key, card, sounds, chime }: StageParts, { id, donationId }: Playback): Stage & { strike: () => void } {
  const details = { playbackId: id, donationId };
  let loading: Promise<string | null> = Promise.resolve(null);
  return {
    enter: (playback, seconds) => {
      note("shown", details);
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
    strike: () => void loading.then((speech) => speech !== null && URL.revokeObjectURL(speech)),
  };
}
