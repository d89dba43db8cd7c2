// Applies the events of the stream to the coordinator's state, and passes them on to the pages.

import type { StreamEvent, Widgets } from "../stream/events.ts";
import type { ServerEvent } from "../stream/sse.ts";
import { type CoordinatorState, type CurrentSettings, setStatus } from "./coordinator-state.ts";
import { startPlayback, stopPlayback } from "./playback-assignment.ts";

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
export function applyEvent(state: CoordinatorState, { event, data }: ServerEvent): void {
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
