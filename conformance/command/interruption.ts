import { NotMeasurable } from "./calibrate.ts";

/** Ctrl-C and SIGTERM: the run ends early, what was started is stopped, and reports tell what there is. */
export type Interruption = {
  /** Throws where there was one. */
  check: () => void;
  /** Calls this when there is one. */
  onSignal: (end: () => Promise<void>) => void;
};

const killed = 130;

export function watchForSignals(): Interruption {
  let interrupted = false;
  const ends: (() => Promise<void>)[] = [];
  const interrupt = (): void => {
    if (interrupted) process.exit(killed); // asked twice
    interrupted = true;
    for (const end of ends) void end();
  };
  const claim = (): void => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal).on(signal, interrupt);
  };
  claim();
  return {
    check: () => {
      if (interrupted) throw new NotMeasurable("interrupted");
    },
    onSignal: (end) => {
      ends.push(end);
      claim(); // vitest's own listener would end the process at once
    },
  };
}
