// Gives the Chromiums of a run one folder for their temporary files, and deletes it: one that is killed leaves them behind.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string;

/** Before the workers are started, which inherit the variable. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "namjai-chromium-"));
  process.env.CHROMIUM_TMPDIR = folder;
}

/** After the workers have ended, and the server of the run. */
export const teardown = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
