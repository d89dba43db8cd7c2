// Undoes what the bench has started and created, also after a failure, Ctrl-C or SIGTERM.

export type Cleanup = {
  /** Adds a step; the last one added is undone first. */
  later: (step: () => unknown) => void;
  /** Undoes every step there is, once, also when another step fails. Later steps can be added for the next part. */
  run: () => Promise<void>;
  /** Aborted as soon as the bench is told to end. */
  ended: AbortSignal;
};

const signals = { SIGINT: 130, SIGTERM: 143 };

export function cleanupAtTheEnd(): Cleanup {
  const steps: (() => unknown)[] = [];
  const end = new AbortController();
  const undoAll = async () => {
    for (const step of steps.splice(0).reverse())
      await Promise.resolve()
        .then(step)
        .catch((error: Error) => console.error(`cleaning up: ${error.message}`));
  };
  let running = Promise.resolve();
  const run = () => (running = running.then(undoAll));
  for (const [name, code] of Object.entries(signals))
    process.once(name, () => {
      console.error(`${name}: cleaning up.`);
      end.abort();
      run().then(() => process.exit(code));
    });
  return { later: (step) => steps.push(step), run, ended: end.signal };
}
