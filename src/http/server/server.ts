// The HTTP server around the application: time-outs, malformed requests, connection limits, and a stop that finishes requests under way.

import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, Server as ListeningServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Connections, watchConnections } from "./connections.ts";
import { framingProblem, headFault, malformed, originForm } from "./malformed-requests.ts";
import { backlog, isExempt, maxConnections, timeouts } from "./server-limits.ts";

export type RunningServer = {
  port: number;
  /** Accepts no new connection, waits for requests under way, and closes those that take longer than `timeouts.drain`. */
  stop: () => Promise<void>;
};

/** Takes the connections of WebSockets. */
export type Upgrade = Readonly<{
  /** The path at which a client may ask for one. A request to upgrade elsewhere is answered as if it had not asked (RFC 9110 7.8). */
  path: string;
  accept: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}>;

export type ListenOptions = Readonly<{
  host: string;
  port: number;
  /** Headers of every answer, also to requests that do not reach the application. */
  headers?: Readonly<Record<string, string>>;
  /** Maximum of open connections: of all clients, and of one address (null: no limit, because a proxy opens them for all clients). */
  max?: Readonly<{ inAll: number; perAddress: number | null }>;
  /** How long a client may read nothing of what is sent to it; timeouts.stalled unless a test has less time. */
  stalledMs?: number;
  /** Bytes of answers that clients have not read, of all connections; a part of the heap unless a test has less. */
  unsentBytes?: number;
  /** Without it there are no WebSockets. */
  upgrade?: Upgrade;
}>;

/** Listens. Rejects with an Error that names host and port when the address can't be used. */
export async function listen(listener: RequestListener, options: ListenOptions): Promise<RunningServer> {
  const { host, port, headers = {}, max = { inAll: maxConnections(), perAddress: null }, stalledMs, unsentBytes, upgrade } = options;
  const server = createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.check,
    keepAliveTimeout: timeouts.keepAlive,
    // Otherwise the first of two Authorization headers would be used, while a proxy may have checked the second.
    joinDuplicateHeaders: true,
    shouldUpgradeCallback: (request) => upgrade !== undefined && isWebSocketAt(upgrade.path, request),
    requireHostHeader: false, // headFault checks it, because node:http would answer without a request id
  });
  // Otherwise a client that ends its side after its request (RFC 9112 9.6) would get no answer, although its donation is recorded. Its types
  // lack the property.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = watchConnections(server, { headers, max, stalledMs, unsentBytes });
  const receive = checked(listener, connections, Object.entries(headers));
  server.on("request", receive);
  server.on("checkExpectation", receive); // an unknown expectation is no reason to refuse (RFC 9110 10.1.1)
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (connections.pauseParsing(socket, error)) return;
    // The time of a body that is not read, or that has a limit of its own, is not over.
    const isExcused =
      error.code === "ERR_HTTP_REQUEST_TIMEOUT" && (connections.isWaiting(socket) || connections.isReading(socket, isExempt));
    if (!isExcused) connections.fail(socket, framingProblem(error));
  });
  server.on("connect", (_request, socket) => {
    ignoreErrors(socket);
    connections.fail(socket as Socket, malformed("This server is no proxy: it has no tunnels."));
  });
  if (upgrade)
    server.on("upgrade", (request, socket, head) => {
      ignoreErrors(socket);
      acceptUpgrade(upgrade, connections, { request, socket: socket as Socket, head });
    });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Error(`can't listen on ${host}:${port}: ${error.message}. Set HOST or PORT.`, { cause: error })),
    );
    server.listen({ port, host, backlog }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, stop: () => drain(server, connections) };
}

/** node:http no longer handles the errors of a socket that it hands over, to which answers to earlier requests may still be written. */
function ignoreErrors(socket: Duplex): void {
  socket.on("error", () => {});
}

/** Passes requests with a well-formed head on. Their `url` is then always a path, or `*`. */
function checked(listener: RequestListener, connections: Connections, headers: readonly [string, string][]): RequestListener {
  return (request, response) => {
    if (!connections.begin(request, response)) return;
    const fault = headFault(request);
    if (fault) return connections.refuse(request, malformed(fault));
    for (const [name, value] of headers) response.setHeader(name, value);
    // node:http 24 drops what arrived together with a request to upgrade that is answered as if it had not asked: a client that pipelines
    // would take the answer to a later request for that to a dropped one. It sends them again when the connection closes (RFC 9112 9.3.2).
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    request.url = originForm(request.url ?? "");
    listener(request, response);
  };
}

/** HTTP/1.0 has no upgrades (RFC 9110 7.8). */
function isWebSocketAt(path: string, { url = "", method, headers, httpVersion }: IncomingMessage): boolean {
  return (
    httpVersion === "1.1" && method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && originForm(url).split("?", 1)[0] === path
  );
}

function acceptUpgrade({ accept }: Upgrade, connections: Connections, { request, socket, head }: Upgrading): void {
  const fault = headFault(request) ?? bodyFault(request);
  request.url = originForm(request.url ?? "");
  if (fault) connections.fail(socket, malformed(fault));
  else if (!connections.upgrade(socket)) connections.fail(socket, malformed("Requests before this upgrade are unanswered (RFC 6455 4.1)."));
  else accept(request, socket, head);
}

/** node:http does not read a body before an upgrade (RFC 9110 7.8): it would be taken for frames, and a proxy may take it for a body. */
function bodyFault({ headers }: IncomingMessage): string | null {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return hasBody ? "A request for a WebSocket has no body." : null;
}

type Upgrading = { request: IncomingMessage; socket: Socket; head: Buffer };

async function drain(server: Server, connections: Connections): Promise<void> {
  const linger = setTimeout(() => setImmediate(connections.closeIdle), timeouts.linger); // setImmediate: after everything that has arrived is read
  const deadline = setTimeout(() => server.closeAllConnections(), timeouts.drain);
  connections.closeWhenAnswered();
  // The close of node:http would close idle connections at once, and lose requests that are on their way.
  await new Promise<unknown>((resolve) => ListeningServer.prototype.close.call(server, resolve));
  clearTimeout(linger);
  clearTimeout(deadline);
}
