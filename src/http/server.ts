// node:http around the application: time-outs, requests that never reach Koa, a stop that drains.

import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, Server as ListeningServer, type Socket } from "node:net";
import { type Connections, watchConnections } from "./connections.ts";
import { framingProblem, malformed } from "./malformed-requests.ts";
import { headFault, originForm } from "./request-head.ts";
import { backlog, mostConnections, timeouts } from "./server-limits.ts";

export type RunningServer = {
  port: number;
  /** Takes no new connection, lets requests under way finish, cuts what takes longer than the drain time. */
  stop: () => Promise<void>;
};

export type ListenOptions = Readonly<{
  host: string;
  port: number;
  /** Headers of every answer, also of those that the application never sees. */
  headers?: Readonly<Record<string, string>>;
  /** Connections that are open at once: of all clients, and of one address (null: no limit, because a proxy opens them for everybody). */
  most?: Readonly<{ inAll: number; perAddress: number | null }>;
}>;

/** Listens. Rejects with a clear message when the address can't be used. */
export async function listen(listener: RequestListener, options: ListenOptions): Promise<RunningServer> {
  const { host, port, headers = {}, most = { inAll: mostConnections(), perAddress: null } } = options;
  const server = createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.check,
    keepAliveTimeout: timeouts.keepAlive,
    // Otherwise the first of two Authorization headers would count, and a proxy may have looked at the second.
    joinDuplicateHeaders: true,
    requireHostHeader: false, // request-head.ts looks at it: node:http would answer without a request id
  });
  server.maxConnections = most.inAll;
  const connections = watchConnections(server, { headers, perAddress: most.perAddress });
  const receive = checked(listener, connections, Object.entries(headers));
  server.on("request", receive);
  server.on("checkExpectation", receive); // an unknown expectation is no reason to refuse (RFC 9110 10.1.1)
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => connections.fail(socket, framingProblem(error)));
  server.on("connect", (_request, socket) => connections.fail(socket as Socket, malformed("This server is no proxy: it has no tunnels.")));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Error(`can't listen on ${host}:${port}: ${error.message}. Set HOST or PORT.`, { cause: error })),
    );
    server.listen({ port, host, backlog }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, stop: () => drain(server, connections) };
}

/** Lets requests through whose head is well-formed. What the application reads is always a path, or `*`. */
function checked(listener: RequestListener, connections: Connections, headers: readonly [string, string][]): RequestListener {
  return (request, response) => {
    if (!connections.begin(request, response)) return;
    const fault = headFault(request);
    if (fault) return connections.refuse(request, malformed(fault));
    for (const [name, value] of headers) response.setHeader(name, value);
    request.url = originForm(request.url ?? "");
    listener(request, response);
  };
}

async function drain(server: Server, connections: Connections): Promise<void> {
  const linger = setTimeout(() => setImmediate(connections.closeIdle), timeouts.linger); // when whatever has arrived is read
  const deadline = setTimeout(() => server.closeAllConnections(), timeouts.drain);
  connections.closeWhenAnswered();
  // The close of node:http would cut idle connections at once, and with them the requests that are on their way.
  await new Promise<unknown>((resolve) => ListeningServer.prototype.close.call(server, resolve));
  clearTimeout(linger);
  clearTimeout(deadline);
}
