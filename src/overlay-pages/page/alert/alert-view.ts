// Provides the card and the sounds for one alert.

import type { AlertView } from "../../core/playback/alert-playback.ts";
import type { Playback } from "../../core/stream/events.ts";
import { logEvent } from "../page-log.ts";
import type { Card } from "./card.ts";
import { type Fetched, fetchFile, fetchSound } from "./fetched.ts";
import { loadPicture, type Picture } from "./picture.ts";
import type { Sounds } from "./sound.ts";

export type AlertViewDeps = {
  /** Null in a preview, which has no speech. */
  key: string | null;
  card: Card;
  sounds: Sounds;
  /** A blob URL; null: it could not be fetched. */
  chime: string | null;
};

/** `release` frees the files of this alert. */
export function makeAlertView(
  { key, card, sounds, chime }: AlertViewDeps,
  { id, donationId, variation }: Playback,
): AlertView & { release: () => void } {
  const details = { playbackId: id, donationId };
  const fetched: string[] = [];
  const loading: Promise<unknown>[] = [];
  const keep = <File extends Fetched | string | null>(file: Promise<File>): Promise<File> => {
    loading.push(file.then((one) => one !== null && fetched.push(typeof one === "string" ? one : one.url)));
    return file;
  };
  let picture: Picture | null = null;
  let ownSound: string | null = null;
  return {
    prepare: async () => {
      const fetchOwn = async (id: string | null | undefined) => (id ? keep(fetchFile(mediaAddress(id))) : null);
      const showPicture = async (file: Fetched | null) => {
        picture = file && (await loadPicture(file));
      };
      const keepSound = (file: Fetched | null) => {
        ownSound = file?.url ?? null;
      };
      await Promise.all([fetchOwn(variation?.image).then(showPicture), fetchOwn(variation?.sound).then(keepSound)]);
    },
    enter: (playback, seconds) => {
      logEvent("shown", details);
      card.show(playback, seconds, picture);
    },
    setSpeaking: card.setSpeaking,
    leave: card.leave,
    clear: card.clear,
    chime: () => (ownSound === null ? sounds.play("chime", chime, { details }) : sounds.play("own", ownSound, { details })),
    loadSpeech: async (speechId, speed) => {
      if (key === null) return null;
      const speech = await keep(fetchSound(new URL(`../api/v1/overlay/speech/${encodeURIComponent(speechId)}`, document.baseURI), { key }));
      return speech === null ? null : () => sounds.play("speech", speech, { details, speed });
    },
    release: () =>
      void Promise.all(loading).then(() => {
        for (const url of fetched) URL.revokeObjectURL(url);
      }),
  };
}

function mediaAddress(fileId: string): URL {
  return new URL(`../media?id=${encodeURIComponent(fileId)}`, document.baseURI);
}
