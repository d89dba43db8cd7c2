// What the page coordinator knows: its connected pages with their heartbeats, its connection, and what was last sent on it.

import type { Acknowledgement, Acknowledgements } from "./acknowledgements.ts";
import type { OverlaySound, PageSettings, Playback, Role, WidgetSettings, Widgets } from "./api.ts";
import type { Cancel, Clock } from "./clock.ts";
import type { Connection } from "./connection.ts";
import type { PageKind, Status, ToPage } from "./messages.ts";

/** The playback that must be on screen. */
export type CurrentPlayback = {
  readonly playback: Playback;
  /** The page that leads; null while there is none, and while another browser leads. */
  page: Page | null;
  started: boolean;
  /** When the leading page, here or elsewhere, has started it, by the clock of this browser; null: not yet. */
  startedAt: number | null;
  /** The pages that were told to show it, the leading one included. */
  readonly shownBy: Set<Page>;
  /** The pages that have shown it to its end. */
  readonly finishedBy: Set<Page>;
};

/** Where a page is open, and whether it can be seen. */
export type Presence = Readonly<{ isInObs: boolean; isActive: boolean }>;

/** What the connection is for: nothing, the data of widgets, or alerts as well. */
export type StreamMode = "off" | "listens" | "plays";

export type CurrentSettings = Readonly<{
  paused: boolean;
  hidden: boolean;
  settings: PageSettings;
  widget: WidgetSettings | null;
  sound: OverlaySound;
}>;

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
  /** Of the connection; null before the first snapshot. */
  role: Role | null;
  mode: StreamMode;
  /** What the server was told of the best overlay page. */
  presence: Presence;
  status: Status;
  settings: CurrentSettings | null;
  widgets: Widgets | null;
  /** When they were received. */
  widgetsAt: number;
  cancelModeChange: Cancel;
};

export function acknowledge({ acknowledgements }: CoordinatorState, playbackId: string, step: Acknowledgement["step"]): void {
  acknowledgements.add({ playbackId, step });
}

export function setStatus(state: CoordinatorState, status: Status): void {
  state.status = status;
  state.pages.broadcast({ type: "status", status });
}

export function setRole(state: CoordinatorState, role: Role): void {
  state.role = role;
  state.pages.broadcast({ type: "role", leads: role === "player" });
}

/** A page as the coordinator sees it. */
export type Page = { readonly kind: PageKind; readonly post: (message: ToPage) => void; readonly isInObs: boolean; isActive: boolean };

type PageHeartbeats = {
  add: (page: Page) => void;
  remove: (page: Page) => void;
  markAlive: (page: Page) => void;
  has: (page: Page) => boolean;
  all: (kind: PageKind) => Page[];
  /** One in OBS before one in a browser, a visible one before a hidden one, the first that joined before a later one; null: there is none. */
  best: (kind: PageKind) => Page | null;
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
  const all = (kind: PageKind) => [...missed.keys()].filter((page) => page.kind === kind);

  return {
    add: (page) => missed.set(page, 0),
    remove,
    markAlive: (page) => missed.set(page, 0),
    has: (page) => missed.has(page),
    all,
    best: (kind) => all(kind).sort((a, b) => rankOf(a) - rankOf(b))[0] ?? null,
    broadcast: (message) => {
      for (const page of missed.keys()) page.post(message);
    },
  };
}

function rankOf({ isInObs, isActive }: Page): number {
  return (isInObs ? 0 : 2) + (isActive ? 0 : 1);
}
