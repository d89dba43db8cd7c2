// The composition root: the one file that opens every folder's part and hands it what it needs of the others.

import type { RequestListener } from "node:http";
import { type AlertFiles, openAlertFiles } from "./alerts/media/alert-files.ts";
import { deleteAlertFile, listAlertFiles, mediaPages, uploadAlertFile } from "./alerts/media/handlers.ts";
import type { OverlayService } from "./alerts/open-overlay.ts";
import type { AppDeps } from "./app/app-deps.ts";
import { connectEvents } from "./app/connect-events.ts";
import { importDeps } from "./app/import-deps.ts";
import { openAlerts } from "./app/open-alerts.ts";
import { openReadiness } from "./app/open-readiness.ts";
import { openRecording } from "./app/open-recording.ts";
import { openSecurity } from "./app/open-security.ts";
import { watchGauges } from "./app/watch-gauges.ts";
import { runAll } from "./base/async.ts";
import { foldPart } from "./base/text.ts";
import type { Config } from "./config.ts";
import { eraseDonator } from "./corrections/erasure/erase-donator.ts";
import type { Eraser } from "./corrections/erasure/eraser.ts";
import { openErasures, startErasureTasks } from "./corrections/erasure/open-erasures.ts";
import type { Voider } from "./corrections/void-donations.ts";
import { makeVoider, voidDonation } from "./corrections/void-donations.ts";
import { type BatchedReads, batchedReads } from "./db/batched-reads.ts";
import { type AnswerCache, answerCache } from "./db/cache/answer-cache.ts";
import { repeatCache } from "./db/cache/repeat-cache.ts";
import type { Database } from "./db/database.ts";
import { sweepTraces } from "./db/donation-traces.ts";
import { pools } from "./db/pools.ts";
import { categoryStore, listStreamingCategories } from "./donations/categories.ts";
import { requireColumns } from "./donations/columns.ts";
import { toRecord } from "./donations/donation.ts";
import { exportDonations } from "./donations/export/export-donations.ts";
import { createDonation, type DonationDeps, getDonation, listDonations, searchDonations } from "./donations/handlers.ts";
import { type ImportDeps, importDonations } from "./donations/import/import-donations.ts";
import { sumFound } from "./donations/list/sum-found.ts";
import { openReaders, type Readers } from "./donations/open-readers.ts";
import { startSearchIndexer } from "./donations/search/blocks.ts";
import { getMe } from "./donations/streamers.ts";
import type { EventsService } from "./events/open-events.ts";
import type { Contract } from "./http/contract/contract.ts";
import type { Handlers } from "./http/operations.ts";
import type { Upgrade } from "./http/server/server.ts";
import { makeListener, makeUpgrade } from "./listener.ts";
import { getResourceMetadata } from "./mcp/metadata.ts";
import type { OAuthService } from "./oauth/open-oauth.ts";
import { findReported } from "./reports/find-reported.ts";
import {
  getAmountTrends,
  getChannelBreakdown,
  getCountTrends,
  getDonationStats,
  listTopDonators,
  type ReportDeps,
  shortHistory,
} from "./reports/handlers.ts";
import { rollupWorker } from "./reports/roll-ups/rollup-worker.ts";
import { speakSample } from "./studio/designer/samples.ts";
import { openFileImports } from "./studio/imports/open-file-imports.ts";
import { openStudio } from "./studio/open-studio.ts";
import { openPrivacy } from "./studio/privacy/open-privacy.ts";

export type App = {
  listener: RequestListener;
  upgrade: Upgrade;
  /** Compiles what requests would otherwise compile. Call it when the server listens. */
  compileValidators: () => Promise<void>;
  /** From now on /readyz says that the server is stopping. Streams of events and imports of lines are ended, because they would not end by themselves. */
  leave: () => void;
  /** Finishes the work that was accepted. Call it when no request is under way any more. */
  close: () => Promise<void>;
};

