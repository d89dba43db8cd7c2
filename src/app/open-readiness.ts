// Whether the server can take requests, for /readyz.

import type { Database } from "../db/database.ts";
import { isDiskFull } from "../db/full-disks.ts";
import { pools } from "../db/pools.ts";
import { makeReadiness } from "../db/readiness.ts";

/** `check` resolves to the fault, or null; from `leave` on the server is stopping. */
export function openReadiness(database: Database) {
  let isLeaving = false;
  const probe = database.pool(pools.probe);
  const checkDatabase = makeReadiness(() => probe.raw("select 1"));
  return {
    check: async () => (isLeaving ? "stopping" : ((await checkDatabase()) ?? fullDisk())),
    leave: () => {
      isLeaving = true;
    },
  };
}

function fullDisk(): string | null {
  if (isDiskFull("database")) return "the disk of the database is full";
  return isDiskFull("server") ? "the disk of the server is full" : null;
}
