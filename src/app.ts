// The composition root: opens the rooms in their order, names where the handlers of all operations are, and serves them.

import cluster from "node:cluster";
import type { RequestListener } from "node:http";
import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openAlerts } from "./alerts/open-alerts.ts";
import { openCredentials } from "./auth/credentials.ts";
import { runAll } from "./base/async.ts";
import type { Config } from "./config.ts";
import { eraseDonator } from "./corrections/erase-donator.ts";
import { openErasures, startErasureTasks } from "./corrections/open-erasures.ts";
import { makeVoider, voidDonation } from "./corrections/void-donations.ts";
import { answerCache } from "./db/answer-cache.ts";
import { type BatchedReads, batchedReads } from "./db/batched-reads.ts";
import type { ProcessDeps } from "./db/database.ts";
import { pools } from "./db/pools.ts";
import { openReadiness, watchDatabase } from "./db/readiness.ts";
import { makeSealer, sharedSecret } from "./db/secrets.ts";
import { requireColumns } from "./donations/columns.ts";
import { openDonations } from "./donations/open-donations.ts";
import { openEvents } from "./events/open-events.ts";
import { redeemTicket } from "./events/tickets.ts";
import { loadContract } from "./http/contract/contract.ts";
import { cursorCodec } from "./http/cursor.ts";
import type { Handlers } from "./http/operations.ts";
import { setProblemAddress } from "./http/problem.ts";
import { openLimits } from "./http/rate-limits/rate-limits.ts";
import { type ListenOptions, listen, type Upgrade } from "./http/server/server.ts";
import { maxConnections } from "./http/server/server-limits.ts";
import { makeListener, makeUpgrade } from "./listener.ts";
import { getResourceMetadata } from "./mcp/metadata.ts";
import { openOAuth } from "./oauth/open-oauth.ts";
import type { Serving } from "./ops/process/worker-pool.ts";
import { findStanding } from "./reports/donator-standing.ts";
import { reportDeps, reportOperations } from "./reports/handlers.ts";
import { rollupWorker } from "./reports/roll-ups/rollup.ts";
import { speakSample } from "./studio/designer/samples.ts";
import { openFileImports } from "./studio/imports/open-file-imports.ts";
import { openStudio } from "./studio/open-studio.ts";
import { openPrivacy } from "./studio/privacy/open-privacy.ts";
import { makeMetrics, serveMetrics } from "./telemetry/metrics.ts";

type App = {
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
export async function buildApp(deps: ProcessDeps): Promise<App> {
  const { config, database, log, metrics } = deps;
  setProblemAddress(config.baseUrl);
  const { knex } = database;
  await requireColumns(knex);
  const reads = batchedReads(database.pool(pools.reads));
  const access = await openAccess(deps, reads);
  const { contract, credentials, limits, oauth, pagesKnex, sealer } = access;
  const cache = answerCache(reads);
  const rollups = rollupWorker({ knex: database.pool(pools.reports), log });
  const announce = (streamerId: string, recorded: number) => {
    rollups.wake(streamerId, recorded);
    overlay.recorded(streamerId);
  };
  const donations = openDonations(deps, { ...access, reads, cache, announce });
  const { readers, writer, importer } = donations;
  const { donations: donationReads, reports: reportReads } = readers.primary;
  const alerts = openAlerts(deps, { ...access, writer, donations: donationReads, reportReads });
  const { overlay, notifier } = alerts;
  const events = openEvents(deps, { ...access, notifier, reads, reportReads });
  const voider = makeVoider(knex, overlay.changed);
  const erasures = await openErasures({ knex, erasureJournal: config.erasureJournal, sealer, announce: overlay.changed });
  const erasureTasks = startErasureTasks(erasures, log, cache.forget);
  const reports = reportDeps(readers, cache);
  const handlers: Handlers = {
    ...donations.operations,
    ...reportOperations(reports),
    ...alerts.operations,
    ...events.operations,
    voidDonation: voidDonation({ voider }),
    eraseDonator: eraseDonator(erasures),
    ...oauth.operations,
    getResourceMetadata: getResourceMetadata(config, contract),
  };
  const files = openFileImports({ knex, log, importer, checkItem: donations.checkItem }, voider);
  const { privacy, stop: stopPrivacy } = openPrivacy(erasures, contract, log);
  const studio = openStudio({
    ...{ knex: pagesKnex, brand: config.brand, contract, handlers, limits, credentials, oauth },
    ...{ sumFound: donations.sumFound, ofDonator: donations.ofDonator, findStanding: findStanding(reports) },
    ...{ imports: files.imports, privacy, alertFiles: alerts.files, webhooks: events.webhooks, overlay },
    speech: { ...alerts.voices, sample: speakSample(pagesKnex, alerts.speech, limits) },
  });
  const pages = { ...oauth.pages, ...studio, ...alerts.pages };
  const readiness = openReadiness(database);
  watchDatabase(database, metrics);
  const tickets = { redeemTicket: redeemTicket(events.redeem, limits) };
  const serving = { config, contract, handlers, credentials, limits, pages, readiness: readiness.check, log, metrics, ...tickets };
  const upgrade = makeUpgrade(serving, events);
  return {
    upgrade,
    listener: makeListener(serving),
    compileValidators: contract.compileValidators,
    leave: () => {
      for (const { leave } of [readiness, overlay, events, donations, upgrade]) leave();
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
        access.closeLimits,
        rollups.stop,
        donations.stopIndexing,
        oauth.close,
        credentials.stop,
      ]),
  };
}