/** Builds the application on an open, migrated database. */
export async function buildApp(deps: AppDeps): Promise<App> {
  const { config, database, log, metrics } = deps;
  const { knex } = database;
  await requireColumns(knex);
  const reads = batchedReads(database.pool(pools.reads));
  const security = await openSecurity(deps, reads);
  const { contract, credentials, cursors, limits, closeLimits, oauth, pagesKnex, sealer } = security;
  const workers = startWorkers(deps);
  const { writer, importer } = openRecording(deps, (streamerId, recorded) => {
    workers.rollups.wake(streamerId, recorded);
    alerts.overlay.recorded(streamerId);
  });
  const traces = sweepTraces(knex, log);
  const readers = openReaders(deps, reads);
  const { donations: donationReads, reports: reportReads } = readers.primary;
  const cache = answerCache(reads);
  const donations = { writer, donations: donationReads, read: readers.read, cursors, cached: repeatCache(cache) };
  const alerts = openAlerts(deps, { credentials, writer, donations: donationReads, reportReads });
  const { overlay, notifier } = alerts;
  credentials.onChange(overlay.credentialsChanged);
  const events = connectEvents(deps, { security, notifier, reads, reportReads });
  const voider = makeVoider(knex, overlay.changed);
  const leaving = new AbortController();
  const imports = importDeps(deps, security, { importer, leaving: leaving.signal });
  const erasures = await openErasures({ knex, config, sealer, announce: overlay.changed });
  const { eraser, retention } = erasures;
  const erasureTasks = startErasureTasks({ ...erasures, log, forgetCached: cache.forget });
  const alertFiles = openAlertFiles(pagesKnex);
  const handlers = makeHandlers({
    ...{ config, database, contract, reads, readers, cache, donations, oauth },
    ...{ voider, imports, eraser, overlay, alertFiles, events },
  });
  const files = openFileImports({ knex, log, importer, checkItem: imports.checkItem, voider });
  const { privacy, stop: stopPrivacy } = openPrivacy({ knex, log, contract, eraser, retention });
  const studio = openStudio({
    ...{ knex: pagesKnex, brand: config.brand, contract, handlers, limits, credentials },
    oauth,
    sumFound: sumFound({ read: readers.readSearches, cursors }),
    ...{ imports: files.imports, privacy, alertFiles, webhooks: events.webhooks, overlay },
    speech: { ...alerts.voices, sample: speakSample({ knex: pagesKnex, speech: alerts.speech, limits }) },
  });
  const pages = { ...oauth.pages, ...studio, ...mediaPages({ files: alertFiles, limits }) };
  const readiness = openReadiness(database);
  watchGauges(deps, overlay, events);
  const upgrade = makeUpgrade({ config, contract, credentials, limits, log, metrics, events });
  return {
    upgrade,
    listener: makeListener({ config, contract, handlers, credentials, limits, pages, readiness: readiness.check, log, metrics }),
    compileValidators: contract.compileValidators,
    leave: () => {
      readiness.leave();
      overlay.leave();
      events.leave();
      leaving.abort();
      upgrade.leave();
    },
    close: () =>
      runAll([
        writer.drain,
        files.stop,
        importer.drain,
        stopPrivacy,
        erasureTasks.stop,
        events.close,
        alerts.close,
        readers.close,
        closeLimits,
        workers.stop,
        oauth.close,
        traces.stop,
        credentials.stop,
      ]),
  };
}

/** Starts the workers that keep the roll-ups and the search index up to date. */
function startWorkers({ database, log }: AppDeps) {
  const rollups = rollupWorker({ knex: database.pool(pools.reports), log });
  const indexer = startSearchIndexer(database.pool(pools.search), log);
  return {
    rollups,
    stop: async () => {
      await rollups.stop();
      await indexer.stop();
    },
  };
}

type HandlerDeps = {
  alertFiles: AlertFiles;
  config: Config;
  database: Database;
  contract: Contract;
  reads: BatchedReads;
  readers: Readers;
  cache: AnswerCache;
  donations: DonationDeps;
  voider: Voider;
  imports: ImportDeps;
  eraser: Eraser;
  oauth: OAuthService;
  overlay: OverlayService;
  events: EventsService;
};

/** Names the handler of every operation of the contract. */
function makeHandlers(deps: HandlerDeps): Handlers {
  const { config, database, contract, reads, readers, cache, donations, voider, imports, eraser, oauth, overlay, events } = deps;
  const reported = findReported(readers);
  const reports: ReportDeps = {
    read: readers.readReports,
    shortHistory,
    record: async ({ streamerId, applicationId }, id) => toRecord(await reported(streamerId, id), applicationId),
    cache,
    now: Date.now,
  };
  return {
    createDonation: createDonation(donations),
    importDonations: importDonations(imports),
    listDonations: listDonations(donations),
    getDonation: getDonation(donations),
    voidDonation: voidDonation({ voider }),
    eraseDonator: eraseDonator({ eraser }),
    searchDonations: searchDonations({ ...donations, read: readers.readSearches }),
    getDonationStats: getDonationStats(reports),
    listTopDonators: listTopDonators(reports),
    getChannelBreakdown: getChannelBreakdown(reports),
    getAmountTrends: getAmountTrends(reports),
    getCountTrends: getCountTrends(reports),
    exportDonations: exportDonations({ read: readers.read }),
    listStreamingCategories: listStreamingCategories({ categories: categoryStore(database.knex), fold: foldPart }),
    getMe: getMe({ reads }),
    getResourceMetadata: getResourceMetadata({ baseUrl: config.baseUrl, scopes: contract.scopes }),
    ...oauth.operations,
    listAlertFiles: listAlertFiles({ files: deps.alertFiles }),
    uploadAlertFile: uploadAlertFile({ files: deps.alertFiles }),
    deleteAlertFile: deleteAlertFile({ files: deps.alertFiles }),
    ...overlay.operations,
    ...events.operations,
  };
}
