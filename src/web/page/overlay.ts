// The alert overlay: shows what the station tells it to, and says when it has begun and ended.

import { showAlert } from "../core/alert-playback.ts";
import { pulsedClock } from "../core/clock.ts";
import type { PageSettings, Playback } from "../core/events.ts";
import type { ToPage } from "../core/messages.ts";
import { makeCard } from "./card.ts";
import { fetchSound } from "./fetched.ts";
import { note } from "./journal.ts";
import { type Link, linkToStation } from "./link.ts";
import { makeSounds } from "./sound.ts";
import { makeStage } from "./stage.ts";
import { type PageStart, startPage } from "./start.ts";

/** An alert that this page shows. */
type Show = { playback: Playback; started: boolean; controller: AbortController };

const page = startPage();
if (page) void open(page);

async function open({ key, words, fonts, showStatus }: PageStart): Promise<void> {
  const clock = pulsedClock();
  const card = makeCard(words);
  const sounds = makeSounds();
  const chimeFile = fetchSound(document.documentElement.dataset.chime ?? "", { limit: 5_000 });
  let settings: PageSettings = { volume: 80, minimumSeconds: 6, maximumSeconds: 30, speech: true };
  let current: Show | null = null;
  let last = Promise.resolve();
  let link: Link;

  const run = async (show: Show): Promise<void> => {
    const { playback, controller } = show;
    const stage = makeStage({ key, card, sounds, chime: await chimeFile }, playback);
    const onStarted = () => {
      show.started = true;
      say("started", playback);
    };
    const outcome = await showAlert(playback, settings, { stage, clock, signal: controller.signal, onStarted });
    stage.strike();
    if (current === show) current = null;
    if (outcome === "ended") say("ended", playback);
    else note("stopped", { playbackId: playback.id, donationId: playback.donationId });
  };
  /** One alert that can't be shown must not keep the next ones from it. */
  const complain = (error: unknown) => console.error(error);
  const say = (event: "started" | "ended", { id, donationId }: Playback) => {
    note(event, { playbackId: id, donationId });
    link.post({ type: event, playbackId: id });
  };
  const play = (playback: Playback) => {
    stop();
    const show: Show = { playback, started: false, controller: new AbortController() };
    current = show;
    last = last.then(() => run(show)).catch(complain); // the one before has left the card
  };
  const stop = () => {
    current?.controller.abort();
    current = null;
  };
  const adopt = (newer: PageSettings) => {
    settings = newer;
    sounds.setVolume(newer.volume);
  };

  const receive = (message: ToPage): void => {
    if (message.type === "ping") clock.pulse();
    if (message.type === "status") showStatus(message.status);
    if (message.type === "settings") adopt(message.settings);
    if (message.type === "play") play(message.playback);
    if (message.type === "stop" && current?.playback.id === message.playbackId) stop();
  };
  await fonts;
  link = linkToStation({
    key,
    kind: "overlay",
    playing: () => current && { playback: current.playback, started: current.started },
    onMessage: receive,
  });
}
