// The connected pages. Each is pinged once a second, and removed when it has missed three pings.

import type { Clock } from "../clock.ts";
import type { PageKind, ToPage } from "./messages.ts";

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
