import type { TestProject } from "vitest/node";
import { openEmbedded } from "./embedded.ts";
import { removeDataDir, silent, temporaryDirectory } from "./testing.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Data directory of the embedded server that all test files of a run share. */
    dataDir: string | undefined;
  }
}

/**
 * Vitest's global set-up: one embedded server for all test files, each of which has databases of its own on it. A server for each file
 * took two to six seconds of making, starting and stopping. Nobody waits here for its start: a file that needs it waits for its lock.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const dataDir = await temporaryDirectory();
  const starting = openEmbedded({ dataDir, log: silent });
  // A failure is told by the first file that opens the server itself.
  starting.catch(() => {});
  provide("dataDir", dataDir);
  return async () => {
    await starting.then(({ release }) => release()).finally(() => removeDataDir(dataDir));
  };
}
