// What the page coordinator knows: its connected pages with their heartbeats, its connection, and what was last sent on it.

import type { Acknowledgement, Acknowledgements } from "./acknowledgements.ts";
import type { PageSettings, Playback, WidgetSettings, Widgets } from "./api.ts";
import type { Cancel, Clock } from "./clock.ts";
import type { Connection } from "./connection.ts";
import type { PageKind, Status, ToPage } from "./messages.ts";

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

/** A page as the coordinator sees it. */
export type Page = { kind: PageKind; post: (message: ToPage) => void };

export type PageHeartbeats = {
  add: (page: Page) => void;
  remove: (page: Page) => void;
  markAlive: (page: Page) => void;
  has: (page: Page) => boolean;
  /** The page of this kind that joined first; null: there is none. */
  first: (kind: PageKind) => Page | null;
  broadcast: (message: ToPage) => void;
};

const pingIntervalMs = 1_000;
const maxMissed = 3;

/** Counts missed pings instead of seconds, because all pages would be late after the computer has slept. */
export function watchHeartbeats(clock: Clock, onLeave: (page: Page) => void): PageHeartbeats {
  const missed = new Map<Page, number>();

  const pingAll = () => {
    clock.after(pingIntervalMs, pingAll);
    for (const [page, count] of [...missed]) {
      if (count < maxMissed) {
        missed.set(page, count + 1);
        page.post({ type: "ping" });
      } else {
        page.post({ type: "lost" });
        remove(page);
      }
    }
  };
  const remove = (page: Page) => {
    if (missed.delete(page)) onLeave(page);
  };
  clock.after(pingIntervalMs, pingAll);

  return {
    add: (page) => missed.set(page, 0),
    remove,
    markAlive: (page) => missed.set(page, 0),
    has: (page) => missed.has(page),
    first: (kind) => [...missed.keys()].find((page) => page.kind === kind) ?? null,
    broadcast: (message) => {
      for (const page of missed.keys()) page.post(message);
    },
  };
}
