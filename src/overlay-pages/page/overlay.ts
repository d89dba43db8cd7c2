// The alert overlay: plays the alerts that the coordinator assigns to it, one at a time, and reports their start and end.

import { showAlert } from "../core/alert-playback.ts";
import type { PageSettings, Playback } from "../core/api.ts";
import { pulsedClock } from "../core/clock.ts";
import type { ToPage } from "../core/messages.ts";
import { fetchSound, makeAlertView } from "./alert-view.ts";
import { type Card, makeCard } from "./card.ts";
import { type Link, linkToCoordinator } from "./coordinator-link.ts";
import { logEvent } from "./page-log.ts";
import { openPreview } from "./preview.ts";
import { makeSounds, type Sounds } from "./sound.ts";
import { type PageStart, showHintUntilInput, startPage } from "./start.ts";
import { hints } from "./texts.ts";

type CurrentAlert = { playback: Playback; started: boolean; controller: AbortController };

type Overlay = PageStart & {
  readonly clock: ReturnType<typeof pulsedClock>;
  readonly card: Card;
  readonly sounds: Sounds;
  readonly chime: Promise<string | null>;
  link: Link | null;
  settings: PageSettings;
  current: CurrentAlert | null;
  /** Resolves when the card is free. */
  last: Promise<void>;
};

const chimeLimitMs = 5_000;

if (new URLSearchParams(location.search).has("preview")) void openPreview();
else {
  const page = startPage();
  if (page) void open(page);
}

async function open(page: PageStart): Promise<void> {
  const overlay: Overlay = {
    ...page,
    clock: pulsedClock(),
    card: makeCard(page.choose(null).words),
    sounds: makeSounds(() => showHintUntilInput(hints.click)),
    chime: fetchSound(document.documentElement.dataset.chime ?? "", { limit: chimeLimitMs }),
    link: null,
    settings: { volume: 80, speechVolume: 80, speechSpeed: 1, minimumSeconds: 6, maximumSeconds: 30, speech: true },
    current: null,
    last: Promise.resolve(),
  };
  await page.fonts;
  // A page that is left runs on for a moment: it must not report the end of an alert that nobody could see, and that another page may play.
  addEventListener("pagehide", () => stop(overlay));
  overlay.link = linkToCoordinator({
    key: page.key,
    kind: "overlay",
    playing: () => overlay.current && { playback: overlay.current.playback, started: overlay.current.started },
    onMessage: (message) => receive(overlay, message),
  });
}

function receive(overlay: Overlay, message: ToPage): void {
  if (message.type === "ping") overlay.clock.pulse();
  if (message.type === "status") overlay.showStatus(message.status);
  if (message.type === "settings") applySettings(overlay, message.settings);
  if (message.type === "settings" && message.hidden) stop(overlay);
  if (message.type === "play") play(overlay, message.playback);
  if (message.type === "stop" && overlay.current?.playback.id === message.playbackId) stop(overlay);
}

function applySettings(overlay: Overlay, settings: PageSettings): void {
  overlay.settings = settings;
  overlay.sounds.setVolumes({ chime: settings.volume, speech: settings.speechVolume });
}

function play(overlay: Overlay, playback: Playback): void {
  stop(overlay);
  const alert: CurrentAlert = { playback, started: false, controller: new AbortController() };
  overlay.current = alert;
  // After the alert before it has left the card. An alert that can't be shown must not keep the next ones from it.
  overlay.last = overlay.last.then(() => show(overlay, alert)).catch((error: unknown) => console.error(error));
}

function stop(overlay: Overlay): void {
  overlay.current?.controller.abort();
  overlay.current = null;
}

async function show(overlay: Overlay, alert: CurrentAlert): Promise<void> {
  const { playback, controller } = alert;
  const { key, card, sounds, clock } = overlay;
  const view = makeAlertView({ key, card, sounds, chime: await overlay.chime }, playback);
  const onStarted = () => {
    alert.started = true;
    report(overlay, "started", playback);
  };
  const outcome = await showAlert(playback, overlay.settings, { view, clock, signal: controller.signal, onStarted });
  view.release();
  if (overlay.current === alert) overlay.current = null;
  if (outcome === "ended") report(overlay, "ended", playback);
  else logEvent("stopped", { playbackId: playback.id, donationId: playback.donationId });
}

function report({ link }: Overlay, event: "started" | "ended", { id, donationId }: Playback): void {
  logEvent(event, { playbackId: id, donationId });
  link?.post({ type: event, playbackId: id });
}
