// What the programs of bench and rehearsals begin and end with: what must be installed, an operator's environment, and undoing what was started.

import { compileCache } from "../suite/servers/serve.ts";

export type Cleanup = {
  /** Adds a step; the last one added is undone first. */
  later: (step: () => unknown) => void;
  /** Undoes every step there is, once, also when another step fails. Later steps can be added for the next part. */
  run: () => Promise<void>;
  /** Aborted as soon as the bench is told to end. */
  ended: AbortSignal;
};

/** Ends the process where something that the rehearsal needs is not installed, and says what. */
export function requireInstalled(missing: string | null): void {
  if (missing === null) return;
  console.error(`not run: ${missing}`);
  process.exit(1);
}

/** The environment of an operator, without a database and without the settings of this process. */
export function operatorEnvironment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR)$/.test(name));
  return { ...(Object.fromEntries(inherited) as Record<string, string>), NODE_COMPILE_CACHE: compileCache };
}

const signals = { SIGINT: 130, SIGTERM: 143 };

/** Undoes everything also after Ctrl-C or SIGTERM. */
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
