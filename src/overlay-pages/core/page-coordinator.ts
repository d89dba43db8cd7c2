// Coordinates the pages of one overlay key in one browser: holds the one connection for all of them, passes on what the server sends, and
// acknowledges what was played. It runs in a SharedWorker, or in the page itself where the browser has none.

import { type Acknowledgement, makeAcknowledgements } from "./acknowledgements.ts";
import type { OverlayApi, StreamEvent, StreamQuery, Widgets } from "./api.ts";
import type { Clock } from "./clock.ts";
import { makeConnection, type ServerEvent } from "./connection.ts";
import {
  assignPlayback,
  repeatEnd,
  reportStep,
  resumePlayback,
  showEverywhere,
  startPlayback,
  stopPlayback,
  takeOver,
  unassignPage,
} from "./current-playback.ts";
import type { FromPage, Hello, ToPage } from "./messages.ts";
import {
  type CoordinatorState,
  type CurrentSettings,
  type Page,
  type Presence,
  type StreamMode,
  setRole,
  setStatus,
  watchHeartbeats,
} from "./state.ts";
import { aged } from "./timer.ts";

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
    role: null,
    mode: "off",
    presence: { isInObs: false, isActive: true },
    status: "connecting",
    settings: null,
    widgets: null,
    widgetsAt: 0,
    cancelModeChange: () => {},
  };
  return { join: (hello, post) => join(state, hello, post) };
}

function streamQuery({ player, mode, current, presence }: CoordinatorState): StreamQuery {
  const playing = current && (current.page || current.startedAt !== null) ? current.playback.id : null;
  return { player, plays: mode === "plays", playing, ...presence };
}

/** The server has answered an acknowledgement for good. */
function applyAnswer(state: CoordinatorState, { playbackId, step }: Acknowledgement, status: number): void {
  if (status === 401) refuseKey(state);
  if (step === "ended") state.pages.broadcast({ type: "settled", playbackId });
  // A start that is refused: this player does not have the playback, or no longer.
  if (status >= 400 && step === "started" && state.current?.playback.id === playbackId) stopPlayback(state);
}

function join(state: CoordinatorState, hello: Hello, post: Page["post"]): (message: FromPage) => void {
  const page: Page = { kind: hello.kind, post, isInObs: hello.client === "obs", isActive: hello.active ?? true };
  state.player ||= hello.player;
  if (state.status === "refused") retryKey(state);
  state.pages.add(page);
  sendKnown(state, page);
  for (const id of hello.ended) if (!state.endedIds.has(id)) repeatEnd(state, id);
  if (hello.playing) resumePlayback(state, page, hello.playing);
  assignPlayback(state);
  if (state.current?.startedAt != null) showEverywhere(state);
  adjustMode(state);
  return (message) => {
    if (state.pages.has(page)) receive(state, page, message);
  };
}

function sendKnown({ clock, player, status, role, settings, widgets, widgetsAt }: CoordinatorState, { post }: Page): void {
  post({ type: "welcome", player });
  post({ type: "status", status });
  if (role) post({ type: "role", leads: role === "player" });
  if (settings) post({ type: "settings", ...settings });
  if (widgets) post({ type: "widgets", widgets: aged(widgets, clock.now() - widgetsAt) });
}

function receive(state: CoordinatorState, page: Page, message: FromPage): void {
  state.pages.markAlive(page);
  if (message.type === "bye") state.pages.remove(page);
  if (message.type === "started" || message.type === "ended" || message.type === "finished")
    reportStep(state, page, message.playbackId, message.type);
  if (message.type === "activity") page.isActive = message.active;
  if (message.type !== "pong") adjustMode(state);
}

type DataOf<Name extends StreamEvent["event"]> = Extract<StreamEvent, { event: Name }>["data"];
type EventHandlers = { [Name in StreamEvent["event"]]: (state: CoordinatorState, data: DataOf<Name>) => void };

const handlers: EventHandlers = {
  snapshot: applySnapshot,
  role: (state, { role }) => {
    setRole(state, role);
    takeOver(state);
  },
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

function applySnapshot(state: CoordinatorState, { role, widgets, playback, ...settings }: DataOf<"snapshot">): void {
  setStatus(state, "live");
  setRole(state, role);
  setSettings(state, settings);
  setWidgets(state, widgets);
  state.acknowledgements.retryNow();
  if (playback) startPlayback(state, playback);
  else stopPlayback(state);
}

function applyStop(state: CoordinatorState, { playbackId }: DataOf<"stop">): void {
  if (state.current?.playback.id === playbackId) stopPlayback(state);
  adjustMode(state);
}

function setSettings(state: CoordinatorState, sent: CurrentSettings): void {
  state.settings = sent;
  state.pages.broadcast({ type: "settings", ...sent });
}

function setWidgets(state: CoordinatorState, widgets: Widgets): void {
  state.widgets = widgets;
  state.widgetsAt = state.clock.now();
  state.pages.broadcast({ type: "widgets", widgets });
}

const modes: readonly StreamMode[] = ["off", "listens", "plays"];

/** Before the first connection: OBS loads all pages of a scene at once, and overlay pages ask for more than widgets. */
const connectDelayMs = 30;
/** How long the connection outlives its last page, because a reload takes a moment. */
const closeDelayMs = 3_000;
/** The same while an alert plays: the reloaded page plays it again. */
const closeDelayInPlayMs = 10_000;

/** How long a page must be hidden, or shown again, before the server is told. */
const activityDelayMs = 1_000;

/** Asks for more at once, for less after a delay. Tells the server between two alerts where its best page is, and whether it is hidden. */
function adjustMode(state: CoordinatorState): void {
  state.cancelModeChange();
  const { pages, mode, status, current, clock } = state;
  const needed: StreamMode = pages.best("overlay") ? "plays" : pages.best("widget") ? "listens" : "off";
  if (status === "refused") return;
  if (needed === mode) {
    if (mode === "plays" && !current && hasMoved(state))
      state.cancelModeChange = clock.after(activityDelayMs, () => changeMode(state, needed));
    return;
  }
  if (modes.indexOf(needed) > modes.indexOf(mode)) changeMode(state, needed);
  else state.cancelModeChange = clock.after(current ? closeDelayInPlayMs : closeDelayMs, () => changeMode(state, needed));
}

function hasMoved({ pages, presence }: CoordinatorState): boolean {
  const { isInObs, isActive } = pages.best("overlay") ?? presence;
  return isInObs !== presence.isInObs || isActive !== presence.isActive;
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
  state.presence = presenceOf(state.pages.best("overlay") ?? state.presence);
  if (mode !== "plays") state.current = null;
  if (mode === "off") state.connection.close();
  else state.connection.restart(delayMs);
}

function presenceOf({ isInObs, isActive }: Presence): Presence {
  return { isInObs, isActive };
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
