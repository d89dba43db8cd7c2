// The preview of an alert in a frame of the studio: the card, the sounds and the movements are those of the stream.

import { showAlert } from "../core/alert-playback.ts";
import type { Playback } from "../core/api.ts";
import { systemClock } from "../core/clock.ts";
import { readParameters } from "../core/parameters.ts";
import { fetchSound, makeAlertView } from "./alert-view.ts";
import { type Card, makeCard } from "./card.ts";
import { loadFont } from "./font.ts";
import { makeSounds, type Sounds } from "./sound.ts";
import { chooseWords } from "./texts.ts";

/** `plays`: the whole alert with its sound; else the card comes and stays. `volume`: of its sound, in percent. */
type Content = Readonly<{ playback: Playback; plays: boolean; volume: number }>;

type Preview = Readonly<{ card: Card; sounds: Sounds; chime: Promise<string | null> }>;

const settings = { volume: 80, speechVolume: 0, speechSpeed: 1, speech: false, minimumSeconds: 6, maximumSeconds: 30 };
const secondsToRead = 20;

/** Shows what the fragment of the address says, and again whenever it changes. Anywhere but in a page of this server it shows nothing. */
export async function openPreview(): Promise<void> {
  if (!isInOwnFrame()) return;
  const words = chooseWords(readParameters(new URLSearchParams(location.search)));
  document.documentElement.style.setProperty("--smallest", "1px");
  await loadFont("prompt");
  const preview = {
    card: makeCard(words),
    sounds: makeSounds(() => {}),
    chime: fetchSound(document.documentElement.dataset.chime ?? ""),
  };
  let shown = new AbortController();
  const showAgain = () => {
    shown.abort();
    shown = new AbortController();
    void show(preview, readContent(), shown.signal).catch((error: unknown) => console.error(error));
  };
  addEventListener("hashchange", showAgain);
  showAgain();
}

async function show(preview: Preview, content: Content | null, signal: AbortSignal): Promise<void> {
  if (!content) return preview.card.clear();
  preview.sounds.setVolumes({ chime: content.volume, speech: 0 });
  if (content.plays) await play(preview, content.playback, signal);
  if (!signal.aborted) await stay(preview, content.playback, signal);
}

async function play({ card, sounds, chime }: Preview, playback: Playback, signal: AbortSignal): Promise<void> {
  const view = makeAlertView({ key: null, card, sounds, chime: await chime }, playback);
  await showAlert(playback, settings, { view, clock: systemClock, signal, elapsedMs: 0, onStarted: () => {} });
  view.release();
}

async function stay({ card, sounds }: Preview, playback: Playback, signal: AbortSignal): Promise<void> {
  const view = makeAlertView({ key: null, card, sounds, chime: null }, playback);
  await view.prepare();
  if (signal.aborted) return view.release();
  view.enter(playback, secondsToRead);
  signal.addEventListener("abort", view.release, { once: true });
}

/** Another site must not show its texts as a page of this server. */
function isInOwnFrame(): boolean {
  try {
    return window.parent !== window && window.parent.location.origin === location.origin;
  } catch {
    return false; // a page of another site may not be asked
  }
}

function readContent(): Content | null {
  try {
    return JSON.parse(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}
