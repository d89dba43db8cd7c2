// Whether the server can take requests, for /readyz and metrics: the database answers, and no disk is full. The database is checked at most
// once a second, on a connection of its own.

import { resultWithin } from "../base/async.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Database } from "./database.ts";
import { isDiskFull } from "./failures.ts";
import { pools } from "./pools.ts";

type ReadinessOptions = { freshMs?: number; timeoutMs?: number; now?: () => number };

/** The returned function answers null when the database is ready, otherwise what is missing. Calls within `freshMs` of a check share its outcome. */
export function makeReadiness(check: () => Promise<unknown>, options: ReadinessOptions = {}): () => Promise<string | null> {
  const { freshMs = 1_000, timeoutMs = 1_500, now = () => performance.now() } = options;
  let lastCheck: { missing: string | null; at: number } | null = null;
  let underWay: Promise<string | null> | null = null;

  const remember = (missing: string | null) => {
    lastCheck = { missing, at: now() };
    return missing;
  };
  const runCheck = async (): Promise<string | null> => {
    const succeeded = check().then(
      () => true,
      () => false,
    );
    const isReady = await resultWithin(timeoutMs, succeeded);
    underWay = null;
    return remember(isReady ? null : "database unavailable");
  };
  return async () => (lastCheck && now() - lastCheck.at < freshMs ? lastCheck.missing : (underWay ??= runCheck()));
}

/** Fails as a write would: a server that is a standby by now answers questions, and records nothing. */
const requireWrites =
  "do $$ begin if current_setting('transaction_read_only')::boolean then raise read_only_sql_transaction; end if; end $$";

/** `check` resolves to the fault, or null; from `leave` on the server is stopping. */
export function openReadiness(database: Database) {
  let isLeaving = false;
  const probe = database.pool(pools.probe);
  const checkDatabase = makeReadiness(() => probe.raw(requireWrites));
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

/** The gauges of the database and of the disks. */
export function watchDatabase(database: Database, metrics: Metrics): void {
  metrics.pools(database.pools());
  metrics.labelledGauge({
    name: "disk_full",
    help: "1 when the disk of the database, or of the server, was full within the last half minute: what needs room is refused.",
    label: "disk",
    read: () => ({ database: Number(isDiskFull("database")), server: Number(isDiskFull("server")) }),
  });
}
