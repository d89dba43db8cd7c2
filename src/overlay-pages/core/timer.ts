// What is left of a timer, without the DOM.

import type { Widgets } from "./api.ts";

type WidgetTimer = NonNullable<Widgets["timer"]>;

/** The data as it is when it was received `ms` ago: a timer that runs has less left. */
export function aged(widgets: Widgets, ms: number): Widgets {
  const { timer } = widgets;
  if (timer?.status !== "running") return widgets;
  return { ...widgets, timer: { ...timer, remainingMs: leftAfter(timer, ms) } };
}

/** What is left `ms` after the timer was received. */
export function leftAfter({ status, remainingMs }: WidgetTimer, ms: number): number {
  return status === "running" ? Math.max(0, remainingMs - ms) : remainingMs;
}

/** `1:02:03`: hours, minutes and seconds. A second that has begun counts, so that zero means that nothing is left. */
export function formatTimeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return [String(hours), ...[minutes, seconds % 60].map((part) => String(part).padStart(2, "0"))].join(":");
}

/** Until what is shown changes. */
export function untilNextSecond(ms: number): number {
  return ms % 1_000 || 1_000;
}
