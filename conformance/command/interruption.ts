import { NotMeasurable } from "./calibrate.ts";

/** Handles Ctrl-C and SIGTERM: the run ends early, started servers are stopped, and reports contain the results so far. */
export type Interruption = {
  /** Throws NotMeasurable after a signal. */
  throwIfInterrupted: () => void;
  /** Registers a function that is called on a signal. */
  onSignal: (end: () => Promise<void>) => void;
};

const exitCodeInterrupted = 130;

export function watchForSignals(): Interruption {
  let interrupted = false;
  const handlers: (() => Promise<void>)[] = [];
  const interrupt = (): void => {
    if (interrupted) process.exit(exitCodeInterrupted); // second signal
    interrupted = true;
    for (const end of handlers) void end();
  };
  const listen = (): void => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal).on(signal, interrupt);
  };
  listen();
  return {
    throwIfInterrupted: () => {
      if (interrupted) throw new NotMeasurable("interrupted");
    },
    onSignal: (end) => {
      handlers.push(end);
      listen(); // replaces vitest's listener, which would end the process at once
    },
  };
}
