// Provides the card and the sounds for one alert, and fetches its files.

import type { AlertView } from "../core/alert-playback.ts";
import type { Playback } from "../core/api.ts";
import type { Card, Picture } from "./card.ts";
import { fontOf, loadFont } from "./font.ts";
import { logEvent } from "./page-log.ts";
import type { Sounds } from "./sound.ts";

type AlertViewDeps = {
  /** Null in a preview, which has no speech. */
  key: string | null;
  card: Card;
  sounds: Sounds;
  /** A blob URL; null: it could not be fetched. */
  chime: string | null;
};

export type PreparedView = AlertView & { release: () => void };

/** `release` frees the files of this alert. `prepare` fetches them once. */
export function makeAlertView({ key, card, sounds, chime }: AlertViewDeps, { id, donationId, variation }: Playback): PreparedView {
  const details = { playbackId: id, donationId };
  const fetched: string[] = [];
  const loading: Promise<unknown>[] = [];
  const keep = <File extends Fetched | string | null>(file: Promise<File>): Promise<File> => {
    loading.push(file.then((one) => one !== null && fetched.push(typeof one === "string" ? one : one.url)));
    return file;
  };
  let picture: Picture | null = null;
  let ownSound: string | null = null;
  const fetchOwn = async (id: string | null, library: string | null) => {
    const address = id === null ? library && libraryAddress(library) : mediaAddress(id);
    return address ? keep(fetchFile(address)) : null;
  };
  const showPicture = async (file: Fetched | null) => {
    picture = file && (await loadPicture(file));
  };
  const keepSound = (file: Fetched | null) => {
    ownSound = file?.url ?? null;
  };
  const prepareVariation = ({ image, libraryImage, sound, librarySound, style }: NonNullable<Playback["variation"]>) => {
    const font = fontOf(style);
    return Promise.all([
      fetchOwn(image, libraryImage && `${libraryImage}.svg`).then(showPicture),
      fetchOwn(sound, librarySound && `${librarySound}.wav`).then(keepSound),
      font && loadFont(font),
    ]);
  };
  let prepared: Promise<unknown> | null = null;
  return {
    prepare: () => {
      prepared ??= variation ? prepareVariation(variation) : Promise.resolve();
      return prepared;
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
      return speech === null ? null : (fromMs) => sounds.play("speech", speech, { details, speed, fromMs: fromMs * speed });
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

function libraryAddress(file: string): URL {
  return new URL(`library/${encodeURIComponent(file)}`, document.baseURI);
}

/** A file in the memory of the browser. */
type Fetched = Readonly<{ url: string; type: string }>;

/** Resolves to a blob URL, or to null on failure; never rejects. `key`: the overlay key, for sounds that need it. */
export async function fetchSound(address: string | URL, options: { key?: string; limit?: number } = {}): Promise<string | null> {
  return (await fetchFile(address, options))?.url ?? null;
}

/** The same with the media type that the server names. */
async function fetchFile(address: string | URL, { key, limit = 10_000 }: { key?: string; limit?: number } = {}): Promise<Fetched | null> {
  try {
    const response = await fetch(address, {
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      credentials: "omit",
      signal: AbortSignal.timeout(limit),
    });
    if (!response.ok) return null;
    const blob = await response.blob();
    return { url: URL.createObjectURL(blob), type: blob.type };
  } catch {
    return null;
  }
}

/** Resolves when its size is known, to null when it can't be shown; never rejects. */
async function loadPicture({ url, type }: Fetched): Promise<Picture | null> {
  try {
    return type.startsWith("video/") ? await loadFilm(url) : await loadImage(url);
  } catch {
    return null;
  }
}

async function loadImage(url: string): Promise<HTMLImageElement> {
  const image = document.createElement("img");
  image.alt = "";
  image.src = url;
  await image.decode();
  return image;
}

function loadFilm(url: string): Promise<HTMLVideoElement> {
  const film = document.createElement("video");
  Object.assign(film, { muted: true, loop: true, autoplay: true, playsInline: true });
  return new Promise((resolve, reject) => {
    film.onloadeddata = () => resolve(film);
    film.onerror = reject;
    film.src = url;
  });
}