/** Opens the contract, and what decides who may call it, and how often. `pagesKnex`: the pool of the server's own pages. */
async function openAccess(deps: ProcessDeps, reads: BatchedReads) {
  const { config, database, log, metrics } = deps;
  const { knex } = database;
  const sealer = makeSealer(config.secretKey);
  const credentials = await openCredentials(deps);
  const cursors = cursorCodec(await sharedSecret(knex, "cursors", sealer));
  const contract = await loadContract();
  const { limits, failures, ready, close: closeLimits } = openLimits({ config, published: contract.limits, log, metrics });
  const codec = cursorCodec(await sharedSecret(knex, "forms", sealer));
  const pagesKnex = database.pool(pools.pages);
  const rotationsKnex = database.pool(pools.rotations);
  const common = { knex, reads, rotationsKnex, pagesKnex, config, log, metrics, codec, limits, failures };
  const oauth = openOAuth({ ...common, ...credentials });
  await ready;
  return { contract, credentials, cursors, limits, closeLimits, oauth, pagesKnex, sealer };
}

// Serves from the start of a process to its stop: as a single server, or as one of several workers.

/** Serves until `stopped` resolves, and then finishes the requests under way. */
export async function serve({ config, database, log, stopped, onListening }: Serving): Promise<void> {
  const metrics = makeMetrics(log);
  if (cluster.isWorker) metrics.share(); // first, so that no request of the primary for metrics is missed
  const app = await buildApp({ config, database, log, metrics });
  try {
    const server = await listen(app.listener, { ...listenOptions(config), upgrade: app.upgrade });
    const servesMetrics = !cluster.isWorker && config.metricsPort !== null;
    const metricsServer = servesMetrics ? await serveMetrics(metrics, { host: config.host, port: config.metricsPort, log }) : null;
    onListening(server.port);
    await app.compileValidators();
    flushCompileCache(); // now, because a killed process would not write it
    releaseStartMemory();
    await stopped;
    log.info("stopping");
    app.leave();
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    await server.stop();
  } finally {
    await app.close();
  }
}

/**
 * Gives back what only the start has used, a fifth of the memory: at rest V8 keeps the pages that it had grown by, and it offers its collector
 * by a flag alone. Takes a tenth of a second.
 */
function releaseStartMemory(): void {
  setFlagsFromString("--expose-gc");
  const gc: NodeJS.GCFunction = runInNewContext("gc");
  gc({ type: "major", flavor: "last-resort" });
}

/** A browser that has used https once will use nothing else (RFC 6797). */
const httpsOnlyHeaders = { "Strict-Transport-Security": "max-age=31536000" };

function listenOptions({ host, port, baseUrl, proxies }: Config): ListenOptions {
  const inAll = maxConnections();
  const max = { inAll, perAddress: proxies > 0 ? null : inAll / 2 };
  return { host, port, max, headers: baseUrl.startsWith("https:") ? httpsOnlyHeaders : {} };
}
