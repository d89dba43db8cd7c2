// The composition root: the one file that knows every room.

import type { RequestListener } from "node:http";
import Koa from "koa";
import type { Logger } from "pino";
import { getMe } from "./account/handlers.ts";
import { streamerStore } from "./account/streamers.ts";
import { apiKeyStore, ensureApplication } from "./auth/api-keys.ts";
import { type Credentials, openCredentials } from "./auth/credentials.ts";
import { overlayKeyStore } from "./auth/overlay-keys.ts";
import { listStreamingCategories } from "./categories/handlers.ts";
import { categoryStore } from "./categories/store.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import { pools } from "./db/pools.ts";
import { makeReadiness } from "./db/readiness.ts";
import { makeSealer, sharedSecret } from "./db/secrets.ts";
import { docsSite } from "./docs/docs-files.ts";
import { newDonation, type StoredDonation, toRecord } from "./donations/donation.ts";
import { exportDonations } from "./donations/export/export-donations.ts";
import { historyReader } from "./donations/export/history.ts";
import { createDonation, getDonation, listDonations, searchDonations } from "./donations/handlers.ts";
import { requireColumns } from "./donations/required-columns.ts";
import { makeSearch } from "./donations/search/search.ts";
import { startSearchIndexer } from "./donations/search/search-indexer.ts";
import { searchStore } from "./donations/search/search-store.ts";
import { foldText } from "./donations/search/search-text.ts";
import { donationStore } from "./donations/store.ts";
import { makeWriter } from "./donations/writer.ts";
import { bodyReader } from "./http/body.ts";
import { type Contract, loadContract } from "./http/contract.ts";
import { cursorCodec } from "./http/cursor.ts";
import { serveEndpoint } from "./http/endpoint.ts";
import { serveFiles } from "./http/files.ts";
import type { Authenticator, CountPoints } from "./http/guards.ts";
import { health } from "./http/health.ts";
import { asking } from "./http/invoke.ts";
import { trustProxies } from "./http/network.ts";
import type { Handlers } from "./http/operations.ts";
import { openAdmission } from "./http/overload.ts";
import { Problem } from "./http/problem.ts";
import { renderProblems } from "./http/problem-renderer.ts";
import { countedSources, mostItems } from "./http/published.ts";
import { openLimits } from "./http/rate-limits/open-rate-limits.ts";
import { identify } from "./http/request-id.ts";
import { logRequests } from "./http/request-log.ts";
import { serveContract } from "./http/router.ts";
import { rest, underWay, unfinishedBodies } from "./http/server-limits.ts";
import { elsewhere } from "./http/skip-prefix.ts";
import { summedIn } from "./http/summed-currency.ts";
import { openReceiving } from "./http/unfinished-bodies.ts";
import { getResourceMetadata } from "./mcp/metadata.ts";
import { openMcp } from "./mcp/open-mcp.ts";
import { openNotifier } from "./notifier/open-notifier.ts";
import { type OAuthRoom, openOAuth } from "./oauth/open-oauth.ts";
import type { ReadWidgets } from "./overlay/dependencies.ts";
import { openOverlay } from "./overlay/open-overlay.ts";
import {
  getAmountTrends,
  getChannelBreakdown,
  getCountTrends,
  getDonationStats,
  listTopDonators,
  type ReportParts,
} from "./reports/handlers.ts";
import { pointsAsked } from "./reports/points.ts";
import { rollupWorker } from "./reports/rollup-worker.ts";
import { widgetFigures } from "./reports/widgets.ts";
import { chooseSpeaker } from "./speech/choose-speaker.ts";
import { openSpeech } from "./speech/speech-cache.ts";
import { alertsByContract } from "./studio/alerts-by-contract.ts";
import { studioPages } from "./studio/routes.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import { formatInstant } from "./time/instant.ts";
import { fontFiles } from "./ui/fonts.ts";
import { type PageRoutes, pageRenderer, servePages } from "./ui/serve-pages.ts";
import { webSite } from "./web/overlay-files.ts";

export type App = {
  listener: RequestListener;
  /** From now on /readyz says that the server is stopping. Streams are ended: they would last for ever. */
  leave: () => void;
  /** Finishes what was taken. Call when no request is under way any more. */
  close: () => Promise<void>;
};

export type AppParts = { config: Config; database: Database; log: Logger; metrics: Metrics };

