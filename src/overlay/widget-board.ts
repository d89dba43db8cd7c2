// What the widgets of one streamer show: read when something has changed, not more often than a few times a second, and once for
// all of its connections.

import type { Schemas } from "../http/operations.ts";
import type { Goal, WidgetReading } from "./dependencies.ts";

/** What a reading must include. */
export type Wanted = { sequence: number; goal: Goal | null };

export type WidgetBoard = {
  /** The last reading; null before the first. */
  current: () => Schemas["Widgets"] | null;
  /** Reads again where the last reading does not include this. */
  want: (wanted: Wanted) => void;
  /** The same, and waits for it. Rejects when it can't be read. */
  include: (wanted: Wanted) => Promise<void>;
  /** A day may have begun. */
  refresh: () => void;
  close: () => void;
};

export type BoardParts = {
  /** `sequence`: of the last donation that it includes. */
  read: (goal: Goal | null) => Promise<WidgetReading & { sequence: number }>;
  onChange: () => void;
  onFailure: (error: unknown) => void;
  restMs: number;
  retryMs: number;
};

type Held = WidgetReading & { sequence: number; goal: string };
type Waiter = { sequence: number; resolve: () => void; reject: (error: unknown) => void };

export function widgetBoard({ read, onChange, onFailure, restMs, retryMs }: BoardParts): WidgetBoard {
  let held: Held | null = null;
  let wanted: Wanted = { sequence: 0, goal: null };
  let waiters: Waiter[] = [];
  let running = false;
  let closed = false;
  let startedAt = Number.NEGATIVE_INFINITY;

  const includes = ({ sequence, goal }: Wanted) =>
    held !== null && held.sequence >= sequence && held.goal === JSON.stringify(goal) && Date.now() < held.validUntil;

  const settle = () => {
    const done = waiters.filter(({ sequence }) => closed || includes({ sequence, goal: wanted.goal }));
    waiters = waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  };

  const readOnce = async () => {
    const { goal } = wanted;
    startedAt = performance.now();
    try {
      held = { ...(await read(goal)), goal: JSON.stringify(goal) };
    } catch (error) {
      const failed = waiters;
      waiters = [];
      for (const { reject } of failed) reject(error);
      onFailure(error);
      return pause(retryMs);
    }
    settle();
    if (!closed) onChange();
  };

  const run = async () => {
    running = true;
    while (!closed && !includes(wanted)) {
      await pause(startedAt + restMs - performance.now());
      if (!closed) await readOnce();
    }
    running = false;
  };

  const want = (newer: Wanted) => {
    wanted = { sequence: Math.max(newer.sequence, wanted.sequence), goal: newer.goal };
    if (!running && !includes(wanted)) void run();
  };

  return {
    current: () => held?.widgets ?? null,
    want,
    include: (newer) =>
      new Promise((resolve, reject) => {
        waiters.push({ sequence: newer.sequence, resolve, reject });
        want(newer);
        settle();
      }),
    refresh: () => want(wanted),
    close: () => {
      closed = true;
      settle();
    },
  };
}

function pause(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));
}
