// What a serving process opens before the application: everything in src/app is built on it.

import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Metrics } from "../telemetry/metrics.ts";

/** The database is open and migrated. */
export type AppDeps = { config: Config; database: Database; log: Logger; metrics: Metrics };
