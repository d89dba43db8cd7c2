// Builds the listener of HTTP requests: Koa, the pages and files, the MCP endpoint and the operations of the contract.

import type { RequestListener } from "node:http";
import Koa from "koa";
import type { Logger } from "pino";
import type { Credentials } from "./auth/credentials.ts";
import type { Config } from "./config.ts";
import type { EventsService } from "./events/open-events.ts";
import { notUpgraded, openSockets, socketPath } from "./events/socket.ts";
import type { redeemTicket } from "./events/tickets.ts";
import { clientAddress, trustProxies } from "./http/addresses.ts";
import { makeSite } from "./http/base-url.ts";
import { bodyReader, fileReader } from "./http/body/body.ts";
import { type Contract, operationOf } from "./http/contract/contract.ts";
import { serveEndpoint } from "./http/endpoint.ts";
import { serveFiles, serveFilesLater } from "./http/files.ts";
import { type Authenticator, authenticate, bucketOf, type CountPoints } from "./http/guards.ts";
import { makeInvoke } from "./http/invoke.ts";
import { health, identify, logRequests, renderProblems, skipPrefix, traceRequests } from "./http/middleware.ts";
import type { Handlers } from "./http/operations.ts";
import { Problem } from "./http/problem.ts";
import type { Limits } from "./http/rate-limits/rate-limits.ts";
import { type BodyReaders, serveContract } from "./http/router.ts";
import { listenerOf } from "./http/server/koa-listener.ts";
import { openAdmission } from "./http/server/overload.ts";
import type { Upgrade } from "./http/server/server.ts";
import {
  concurrencyLimits,
  maxMediaFormBytes,
  pauseLimits,
  unfinishedBatches,
  unfinishedBodies,
  unfinishedForms,
  unfinishedMedia,
} from "./http/server/server-limits.ts";
import { openReceiving } from "./http/server/unfinished-bodies.ts";
import { openMcp } from "./mcp/open-mcp.ts";
import { estimatePoints } from "./reports/ranges.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import { activeTracing } from "./telemetry/tracing.ts";
import { looksPages, readLooks } from "./ui/choose-looks.ts";
import { fontFiles } from "./ui/fonts.ts";
import { type PageRoutes, pageRenderer, servePages, unavailablePage } from "./ui/serve-pages.ts";

/** The largest form of a page that sends a file. The file is sent in base64, which makes it a third larger. */
const maxFormBytes = 3 * 1_048_576;

type ListenerDeps = {
  config: Config;
  contract: Contract;
  handlers: Handlers;
  credentials: Credentials;
  limits: Limits;
  redeemTicket: ReturnType<typeof redeemTicket>;
  pages: PageRoutes;
  readiness: Parameters<typeof health>[0];
  log: Logger;
  metrics: Metrics;
};

/** WebSockets of events. Their credentials are verified and counted as those of the operation streamEvents. */
export function makeUpgrade(deps: ListenerDeps, events: EventsService): Upgrade & { leave: () => void } {
  const { config, contract, credentials, limits, log, metrics } = deps;
  const authenticator = countFailures(credentials.authenticatorFor(config.baseUrl), metrics);
  const limit = operationOf(contract, "streamEvents").limit as string;
  const sockets = openSockets({
    ...events.sockets,
    contract,
    log,
    redeem: deps.redeemTicket,
    authenticate: async (authorization, ip) => {
      const principal = await authenticate({ req: { headers: { authorization } }, ip }, authenticator, limits);
      await limits.spend(limit, bucketOf(principal), { streamerId: principal.streamerId });
      return principal;
    },
  });
  return {
    path: socketPath,
    accept: (request, socket, head) => sockets.accept(request, socket, head, clientAddress(request, config.proxies)),
    leave: sockets.leave,
  };
}

