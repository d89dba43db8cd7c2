// Decides which playback is on screen, and assigns it to one overlay page of this browser.

import type { Playback } from "./api.ts";
import type { Hello } from "./messages.ts";
import type { Page } from "./state.ts";
import { acknowledge, type CoordinatorState } from "./state.ts";

/** Older ids of ended playbacks are forgotten. */
const maxEndedIds = 1_000;

/** The server has sent a playback. */
export function startPlayback(state: CoordinatorState, playback: Playback): void {
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
export function assignPlayback(state: CoordinatorState): void {
  const page = state.current?.page ? null : state.pages.first("overlay");
  if (!state.current || !page) return;
  state.current = { ...state.current, page };
  page.post({ type: "play", playback: state.current.playback });
}

/** A page has left: another one plays its playback from the beginning. */
export function unassignPage(state: CoordinatorState, page: Page): void {
  if (state.current?.page === page) state.current = { ...state.current, page: null, started: false };
  assignPlayback(state);
}

/** A page that was playing when its last coordinator died goes on playing. */
export function resumePlayback(state: CoordinatorState, page: Page, { playback, started }: NonNullable<Hello["playing"]>): void {
  const beforeSnapshot = state.settings === null;
  if (!state.current && beforeSnapshot && !state.endedIds.has(playback.id)) state.current = { playback, page: null, started: false };
  if (state.current?.playback.id === playback.id && !state.current.page) {
    state.current = { playback, page, started };
    if (started) acknowledge(state, playback.id, "started");
  } else page.post({ type: "stop", playbackId: playback.id });
}

export function stopPlayback(state: CoordinatorState): void {
  if (!state.current) return;
  const { page, playback } = state.current;
  page?.post({ type: "stop", playbackId: playback.id });
  state.acknowledgements.forget(playback.id);
  state.current = null;
}

/** Only the page that a playback is assigned to reports its start and its end. */
export function reportStep(state: CoordinatorState, page: Page, playbackId: string, step: "started" | "ended"): void {
  if (state.current?.page !== page || state.current.playback.id !== playbackId) return;
  if (step === "started") state.current.started = true;
  else markEnded(state, playbackId);
  acknowledge(state, playbackId, step);
}

/** The server has missed the end, and perhaps the start: both are acknowledged, in this order. */
export function repeatEnd(state: CoordinatorState, id: string): void {
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
