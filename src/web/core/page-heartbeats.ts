// Which pages are here. Each is asked once a second; one that misses three is gone.

import type { Clock } from "./clock.ts";
import type { PageKind, ToPage } from "./messages.ts";

/** A page as the station sees it. */
export type Page = { kind: PageKind; post: (message: ToPage) => void };

export type Attendance = {
  add: (page: Page) => void;
  remove: (page: Page) => void;
  heard: (page: Page) => void;
  isHere: (page: Page) => boolean;
  /** The one that has been here longest. */
  first: (kind: PageKind) => Page | null;
  tell: (message: ToPage) => void;
};

const interval = 1_000;
const allowed = 3;

/** Questions without an answer are counted, not seconds: after a computer's sleep all pages would be late. */
export function watchAttendance(clock: Clock, onLeave: (page: Page) => void): Attendance {
  const missed = new Map<Page, number>();

  const ask = () => {
    clock.after(interval, ask);
    for (const [page, count] of [...missed]) {
      if (count < allowed) {
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
  clock.after(interval, ask);

  return {
    add: (page) => missed.set(page, 0),
    remove,
    heard: (page) => missed.set(page, 0),
    isHere: (page) => missed.has(page),
    first: (kind) => [...missed.keys()].find((page) => page.kind === kind) ?? null,
    tell: (message) => {
      for (const page of missed.keys()) page.post(message);
    },
  };
}
