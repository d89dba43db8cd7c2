// Coordinates the pages of one overlay key in one browser: holds the one connection for all of them, decides which page plays alerts,
// and acknowledges what was played. It runs in a SharedWorker, or in the page itself where the browser has none.

import { type Acknowledgement, makeAcknowledgements } from "./acknowledgements.ts";
import type { OverlayApi, Playback, StreamEvent, StreamQuery, Widgets } from "./api.ts";
import type { Clock } from "./clock.ts";
import { makeConnection, type ServerEvent } from "./connection.ts";
import type { FromPage, Hello, ToPage } from "./messages.ts";
import {
  acknowledge,
  type CoordinatorState,
  type CurrentSettings,
  type Page,
  type StreamMode,
  setStatus,
  watchHeartbeats,
} from "./state.ts";

/** While an alert is on screen, or its end is not acknowledged: ten seconds after its page was lost, the server gives it up as unconfirmed. */
const maxBackoffInPlayMs = 3_000;

export type PageCoordinator = {
  /** Adds a page. Its further messages go to the returned function. */
  join: (hello: Hello, post: (message: ToPage) => void) => (message: FromPage) => void;
};

/** `random` returns 0 to 1. */
export function makePageCoordinator(api: OverlayApi, clock: Clock, random: () => number): PageCoordinator {
  const state: CoordinatorState = {
    clock,
    pages: watchHeartbeats(clock, (page) => {
      unassignPage(state, page);
      adjustMode(state);
    }),
    connection: makeConnection({
      ...{ clock, random },
      openStream: (signal) => api.stream(streamQuery(state), signal),
      onEvent: (event) => applyEvent(state, event),
      onLost: () => setStatus(state, "connecting"),
      onRefused: () => refuseKey(state),
      maxBackoffMs: () => (state.current || state.acknowledgements.areWaiting() ? maxBackoffInPlayMs : Number.POSITIVE_INFINITY),
    }),
    acknowledgements: makeAcknowledgements({
      ...{ clock, random },
      send: (acknowledgement) => api.acknowledge(acknowledgement, state.player),
      onAnswer: (acknowledgement, status) => applyAnswer(state, acknowledgement, status),
    }),
    endedIds: new Set(),
    player: "",
    current: null,
    mode: "off",
    status: "connecting",
    settings: null,
    widgets: null,
    cancelModeChange: () => {},
  };
  return { join: (hello, post) => join(state, hello, post) };
}

function streamQuery({ player, mode, current }: CoordinatorState): StreamQuery {
  return { player, plays: mode === "plays", playing: current?.playback.id ?? null };
}

/** The server has answered an acknowledgement for good. */
function applyAnswer(state: CoordinatorState, { playbackId, step }: Acknowledgement, status: number): void {
  if (status === 401) refuseKey(state);
  if (step === "ended") state.pages.broadcast({ type: "settled", playbackId });
  // A start that is refused: this player does not have the playback, or no longer.
  if (status >= 400 && step === "started" && state.current?.playback.id === playbackId) stopPlayback(state);
}

function join(state: CoordinatorState, hello: Hello, post: Page["post"]): (message: FromPage) => void {
  const page: Page = { kind: hello.kind, post };
  state.player ||= hello.player;
  if (state.status === "refused") retryKey(state);
  state.pages.add(page);
  sendKnown(state, page);
  for (const id of hello.ended) if (!state.endedIds.has(id)) repeatEnd(state, id);
  if (hello.playing) resumePlayback(state, page, hello.playing);
  assignPlayback(state);
  adjustMode(state);
  return (message) => {
    if (state.pages.has(page)) receive(state, page, message);
  };
}

function sendKnown({ player, status, settings, widgets }: CoordinatorState, { post }: Page): void {
  post({ type: "welcome", player });
  post({ type: "status", status });
  if (settings) post({ type: "settings", ...settings });
  if (widgets) post({ type: "widgets", widgets });
}

function receive(state: CoordinatorState, page: Page, message: FromPage): void {
  state.pages.markAlive(page);
  if (message.type === "bye") state.pages.remove(page);
  if (message.type === "started" || message.type === "ended") reportStep(state, page, message.playbackId, message.type);
}

type DataOf<Name extends StreamEvent["event"]> = Extract<StreamEvent, { event: Name }>["data"];
type EventHandlers = { [Name in StreamEvent["event"]]: (state: CoordinatorState, data: DataOf<Name>) => void };

/** The server decides by the role which connection gets playbacks; the pages need not know it. */
const handlers: EventHandlers = {
  snapshot: applySnapshot,
  role: () => {},
  playback: startPlayback,
  stop: applyStop,
  settings: setSettings,
  widgets: setWidgets,
};

/** Ignores events that this version does not know. */
function applyEvent(state: CoordinatorState, { event, data }: ServerEvent): void {
  if (isKnown(event)) handlers[event](state, JSON.parse(data));
}

function isKnown(event: string): event is StreamEvent["event"] {
  return Object.hasOwn(handlers, event);
}

function applySnapshot(state: CoordinatorState, { paused, hidden, settings, widget, widgets, playback }: DataOf<"snapshot">): void {
  setStatus(state, "live");
  setSettings(state, { paused, hidden, settings, widget });
  setWidgets(state, widgets);
  state.acknowledgements.retryNow();
  if (playback) startPlayback(state, playback);
  else stopPlayback(state);
}

function applyStop(state: CoordinatorState, { playbackId }: DataOf<"stop">): void {
  if (state.current?.playback.id === playbackId) stopPlayback(state);
}

