// Coordinates the pages of one overlay key in one browser: holds the one connection for all of them, decides which page plays alerts,
// and acknowledges what was played. It runs in a SharedWorker, or in the page itself where the browser has none.

import type { Clock } from "../clock.ts";
import { type Acknowledgement, type Acknowledgements, makeAcknowledgements } from "../playback/acknowledgements.ts";
import type { OverlayApi } from "../stream/api.ts";
import { type Connection, makeConnection } from "../stream/connection.ts";
import { type CoordinatorState, setStatus } from "./coordinator-state.ts";
import type { FromPage, Hello, ToPage } from "./messages.ts";
import { type Page, watchHeartbeats } from "./page-heartbeats.ts";
import { assignPlayback, repeatEnd, reportStep, resumePlayback, stopPlayback, unassignPage } from "./playback-assignment.ts";
import { applyEvent } from "./stream-events.ts";
import { adjustMode, refuseKey, retryKey } from "./stream-mode.ts";

/** While an alert is on screen, or its end is not acknowledged: ten seconds after its page was lost, the server gives it up as unconfirmed. */
const maxBackoffInPlayMs = 3_000;

export type PageCoordinatorDeps = { api: OverlayApi; clock: Clock; random: () => number };

export type PageCoordinator = {
  /** Adds a page. Its further messages go to the returned function. */
  join: (hello: Hello, post: (message: ToPage) => void) => (message: FromPage) => void;
};

export function makePageCoordinator(deps: PageCoordinatorDeps): PageCoordinator {
  const state: CoordinatorState = {
    clock: deps.clock,
    pages: watchHeartbeats(deps.clock, (page) => {
      unassignPage(state, page);
      adjustMode(state);
    }),
    connection: openConnection(deps, () => state),
    acknowledgements: openAcknowledgements(deps, () => state),
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

function openConnection({ api, clock, random }: PageCoordinatorDeps, getState: () => CoordinatorState): Connection {
  return makeConnection({
    openStream: (signal) => {
      const { player, mode, current } = getState();
      return api.stream({ player, plays: mode === "plays", playing: current?.playback.id ?? null }, signal);
    },
    clock,
    random,
    onEvent: (event) => applyEvent(getState(), event),
    onLost: () => setStatus(getState(), "connecting"),
    onRefused: () => refuseKey(getState()),
    maxBackoffMs: () => {
      const { current, acknowledgements } = getState();
      return current || acknowledgements.areWaiting() ? maxBackoffInPlayMs : Number.POSITIVE_INFINITY;
    },
  });
}

function openAcknowledgements({ api, clock, random }: PageCoordinatorDeps, getState: () => CoordinatorState): Acknowledgements {
  return makeAcknowledgements({
    send: (acknowledgement) => api.acknowledge(acknowledgement, getState().player),
    clock,
    random,
    onAnswer: (acknowledgement, status) => applyAnswer(getState(), acknowledgement, status),
  });
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
