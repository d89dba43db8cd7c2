// Ctrl-C and SIGTERM: the run ends early, and its reports say so.

import { NotMeasurable } from "./usage-error.ts";

/** Handles Ctrl-C and SIGTERM: the run ends early, started servers are stopped, and reports contain the results so far. */
export type Interruption = {
  /** Throws NotMeasurable after a signal. */
  throwIfInterrupted: () => void;
  /** Registers a function that is called on a signal. */
  onSignal: (end: () => Promise<void>) => void;
};

const exitCodeInterrupted = 130;
/** A terminal sends Ctrl-C to every process of a command, and make or `--watch` passes it on: both are one signal. */
const sameSignalMs = 1_000;

export function watchForSignals(): Interruption {
  let interruptedAt: number | null = null;
  const handlers: (() => Promise<void>)[] = [];
  const interrupt = (): void => {
    if (interruptedAt !== null && performance.now() - interruptedAt > sameSignalMs) process.exit(exitCodeInterrupted); // a second one
    if (interruptedAt !== null) return;
    interruptedAt = performance.now();
    for (const end of handlers) void end();
  };
  const listen = (): void => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal).on(signal, interrupt);
  };
  listen();
  return {
    throwIfInterrupted: () => {
      if (interruptedAt !== null) throw new NotMeasurable("interrupted");
    },
    onSignal: (end) => {
      handlers.push(end);
      listen(); // replaces vitest's listener, which would end the process at once
    },
  };
}