export function makeListener(deps: ListenerDeps): RequestListener {
  const { config, pages, readiness, log, metrics } = deps;
  const admission = openAdmission({
    ...concurrencyLimits,
    pauseLimits,
    addressOf: (request) => clientAddress(request, config.proxies),
    refusalPage: unavailablePage(),
    onRefused: metrics.overloaded,
  });
  const reader = bodyReader(openReceiving(unfinishedBodies, admission.whileWaiting));
  const largestBody = Math.max(...deps.contract.operations.map(({ maxBodyBytes, takesFile }) => (takesFile ? 0 : (maxBodyBytes ?? 0))));
  const { readBody: readLargeBody } = bodyReader(openReceiving(unfinishedBatches, admission.whileWaiting), largestBody);
  const { readParts } = bodyReader(openReceiving(unfinishedForms, admission.whileWaiting), maxFormBytes);
  const site = makeSite(config);
  const receiveMedia = openReceiving(unfinishedMedia, admission.whileWaiting);
  const { readParts: readLargeParts } = bodyReader(receiveMedia, maxMediaFormBytes);
  const koa = makeKoa(config, log);
  const tracing = activeTracing();
  koa.use(identify());
  if (tracing) koa.use(traceRequests(tracing));
  koa
    .use(logRequests(log, { onAnswer: metrics.request, sampleRate: config.logSampleRate }))
    .use(skipPrefix("/api/", [readLooks(site)]))
    .use(renderProblems(pageRenderer(site)))
    .use(
      skipPrefix("/api/", [
        health(readiness),
        servePages({ ...looksPages(site), ...pages }, { readBody: reader.readBody, readParts, readLargeParts }),
        serveFilesLater(
          (path) => path.startsWith("/overlay"),
          async () => (await import("./overlay-pages/overlay-files.ts")).overlayFiles(config),
        ),
        serveFilesLater(
          (path) => path === "/" || path === "/llms.txt" || path.startsWith("/docs"),
          async () => (await import("./docs/docs-files.ts")).docsFiles(config),
        ),
        serveFiles(fontFiles()),
      ]),
    );
  useOperations(koa, deps, { ...reader, readLargeBody, readFile: fileReader(receiveMedia) });
  return admission.guard(listenerOf(koa));
}

/** Refuses ordinary requests at the path of the WebSocket. */
const requireUpgrade: Koa.Middleware = (ctx, next) => {
  if (ctx.path !== socketPath) return next();
  ctx.state.endpoint = socketPath;
  throw notUpgraded(ctx.method);
};

function makeKoa({ proxies }: Config, log: Logger): Koa {
  const koa = new Koa();
  trustProxies(koa, proxies);
  // A client ends a stream of events by closing its connection, so that is no failure.
  koa.on("error", (error: Error, ctx?: Koa.Context) =>
    log[ctx?.response.is("text/event-stream") ? "debug" : "warn"]({ message: error.message }, "answer could not be sent"),
  );
  return koa;
}

function useOperations(koa: Koa, deps: ListenerDeps, readers: BodyReaders): void {
  const { readBody } = readers;
  const { config, contract, handlers, credentials, limits, log, metrics, redeemTicket } = deps;
  const authenticatorFor = (audience: string) => countFailures(credentials.authenticatorFor(audience), metrics);
  const authenticator = authenticatorFor(config.baseUrl);
  const overlayAuthenticator = countFailures(credentials.overlayAuthenticator, metrics);
  const countPoints: CountPoints = (query) => estimatePoints(query, Date.now());
  const mcp = openMcp({
    config,
    contract,
    invoke: makeInvoke(contract, handlers),
    authenticator: authenticatorFor(`${config.baseUrl}/mcp`),
    limits,
    countPoints,
    log,
    onCall: metrics.toolCall,
  });
  koa.use(requireUpgrade);
  koa.use(serveEndpoint(mcp, limits, readBody));
  koa.use(serveContract({ contract, handlers }, { authenticator, overlayAuthenticator, limits, countPoints, redeemTicket }, readers));
}

/** Counts failures to authenticate by their problem code. */
function countFailures(authenticator: Authenticator, metrics: Metrics): Authenticator {
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