/** Builds the application on an open, migrated database. */
export async function buildApp({ config, database, log, metrics }: AppParts): Promise<App> {
  const { knex } = database;
  await requireColumns(knex);
  const sealer = makeSealer(config.secretKey);
  const credentials = await openCredentials({ config, knex: database.pool(pools.credentials), log });
  const cursors = cursorCodec(await sharedSecret(knex, "cursors", sealer));
  const contract = await loadContract();
  const { limits, failures, close: closeLimits } = openLimits({ config, published: contract.limits, log, metrics });
  const codec = cursorCodec(await sharedSecret(knex, "forms", sealer));
  const pagesKnex = database.pool(pools.pages);
  const oauth = openOAuth({ knex, pagesKnex, config, log, codec, limits, failures, scopes: contract.scopes, ...credentials });
  const rollups = rollupWorker({ knex: database.pool(pools.reports), log });
  const announce = ({ streamerId }: StoredDonation) => {
    rollups.wake(streamerId);
    overlay.recorded(streamerId);
  };
  const writer = makeWriter({ pool: database.pool(pools.writer), log, announce, onBatch: metrics.batch });
  const donations = { writer, donations: donationStore(knex), cursors };

  const search = makeSearch(searchStore(knex));
  const indexer = startSearchIndexer(database.pool(pools.search), log);

  const reports: ReportParts = {
    knex,
    record: async ({ streamerId, applicationId }, id) =>
      toRecord((await donations.donations.find(streamerId, id)) as StoredDonation, applicationId),
    now: Date.now,
  };

  const notifier = openNotifier({ config, databaseUrl: database.url, log });
  const speaker = await chooseSpeaker(config, log);
  const speech = openSpeech({ speaker, knex: database.pool(pools.speech), log });
  const overlay = openOverlay({
    knex: database.pool(pools.overlay),
    log,
    notifier,
    speech: speaker && speech, // without a speaker the chime is all
    revokedAmong: credentials.overlayKeys.revokedAmong,
    readWidgets: readWidgets(knex, donations.donations),
    recordTest: async (by, test) => {
      const input = { ...test, currency: summedIn, skipAlert: false } as const;
      const { donation } = await writer.record(newDonation(input, by, { source: "test", channel: "other" }));
      return toRecord(donation, by.applicationId);
    },
  });
  credentials.onChange(overlay.credentialsChanged);

  const handlers: Handlers = {
    createDonation: createDonation(donations),
    listDonations: listDonations(donations),
    getDonation: getDonation(donations),
    searchDonations: searchDonations({ ...donations, search }),
    getDonationStats: getDonationStats(reports),
    listTopDonators: listTopDonators(reports),
    getChannelBreakdown: getChannelBreakdown(reports),
    getAmountTrends: getAmountTrends(reports),
    getCountTrends: getCountTrends(reports),
    exportDonations: exportDonations({ openHistory: historyReader(database.pool(pools.exports), pools.exports.max) }),
    listStreamingCategories: listStreamingCategories({ categories: categoryStore(knex), fold: foldText }),
    getMe: getMe({ streamers: streamerStore(knex) }),
    getResourceMetadata: getResourceMetadata({ baseUrl: config.baseUrl, scopes: contract.scopes }),
    ...oauth.operations,
    ...overlay.operations,
  };

  const studio = openStudio({ knex: pagesKnex, brand: config.brand, contract, handlers, credentials, accounts: oauth.accounts });

  let leaving = false;
  const probe = database.pool(pools.probe);
  const databaseReady = makeReadiness(() => probe.raw("select 1"));
  const ready = async () => (leaving ? "stopping" : await databaseReady());

  metrics.pools(database.pools());
  metrics.gauge("overlay_connections", "Overlay and widget connections of this process.", overlay.connected);
  metrics.gauge("alert_queue_age_seconds", "How long the oldest alert has waited for an overlay that is connected.", overlay.queueAge);

  const admission = openAdmission({ ...underWay, rest, onRefused: metrics.overloaded });
  const { readBody, readPairs } = bodyReader(openReceiving(unfinishedBodies, admission.whileWaiting));

  const koa = new Koa();
  trustProxies(koa, config.proxies);
  // Somebody who follows a stream ends it by going away.
  koa.on("error", (error: Error, ctx?: Koa.Context) =>
    log[ctx?.response.is("text/event-stream") ? "debug" : "warn"]({ message: error.message }, "answer could not be sent"),
  );
  koa
    .use(identify())
    .use(logRequests(log, metrics.request))
    .use(renderProblems(log, pageRenderer))
    .use(
      elsewhere("/api/", [
        health(ready),
        servePages({ ...oauth.pages, ...studio }, readBody),
        serveFiles(webSite(config)),
        serveFiles(docsSite(config)),
        serveFiles(fontFiles()),
      ]),
    );
  const authenticatorFor = (audience: string) => counted(credentials.authenticatorFor(audience), metrics);
  const authenticator = authenticatorFor(config.baseUrl);
  const overlayAuthenticator = counted(credentials.overlayAuthenticator, metrics);
  const countPoints: CountPoints = (query) => pointsAsked(query, Date.now());
  const mcp = openMcp({
    config,
    contract,
    ask: asking(contract, handlers),
    authenticator: authenticatorFor(`${config.baseUrl}/mcp`),
    limits,
    countPoints,
    log,
    onCall: metrics.toolCall,
  });
  koa.use(serveEndpoint(mcp, { limits, readBody }));
  koa.use(serveContract({ contract, handlers, limits, countPoints, readBody, readPairs, authenticator, overlayAuthenticator }));

  return {
    listener: admission.guard(koa.callback()),
    leave: () => {
      leaving = true;
      overlay.leave();
    },
    close: async () => {
      await writer.drain();
      await overlay.close();
      await notifier.close();
      closeLimits();
      await speech.close();
      await rollups.stop();
      await indexer.stop();
      oauth.close();
      await credentials.stop();
    },
  };
}

