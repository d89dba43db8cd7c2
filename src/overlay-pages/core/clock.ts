// The clock of the browser code, which tests replace.

export type Cancel = () => void;

export type Clock = {
  /** Milliseconds since a fixed moment; never goes back. */
  now: () => number;
  after: (ms: number, run: () => void) => Cancel;
};

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A clock for pages. Browsers delay the timers of a hidden page (such as a scene that OBS does not show) to one a minute, but not its
 * messages: each `pulse`, which the coordinator's pings cause once a second, runs the timers that are due.
 */
export function pulsedClock(clock: Clock = systemClock): Clock & { pulse: () => void } {
  const timers = new Set<{ due: number; fire: () => void }>();
  const after = (ms: number, run: () => void): Cancel => {
    const timer = { due: clock.now() + ms, fire: () => cancel() && run() };
    const cancelTimer = clock.after(ms, timer.fire);
    const cancel = () => {
      cancelTimer();
      return timers.delete(timer);
    };
    timers.add(timer);
    return cancel;
  };
  const pulse = () => {
    const now = clock.now();
    for (const { fire } of [...timers].filter(({ due }) => due <= now).sort((a, b) => a.due - b.due)) fire();
  };
  return { now: clock.now, after, pulse };
}

/** Resolves after `ms`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}
