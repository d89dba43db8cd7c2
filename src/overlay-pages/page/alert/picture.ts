// An image of the streamer's own: a still or moving picture, or a film without sound.

import type { Fetched } from "./fetched.ts";

export type Picture = HTMLImageElement | HTMLVideoElement;

/** Resolves when its size is known, to null when it can't be shown; never rejects. */
export async function loadPicture({ url, type }: Fetched): Promise<Picture | null> {
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
