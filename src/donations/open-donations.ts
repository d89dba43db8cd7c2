// Opens the donations: what records them, what reads them, and their operations.

import type { Knex } from "knex";
import type { Credentials } from "../auth/credentials.ts";
import { type AnswerCache, repeatCache } from "../db/answer-cache.ts";
import type { BatchedReads } from "../db/batched-reads.ts";
import type { ProcessDeps } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import type { Contract } from "../http/contract/contract.ts";
import type { CursorCodec } from "../http/cursor.ts";
import { bucketOf } from "../http/guards.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import { activeTracing, currentSpan, inBatchSpan, noteTrace, type TraceSpan } from "../telemetry/tracing.ts";
import type { NewDonation, StoredDonation } from "./donation.ts";
import { exportDonations } from "./export/export-donations.ts";
import * as handlers from "./handlers.ts";
import { type ImportDeps, importDonations } from "./import/import-donations.ts";
import { importStore } from "./import/import-store.ts";
import { type Importer, makeImporter } from "./import/importer.ts";
import { checkImported } from "./import/outcomes.ts";
import { sharedStreamSlots } from "./import/stream-slots.ts";
import { donationsOfDonator } from "./list/of-donator.ts";
import { sumFound } from "./list/sum-found.ts";
import { openReaders } from "./open-readers.ts";
import type { Insert } from "./record/attempt.ts";
import { insertBatch } from "./record/batch.ts";
import { makeWriter, type Writer } from "./record/writer.ts";
import { startSearchIndexer } from "./search/blocks.ts";
import { getMe } from "./streamers.ts";

type DonationSources = Readonly<{
  contract: Contract;
  credentials: Credentials;
  cursors: CursorCodec;
  limits: Limits;
  reads: BatchedReads;
  cache: AnswerCache;
  announce: Announce;
}>;

/** Called after the commit of a streamer's donations; `recorded`: how many. Must not throw. */
type Announce = (streamerId: string, recorded: number) => void;

/** Imports that are sent line by line. Each keeps a connection open. */
const maxStreams = { perStreamer: 16, inAll: 64 };

export function openDonations(deps: ProcessDeps, sources: DonationSources) {
  const { config, database, log } = deps;
  const { contract, credentials, cursors, limits, reads, cache } = sources;
  const readers = openReaders(deps, reads);
  const { writer, importer } = openRecording(deps, sources.announce);
  const indexer = startSearchIndexer(database.pool(pools.search), log);
  const leaving = new AbortController();
  const checkItem = checkImported(contract.checkerOf);
  const imports: ImportDeps = {
    ...{ importer, checkItem, leaving: leaving.signal },
    imports: importStore(database.knex),
    takeTokens: async (principal, tokens) => limits.spend("import", bucketOf(principal), { streamerId: principal.streamerId, tokens }),
    admit: sharedStreamSlots(maxStreams),
    authenticator: credentials.authenticatorFor(config.baseUrl),
  };
  const { donations } = readers.primary;
  const cached = repeatCache(cache);
  return {
    operations: {
      createDonation: handlers.createDonation(writer),
      importDonations: importDonations(imports),
      listDonations: handlers.listDonations(readers.read, cursors, cached),
      getDonation: handlers.getDonation(donations),
      searchDonations: handlers.searchDonations(readers.readSearches, cursors, cached),
      exportDonations: exportDonations(readers.read),
      listStreamingCategories: handlers.listStreamingCategories(database.knex),
      getMe: getMe(reads),
    },
    ...{ readers, writer, importer, checkItem },
    sumFound: sumFound(readers.readSearches, cursors),
    ofDonator: donationsOfDonator(readers.read, cursors),
    /** Imports of lines are ended, because they would not end by themselves. */
    leave: () => leaving.abort(),
    stopIndexing: indexer.stop,
  };
}

/** Opens the writer of donations that are posted singly, and the importer, which lets them go first. */
function openRecording({ database, log, metrics }: ProcessDeps, announce: Announce): { writer: Writer; importer: Importer } {
  const pool = database.pool(pools.writer);
  const traced = activeTracing() ? traceRecording(pool) : null;
  const announceOne = ({ streamerId }: StoredDonation) => announce(streamerId, 1);
  const untraced = makeWriter({ pool, log, announce: announceOne, onBatch: metrics.batch, insert: traced?.insert });
  const writer = traced?.noting(untraced) ?? untraced;
  return { writer, importer: makeImporter({ pool: database.pool(pools.imports), log, announce, live: writer }) };
}

// Traces the recording of donations: many requests, one statement.

type TracedRecording = Readonly<{
  insert: Insert;
  /** The same writer; it notes in which span each donation is recorded. */
  noting: (writer: Writer) => Writer;
}>;

function traceRecording(pool: Knex): TracedRecording {
  const spans = new WeakMap<NewDonation, TraceSpan>();
  return {
    insert: (donations, skipLocked) => {
      const callers = donations.flatMap((donation) => spans.get(donation) ?? []);
      return inBatchSpan("record donations", callers, () => insertBatch(pool, donations, skipLocked));
    },
    noting: (writer) => ({
      ...writer,
      record: (donation) => {
        const span = currentSpan();
        if (span?.isSampled) {
          spans.set(donation, span);
          noteTrace(donation.id, span.traceparent);
        }
        return writer.record(donation);
      },
    }),
  };
}
