// Opens what records donations: the writer of those that are posted singly, and the importer, which lets them go first.

import { pools } from "../db/pools.ts";
import type { StoredDonation } from "../donations/donation.ts";
import { type Importer, makeImporter } from "../donations/import/importer.ts";
import { traceRecording } from "../donations/record/traced-recording.ts";
import { makeWriter, type Writer } from "../donations/record/writer.ts";
import { activeTracing } from "../telemetry/tracing.ts";
import type { AppDeps } from "./app-deps.ts";

/** Called after the commit of a streamer's donations; `recorded`: how many. Must not throw. */
export type Announce = (streamerId: string, recorded: number) => void;

export function openRecording({ database, log, metrics }: AppDeps, announce: Announce): { writer: Writer; importer: Importer } {
  const pool = database.pool(pools.writer);
  const traced = activeTracing() ? traceRecording(pool) : null;
  const announceOne = ({ streamerId }: StoredDonation) => announce(streamerId, 1);
  const untraced = makeWriter({ pool, log, announce: announceOne, onBatch: metrics.batch, insert: traced?.insert });
  const writer = traced?.noting(untraced) ?? untraced;
  return { writer, importer: makeImporter({ pool: database.pool(pools.imports), log, announce, live: writer }) };
}