/** Failures are counted by their code. */
function counted(authenticator: Authenticator, metrics: Pick<Metrics, "authFailure">): Authenticator {
  return {
    ...authenticator,
    verify: async (header) => {
      try {
        return await authenticator.verify(header);
      } catch (error) {
        if (error instanceof Problem) metrics.authFailure(error.code);
        throw error;
      }
    },
  };
}

type StudioFoundations = {
  knex: Database["knex"];
  brand: string;
  contract: Contract;
  handlers: Handlers;
  credentials: Pick<Credentials, "catchUp">;
  accounts: OAuthRoom["accounts"];
};

/** The streamer's pages. What they revoke is refused here before they say so. */
function openStudio({ knex, brand, contract, handlers, credentials, accounts }: StudioFoundations): PageRoutes {
  const { catchUp } = credentials;
  const [apiKeys, overlayKeys] = [apiKeyStore(knex, brand), overlayKeyStore(knex, brand)];
  const { scopes, schemas } = contract;
  const thenCatchUp = async <Done>(done: Promise<Done>) => {
    const answer = await done;
    await catchUp();
    return answer;
  };
  return studioPages({
    accounts,
    alerts: alertsByContract({ ask: asking(contract, handlers), scopes, application: (id) => ensureApplication(knex, id, "studio") }),
    overlayKeys: { madeAt: overlayKeys.madeAt, replace: (streamerId) => thenCatchUp(overlayKeys.replace(streamerId)) },
    apiKeys: { ...apiKeys, revoke: (streamerId, keyId) => thenCatchUp(apiKeys.revoke(keyId, streamerId)) },
    scopes,
    bounds: (schema, member) => schemas[schema]?.properties?.[member] ?? {},
    now: Date.now,
  });
}

type RecentDonations = Pick<ReturnType<typeof donationStore>, "page">;

const recentShown = mostItems("Widgets", "recent");

/** What the widgets of a streamer show, put together from the rooms that know it. */
function readWidgets(knex: Database["knex"], donations: RecentDonations): ReadWidgets {
  const filters = { range: { from: null, to: null }, channels: null, sources: countedSources, identifier: null } as const;
  const all = { ...filters, minAmount: null, maxAmount: null };
  return async (streamerId, goal) => {
    const now = Date.now();
    const figures = await widgetFigures(knex, streamerId, goal?.from ?? null, now);
    const page = await donations.page(streamerId, { sort: "-receivedAt", filters: all, q: null, after: null, limit: recentShown });
    return {
      validUntil: figures.validUntil,
      widgets: {
        asOf: formatInstant(now),
        goal: goal && { title: goal.title, target: goal.target, current: figures.sinceGoal ?? 0 },
        totals: figures.totals,
        recent: page.donations.map(({ id, donatorName, amount, currency, message, createdAt, createdOffset }) => ({
          donationId: id,
          donatorName,
          amount,
          currency,
          message,
          createdAt: formatInstant(createdAt, createdOffset ?? 0),
        })),
        top: figures.top,
      },
    };
  };
}
