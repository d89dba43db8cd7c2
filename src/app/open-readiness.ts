// Whether the server can take requests, for /readyz.

import type { Database } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import { makeReadiness } from "../db/readiness.ts";

/** `check` resolves to the fault, or null; from `leave` on the server is stopping. */
export function openReadiness(database: Database) {
  let isLeaving = false;
  const probe = database.pool(pools.probe);
  const checkDatabase = makeReadiness(() => probe.raw("select 1"));
  return {
    check: async () => (isLeaving ? "stopping" : await checkDatabase()),
    leave: () => {
      isLeaving = true;
    },
  };
}
