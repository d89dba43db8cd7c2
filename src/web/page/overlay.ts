// The alert overlay: shows what the station tells it to, and says when it has begun and ended.

import { pulsedClock } from "../core/clock.ts";
import type { PageSettings, Playback } from "../core/events.ts";
import type { ToPage } from "../core/messages.ts";
import { type Stage, showAlert } from "../core/showing.ts";
import { makeCard } from "./card.ts";
import { fetchSound } from "./fetched.ts";
import { note } from "./journal.ts";
import { type Link, linkToStation } from "./link.ts";
import { makeSounds } from "./sound.ts";
import { type PageStart, startPage } from "./start.ts";

/** An alert that this page shows. */
type Show = { playback: Playback; started: boolean; controller: AbortController };

const page = startPage();
if (page) void open(page);

async function open({ key, words, fonts, showStatus }: PageStart): Promise<void> {
  const clock = pulsedClock();
  const card = makeCard(words);
  const sounds = makeSounds();
  const chime = fetchSound(document.documentElement.dataset.chime ?? "");
  let settings: PageSettings = { volume: 80, minimumSeconds: 6, maximumSeconds: 30, speech: true };
  let current: Show | null = null;
  let last: Promise<unknown> = Promise.all([fonts, chime]);
  let link: Link;

  const run = async (show: Show): Promise<void> => {
    const { playback, controller } = show;
    const details = { playbackId: playback.id, donationId: playback.donationId };
    const onStarted = () => {
      show.started = true;
      note("started", details);
      link.post({ type: "started", playbackId: playback.id });
    };
    const chimeSource = await chime;
    const stage: Stage = {
      enter: (...shown) => {
        note("shown", details);
        card.show(...shown);
      },
      leave: card.leave,
      clear: card.clear,
      chime: () => sounds.play("chime", chimeSource, details),
      loadSpeech: async (speechId) => {
        const address = new URL(`../api/v1/overlay/speech/${encodeURIComponent(speechId)}`, document.baseURI);
        const source = await fetchSound(address, { key });
        return source === null ? null : () => sounds.play("speech", source, details);
      },
    };
    const outcome = await showAlert(playback, settings, { stage, clock, signal: controller.signal, onStarted });
    if (current === show) current = null;
    note(outcome, details);
    if (outcome === "ended") link.post({ type: "ended", playbackId: playback.id });
  };
  const stop = () => {
    current?.controller.abort();
    current = null;
  };
  const receive = (message: ToPage): void => {
    if (message.type === "ping") clock.pulse();
    if (message.type === "status") showStatus(message.status);
    if (message.type === "stop" && current?.playback.id === message.playbackId) stop();
    if (message.type === "lost") stop();
    if (message.type === "settings") {
      settings = message.settings;
      sounds.setVolume(settings.volume);
    }
    if (message.type === "play") {
      stop();
      const show: Show = { playback: message.playback, started: false, controller: new AbortController() };
      current = show;
      last = last.then(() => run(show));
    }
  };
  await fonts;
  link = linkToStation({ key, kind: "overlay", playing: () => current, onMessage: receive });
}
