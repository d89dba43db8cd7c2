// The alert overlay: plays the alerts that the coordinator assigns to it, one at a time. It leads, and reports their start and end; or it follows,
// and shows what the leading page plays.

import { showAlert } from "../core/alert-playback.ts";
import type { OverlaySound, PageSettings, Playback } from "../core/api.ts";
import { pulsedClock } from "../core/clock.ts";
import type { ToPage } from "../core/messages.ts";
import { fetchSound, makeAlertView, type PreparedView } from "./alert-view.ts";
import { type Card, makeCard } from "./card.ts";
import { type Link, linkToCoordinator } from "./coordinator-link.ts";
import { logEvent } from "./page-log.ts";
import { openPreview } from "./preview.ts";
import { makeSounds, type Sounds } from "./sound.ts";
import { type PageStart, showHintUntilInput, startPage } from "./start.ts";
import { hints } from "./texts.ts";

/** `startedAt`: by this page's clock; null: not yet. */
type CurrentAlert = { playback: Playback; leads: boolean; elapsedMs: number; startedAt: number | null; controller: AbortController };

type Overlay = PageStart & {
  readonly clock: ReturnType<typeof pulsedClock>;
  readonly card: Card;
  readonly sounds: Sounds;
  readonly chime: Promise<string | null>;
  link: Link | null;
  settings: PageSettings;
  sound: OverlaySound;
  current: CurrentAlert | null;
  /** The files of the playback that another page is about to start. */
  loaded: Readonly<{ id: string; view: Promise<PreparedView> }> | null;
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
    sound: "leader",
    current: null,
    loaded: null,
    last: Promise.resolve(),
  };
  await page.fonts;
  // A page that is left runs on for a moment: it must not report the end of an alert that nobody could see, and that another page may play.
  addEventListener("pagehide", () => stop(overlay));
  overlay.link = linkToCoordinator({
    key: page.key,
    kind: "overlay",
    playing: () => playingOf(overlay),
    onMessage: (message) => receive(overlay, message),
  });
}

function playingOf({ current, clock }: Overlay) {
  if (!current) return null;
  const { playback, leads, startedAt } = current;
  return { playback, leads, started: startedAt !== null, elapsedMs: startedAt === null ? 0 : clock.now() - startedAt };
}

function receive(overlay: Overlay, message: ToPage): void {
  if (message.type === "ping") overlay.clock.pulse();
  if (message.type === "status") overlay.showStatus(message.status);
  if (message.type === "role") overlay.showRole(message.leads);
  if (message.type === "settings") applySettings(overlay, message);
  if (message.type === "settings" && message.hidden) stop(overlay);
  if (message.type === "load") load(overlay, message.playback);
  if (message.type === "play") play(overlay, message);
  if (message.type === "lead" && overlay.current?.playback.id === message.playbackId) lead(overlay, overlay.current);
  if (message.type === "stop") stop(overlay, message.playbackId);
}

function applySettings(overlay: Overlay, { settings, sound }: Extract<ToPage, { type: "settings" }>): void {
  const soundChanged = overlay.sound !== sound;
  Object.assign(overlay, { settings, sound });
  overlay.sounds.setVolumes({ chime: settings.volume, speech: settings.speechVolume });
  if (soundChanged && overlay.current) chooseSound(overlay, overlay.current);
}

/** The sound of an alert stays on the page that began with it, also when another page takes over the lead. */
function chooseSound({ sounds, sound }: Overlay, { leads }: CurrentAlert): void {
  sounds.setMuted(sound === "never" || (sound === "leader" && !leads));
}

/** The page that led is gone: the end of the alert is reported by this one. */
function lead(overlay: Overlay, alert: CurrentAlert): void {
  alert.leads = true;
  logEvent("leads", { playbackId: alert.playback.id });
  chooseSound(overlay, alert);
}

function load(overlay: Overlay, playback: Playback): void {
  if (overlay.loaded?.id === playback.id) return;
  unload(overlay);
  const view = viewOf(overlay, playback);
  overlay.loaded = { id: playback.id, view };
  void view.then(({ prepare }) => prepare());
}

function unload(overlay: Overlay): void {
  void overlay.loaded?.view.then(({ release }) => release());
  overlay.loaded = null;
}

async function viewOf({ key, card, sounds, chime }: Overlay, playback: Playback): Promise<PreparedView> {
  return makeAlertView({ key, card, sounds, chime: await chime }, playback);
}

/** An alert that the page shows already goes on. */
function play(overlay: Overlay, { playback, leads, elapsedMs }: Extract<ToPage, { type: "play" }>): void {
  if (overlay.current?.playback.id === playback.id && !leads) return;
  stop(overlay);
  const alert: CurrentAlert = { playback, leads, elapsedMs, startedAt: null, controller: new AbortController() };
  overlay.current = alert;
  const toldAt = overlay.clock.now();
  // After the alert before it has left the card. An alert that can't be shown must not keep the next ones from it.
  overlay.last = overlay.last.then(() => show(overlay, alert, toldAt)).catch((error: unknown) => console.error(error));
}

/** `playbackId`: only this one. */
function stop(overlay: Overlay, playbackId?: string): void {
  if (overlay.loaded?.id === playbackId) unload(overlay);
  if (playbackId !== undefined && overlay.current?.playback.id !== playbackId) return;
  overlay.current?.controller.abort();
  overlay.current = null;
}

async function show(overlay: Overlay, alert: CurrentAlert, toldAt: number): Promise<void> {
  const { playback, controller } = alert;
  const { clock, loaded } = overlay;
  const view = await (loaded?.id === playback.id ? loaded.view : viewOf(overlay, playback));
  if (overlay.loaded?.id === playback.id) overlay.loaded = null; // the files of the one after it may be loaded by now
  chooseSound(overlay, alert);
  const onStarted = () => {
    alert.startedAt = clock.now() - alert.elapsedMs;
    if (alert.leads) report(overlay, "started", playback);
    else logEvent("follows", { playbackId: playback.id, donationId: playback.donationId });
  };
  const elapsedMs = alert.elapsedMs === 0 ? 0 : alert.elapsedMs + clock.now() - toldAt;
  const outcome = await showAlert(playback, overlay.settings, { view, clock, signal: controller.signal, elapsedMs, onStarted });
  view.release();
  if (overlay.current === alert) overlay.current = null;
  if (outcome === "ended") report(overlay, alert.leads ? "ended" : "finished", playback);
  else logEvent("stopped", { playbackId: playback.id, donationId: playback.donationId });
}

function report({ link }: Overlay, event: "started" | "ended" | "finished", { id, donationId }: Playback): void {
  logEvent(event, { playbackId: id, donationId });
  link?.post({ type: event, playbackId: id });
}