function setSettings(state: CoordinatorState, sent: CurrentSettings): void {
  state.settings = sent;
  state.pages.broadcast({ type: "settings", ...sent });
}

function setWidgets(state: CoordinatorState, widgets: Widgets): void {
  state.widgets = widgets;
  state.pages.broadcast({ type: "widgets", widgets });
}

const modes: readonly StreamMode[] = ["off", "listens", "plays"];

/** Before the first connection: OBS loads all pages of a scene at once, and overlay pages ask for more than widgets. */
const connectDelayMs = 30;
/** How long the connection outlives its last page, because a reload takes a moment. */
const closeDelayMs = 3_000;
/** The same while an alert plays: the reloaded page plays it again. */
const closeDelayInPlayMs = 10_000;

/** Asks for more at once, for less after a delay. */
function adjustMode(state: CoordinatorState): void {
  state.cancelModeChange();
  const { pages, mode, status, current, clock } = state;
  const needed: StreamMode = pages.first("overlay") ? "plays" : pages.first("widget") ? "listens" : "off";
  if (needed === mode || status === "refused") return;
  if (modes.indexOf(needed) > modes.indexOf(mode)) changeMode(state, needed);
  else state.cancelModeChange = clock.after(current ? closeDelayInPlayMs : closeDelayMs, () => changeMode(state, needed));
}

/** The server has refused the overlay key: nothing is tried again until another page joins. */
function refuseKey(state: CoordinatorState): void {
  state.connection.close();
  stopPlayback(state);
  setStatus(state, "refused");
}

/** A page that is loaded after a refusal tries the key again. */
function retryKey(state: CoordinatorState): void {
  state.mode = "off";
  setStatus(state, "connecting");
}

function changeMode(state: CoordinatorState, mode: StreamMode): void {
  const delayMs = state.mode === "off" ? connectDelayMs : 0;
  state.mode = mode;
  if (mode !== "plays") state.current = null;
  if (mode === "off") state.connection.close();
  else state.connection.restart(delayMs);
}

/**
 * Returns what receives the messages of one port. A page that says hello again has left before: pongs are passed on to its last hello only,
 * and the ones before would be taken for lost, which makes the page say hello once more, for ever.
 */
export function servePage(coordinatorOf: (hello: Hello) => PageCoordinator, post: (message: ToPage) => void): (message: FromPage) => void {
  let send: (message: FromPage) => void = () => {};
  return (message) => {
    if (message.type !== "hello") return send(message);
    send({ type: "bye" });
    send = coordinatorOf(message).join(message, post);
  };
}

/** Older ids of ended playbacks are forgotten. */
const maxEndedIds = 1_000;

/** The server has sent a playback. */
function startPlayback(state: CoordinatorState, playback: Playback): void {
  const { id } = playback;
  if (state.current && state.current.playback.id !== id) stopPlayback(state);
  if (state.endedIds.has(id)) repeatEnd(state, id);
  else if (state.current) {
    if (state.current.started) acknowledge(state, id, "started");
  } else {
    state.current = { playback, page: null, started: false };
    assignPlayback(state);
  }
}

/** Assigns a playback without a page to the overlay page that joined first. */
function assignPlayback(state: CoordinatorState): void {
  const page = state.current?.page ? null : state.pages.first("overlay");
  if (!state.current || !page) return;
  state.current = { ...state.current, page };
  page.post({ type: "play", playback: state.current.playback });
}

/** A page has left: another one plays its playback from the beginning. */
function unassignPage(state: CoordinatorState, page: Page): void {
  if (state.current?.page === page) state.current = { ...state.current, page: null, started: false };
  assignPlayback(state);
}

/** A page that was playing when its last coordinator died goes on playing. */
function resumePlayback(state: CoordinatorState, page: Page, { playback, started }: NonNullable<Hello["playing"]>): void {
  const beforeSnapshot = state.settings === null;
  if (!state.current && beforeSnapshot && !state.endedIds.has(playback.id)) state.current = { playback, page: null, started: false };
  if (state.current?.playback.id === playback.id && !state.current.page) {
    state.current = { playback, page, started };
    if (started) acknowledge(state, playback.id, "started");
  } else page.post({ type: "stop", playbackId: playback.id });
}

function stopPlayback(state: CoordinatorState): void {
  if (!state.current) return;
  const { page, playback } = state.current;
  page?.post({ type: "stop", playbackId: playback.id });
  state.acknowledgements.forget(playback.id);
  state.current = null;
}

/** Only the page that a playback is assigned to reports its start and its end. */
function reportStep(state: CoordinatorState, page: Page, playbackId: string, step: "started" | "ended"): void {
  if (state.current?.page !== page || state.current.playback.id !== playbackId) return;
  if (step === "started") state.current.started = true;
  else markEnded(state, playbackId);
  acknowledge(state, playbackId, step);
}

/** The server has missed the end, and perhaps the start: both are acknowledged, in this order. */
function repeatEnd(state: CoordinatorState, id: string): void {
  markEnded(state, id);
  state.acknowledgements.forget(id);
  acknowledge(state, id, "started");
  acknowledge(state, id, "ended");
}

function markEnded(state: CoordinatorState, id: string): void {
  const { endedIds } = state;
  if (state.current?.playback.id === id) state.current = null;
  endedIds.add(id);
  for (const oldest of endedIds) if (endedIds.size > maxEndedIds) endedIds.delete(oldest);
}
