// Where lists, searches, reports and exports are read: on the primary, or on a standby that has replayed what was committed.

import type { Knex } from "knex";
import { fairSlots } from "../base/fair-slots.ts";
import { type BatchedReads, batchedReads } from "../db/batched-reads.ts";
import type { ProcessDeps } from "../db/database.ts";
import { type ExactReads, onPrimary, readsWithStandby } from "../db/exact-reads.ts";
import { tooManyWaiting } from "../db/pool.ts";
import { pools, standbyPools } from "../db/pools.ts";
import { openStandby } from "../db/standby.ts";
import { historyReader, type OpenHistory } from "./export/history.ts";
import { makeSearch, type Search } from "./search/search.ts";
import { searchStore } from "./search/search-store.ts";
import { type DonationStore, donationStore } from "./store.ts";

/** Everything that reads one server. */
export type Reader = { donations: DonationStore; search: Search; reports: Knex; openHistory: OpenHistory };

export type Readers = {
  primary: Reader;
  read: ExactReads<Reader>;
  /** These may take long. Streamers take turns, so that one who asks for many does not keep the others waiting. */
  readReports: ExactReads<Reader>;
  readSearches: ExactReads<Reader>;
  close: () => Promise<void>;
};

type ExactReader = { read: ExactReads<Reader>; close: () => Promise<void> };

const waiting = { maxWaiting: 200, waitMs: 5_000, tooMany: tooManyWaiting };

/** `reads` reads the primary. `close` closes what was opened on the standby. */
export function openReaders(deps: ProcessDeps, reads: BatchedReads): Readers {
  const primary = readerOf(deps, reads);
  const { read, close } = deps.config.readDatabaseUrl
    ? openStandbyReader(deps, deps.config.readDatabaseUrl, { reader: primary, reads })
    : { read: onPrimary(primary), close: async () => {} };
  const inTurns = (max: number): ExactReads<Reader> => {
    const slots = fairSlots({ max, ...waiting });
    return (streamerId, readFrom) => slots(streamerId, () => read(streamerId, readFrom));
  };
  return { primary, read, readReports: inTurns(pools.reportReads.max), readSearches: inTurns(pools.searches.max), close };
}

function readerOf({ database }: ProcessDeps, reads: BatchedReads): Reader {
  const { knex } = database;
  return {
    donations: donationStore(knex, reads),
    search: makeSearch(searchStore(database.pool(pools.searches))),
    reports: database.pool(pools.reportReads),
    openHistory: historyReader(database.pool(pools.exports), pools.exports.max),
  };
}

function openStandbyReader(
  { config, database, log, metrics }: ProcessDeps,
  url: string,
  primary: { reader: Reader; reads: BatchedReads },
): ExactReader {
  const standby = openStandby({ url, primary: database.knex, preparedStatements: config.preparedStatements, log });
  const standbyReads = batchedReads(standby.pool(standbyPools.reads));
  const general = standby.pool(standbyPools.general);
  const openHistory = historyReader(standby.pool(standbyPools.exports), standbyPools.exports.max);
  const reader: Reader = {
    donations: donationStore(general, standbyReads),
    search: makeSearch(searchStore(standby.pool(standbyPools.searches))),
    reports: standby.pool(standbyPools.reportReads),
    openHistory: (request) => (standby.keepsLongReads() ? openHistory(request) : primary.reader.openHistory(request)),
  };
  const { read, stop } = readsWithStandby({
    primary,
    standby: { reader, reads: standbyReads, check: standby.check },
    log,
    onRead: metrics.standbyRead,
  });
  const close = async () => {
    await stop();
    await standby.close();
  };
  return { read, close };
}
