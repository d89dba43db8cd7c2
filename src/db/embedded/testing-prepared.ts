// A database cluster that is created once for the tests of a file, because initdb takes longer than most tests.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll } from "vitest";
import { createCluster, removeDataDir, temporaryDirectory } from "../testing.ts";

/** Returns a function that copies the cluster into a data directory, where no server has run yet. */
export function usePreparedCluster(): (dataDir: string) => Promise<void> {
  let prepared = "";
  beforeAll(async () => {
    prepared = await temporaryDirectory();
    await createCluster(prepared);
    return () => removeDataDir(prepared);
  });
  return async (dataDir) => {
    await promisify(execFile)("cp", ["-R", "-p", `${prepared}/.`, dataDir]);
  };
}
