// Connects for what the pages of this browser need: alerts if there is an overlay page, else the data of widgets, else nothing.

import { type CoordinatorState, type StreamMode, setStatus } from "./coordinator-state.ts";
import { stopPlayback } from "./playback-assignment.ts";

const modes: readonly StreamMode[] = ["off", "listens", "plays"];

/** Before the first connection: OBS loads all pages of a scene at once, and overlay pages ask for more than widgets. */
const connectDelayMs = 30;
/** How long the connection outlives its last page, because a reload takes a moment. */
const closeDelayMs = 3_000;
/** The same while an alert plays: the reloaded page plays it again. */
const closeDelayInPlayMs = 10_000;

/** Asks for more at once, for less after a delay. */
export function adjustMode(state: CoordinatorState): void {
  state.cancelModeChange();
  const { pages, mode, status, current, clock } = state;
  const needed: StreamMode = pages.first("overlay") ? "plays" : pages.first("widget") ? "listens" : "off";
  if (needed === mode || status === "refused") return;
  if (modes.indexOf(needed) > modes.indexOf(mode)) changeMode(state, needed);
  else state.cancelModeChange = clock.after(current ? closeDelayInPlayMs : closeDelayMs, () => changeMode(state, needed));
}

/** The server has refused the overlay key: nothing is tried again until another page joins. */
export function refuseKey(state: CoordinatorState): void {
  state.connection.close();
  stopPlayback(state);
  setStatus(state, "refused");
}

/** A page that is loaded after a refusal tries the key again. */
export function retryKey(state: CoordinatorState): void {
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
