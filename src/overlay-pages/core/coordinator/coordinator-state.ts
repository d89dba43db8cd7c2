// What the page coordinator knows: its pages, its connection, and what was last sent on it.

import type { Cancel, Clock } from "../clock.ts";
import type { Acknowledgement, Acknowledgements } from "../playback/acknowledgements.ts";
import type { Connection } from "../stream/connection.ts";
import type { PageSettings, Playback, WidgetSettings, Widgets } from "../stream/events.ts";
import type { Status } from "./messages.ts";
import type { Page, PageHeartbeats } from "./page-heartbeats.ts";

/** The playback that must be on screen. `page`: the page that plays it; null while there is none. */
export type CurrentPlayback = { playback: Playback; page: Page | null; started: boolean };

/** What the connection is for: nothing, the data of widgets, or alerts as well. */
export type StreamMode = "off" | "listens" | "plays";

export type CurrentSettings = { paused: boolean; hidden: boolean; settings: PageSettings; widget: WidgetSettings | null };

export type CoordinatorState = {
  readonly clock: Clock;
  readonly pages: PageHeartbeats;
  readonly connection: Connection;
  readonly acknowledgements: Acknowledgements;
  /** Ids of the last playbacks that have ended: they are not played again. */
  readonly endedIds: Set<string>;
  /** The player id of this browser; empty before the first page has joined. */
  player: string;
  current: CurrentPlayback | null;
  mode: StreamMode;
  status: Status;
  settings: CurrentSettings | null;
  widgets: Widgets | null;
  cancelModeChange: Cancel;
};

export function acknowledge({ acknowledgements }: CoordinatorState, playbackId: string, step: Acknowledgement["step"]): void {
  acknowledgements.add({ playbackId, step });
}

export function setStatus(state: CoordinatorState, status: Status): void {
  state.status = status;
  state.pages.broadcast({ type: "status", status });
}
