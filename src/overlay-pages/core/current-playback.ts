// The playback that is on screen: which page leads, which pages show it as well, and what of it the server is told. The connection of this
// browser is the player's, or stands by: then another browser leads, and all pages here follow it.

import type { Playback } from "./api.ts";
import type { Hello } from "./messages.ts";
import { acknowledge, type CoordinatorState, type CurrentPlayback, type Page } from "./state.ts";

/** Older ids of ended playbacks are forgotten. */
const maxEndedIds = 1_000;

/** The server has sent a playback. */
export function startPlayback(state: CoordinatorState, playback: Playback): void {
  const { id } = playback;
  if (state.current && state.current.playback.id !== id) stopPlayback(state);
  if (state.role === "standby") follow(state, playback);
  else if (state.endedIds.has(id)) repeatEnd(state, id);
  else if (state.current) {
    takeOver(state);
    if (state.current.started) acknowledge(state, id, "started");
  } else {
    state.current = newPlayback(playback);
    assignPlayback(state);
  }
}

function newPlayback(playback: Playback): CurrentPlayback {
  return { playback, page: null, started: false, startedAt: null, shownBy: new Set(), finishedBy: new Set() };
}

/** Another browser plays it: pages load its files, and show it once it has started there. */
function follow(state: CoordinatorState, playback: Playback): void {
  if (state.endedIds.has(playback.id)) return;
  const beginsAgain = state.current !== null && state.current.startedAt !== null && playback.elapsedMs === null;
  if (beginsAgain) stopPlayback(state);
  state.current ??= newPlayback(playback);
  state.current.page = null;
  if (playback.elapsedMs !== null) state.current.startedAt ??= state.clock.now() - playback.elapsedMs;
  showEverywhere(state);
}

/** Shows what has started on the overlay pages that do not show it yet, unless another one has shown it to its end. */
export function showEverywhere({ current, pages, clock }: CoordinatorState): void {
  if (!current || current.finishedBy.size > 0) return;
  const { playback, startedAt, shownBy } = current;
  for (const page of pages.all("overlay")) {
    if (shownBy.has(page)) continue;
    if (startedAt === null) {
      page.post({ type: "load", playback });
      continue;
    }
    shownBy.add(page);
    page.post({ type: "play", playback, leads: false, elapsedMs: clock.now() - startedAt });
  }
}

/** Assigns a playback that no page leads to the best overlay page, which plays it from the beginning. */
export function assignPlayback(state: CoordinatorState): void {
  const { current, role, pages } = state;
  if (!current || current.page || role !== "player") return;
  const page = pages.best("overlay");
  if (!page) return;
  current.page = page;
  current.shownBy.add(page);
  page.post({ type: "play", playback: current.playback, leads: true, elapsedMs: 0 });
}

/** A page has left. Another one that shows its playback leads from now on; without one, the playback begins again on the next page. */
export function unassignPage(state: CoordinatorState, page: Page): void {
  const { current } = state;
  if (!current) return;
  current.shownBy.delete(page);
  if (current.page !== page) return;
  current.page = null;
  takeOver(state);
}

/** This browser leads now. What a page shows goes on; what all of them have shown to its end has ended. */
export function takeOver(state: CoordinatorState): void {
  const { current } = state;
  if (!current || current.page || state.role !== "player") return;
  const { playback, shownBy, finishedBy } = current;
  const page = [...shownBy].find((one) => !finishedBy.has(one));
  if (page) {
    Object.assign(current, { page, started: true });
    page.post({ type: "lead", playbackId: playback.id });
  } else if (finishedBy.size > 0) repeatEnd(state, playback.id);
  else {
    state.current = newPlayback(playback);
    assignPlayback(state);
  }
}

/** A page that was playing when its last coordinator died goes on playing. */
export function resumePlayback(state: CoordinatorState, page: Page, playing: NonNullable<Hello["playing"]>): void {
  const { playback, started, leads = true } = playing;
  const beforeSnapshot = state.settings === null;
  if (!state.current && beforeSnapshot && !state.endedIds.has(playback.id)) state.current = newPlayback(playback);
  const { current } = state;
  const isShown = started && (current?.startedAt !== null || (beforeSnapshot && !current.page));
  if (current?.playback.id !== playback.id || !(isShown || (leads && !current.page))) {
    page.post({ type: "stop", playbackId: playback.id });
    return;
  }
  current.shownBy.add(page);
  if (started) current.startedAt ??= state.clock.now() - (playing.elapsedMs ?? 0);
  if (!leads || current.page || state.role === "standby") return;
  Object.assign(current, { page, started });
  if (started) acknowledge(state, playback.id, "started");
}

export function stopPlayback(state: CoordinatorState): void {
  const { current } = state;
  if (!current) return;
  const { playback } = current;
  for (const page of state.pages.all("overlay")) page.post({ type: "stop", playbackId: playback.id });
  state.acknowledgements.forget(playback.id);
  state.current = null;
}

/** Only the leading page's start and end are acknowledged. The others show the playback from its start to its end. */
export function reportStep(state: CoordinatorState, page: Page, playbackId: string, step: "started" | "ended" | "finished"): void {
  const { current } = state;
  if (current?.playback.id !== playbackId) return;
  if (step !== "started") current.finishedBy.add(page);
  if (current.page !== page) return;
  if (step === "started") {
    current.started = true;
    current.startedAt ??= state.clock.now();
    showEverywhere(state);
  } else {
    for (const other of current.shownBy) if (!current.finishedBy.has(other)) other.post({ type: "stop", playbackId });
    markEnded(state, playbackId);
  }
  acknowledge(state, playbackId, step === "started" ? "started" : "ended");
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
