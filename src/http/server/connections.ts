// Keeps account of the open connections and of the requests under way on each, and closes those that break a limit.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { network } from "../network.ts";
import type { Problem } from "../problem.ts";
import { writeRefusal } from "./malformed-requests.ts";
import { timeouts } from "./server-limits.ts";
import { stallWatch } from "./stalled-readers.ts";

export type Connections = {
  /** Notes a request. Returns false when an earlier request of its connection was refused: nothing more is answered on it. */
  begin: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers this request with the problem, after the answers to those before it, and closes its connection. */
  refuse: (request: IncomingMessage, problem: Problem) => void;
  /** Answers what the connection sent last with the problem, and closes it. With null the connection is destroyed. */
  fail: (socket: Socket, problem: Problem | null) => void;
  /** Whether the request whose body the connection is sending is one of these. */
  isReading: (socket: Socket, isOne: (request: IncomingMessage) => boolean) => boolean;
  /** From now on every answer is the last of its connection. */
  closeWhenAnswered: () => void;
  /** Closes connections without a request under way. */
  closeIdle: () => void;
};

export type ConnectionOptions = Readonly<{
  /** Headers of refusals. */
  headers: Readonly<Record<string, string>>;
  /** Connections of one address that may be open at once. */
  perAddress: number | null;
  /** How long a client may read nothing of what is sent to it; timeouts.stalled by default. */
  stalledMs?: number | undefined;
}>;

type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse }>;

type Connection = {
  /** Requests whose answers have not gone out, in the order in which they came. */
  underWay: Set<Exchange>;
  last: Exchange | null;
  isRefused: boolean;
  /** When the last request was answered although its body goes on. */
  overdueSince: number | null;
};

type WatcherState = {
  readonly open: Map<Socket, Connection>;
  /** Headers of refusals. */
  readonly headers: Readonly<Record<string, string>>;
  /** Every answer is the last one of its connection. */
  isClosing: boolean;
};

export function watchConnections(server: Server, options: ConnectionOptions): Connections {
  const state: WatcherState = { open: new Map(), headers: options.headers, isClosing: false };
  const { open } = state;
  watchSockets(server, state, options);
  return {
    begin: (request, response) => begin(state, request, response),
    refuse: ({ socket }, problem) => refuseExchange(state, socket, open.get(socket)?.last ?? null, problem),
    fail: (socket, problem) => {
      const last = open.get(socket)?.last;
      // The fault belongs to the last request only while that request is incomplete.
      refuseExchange(state, socket, last && !last.request.complete ? last : null, problem);
    },
    isReading: (socket, isOne) => {
      const request = open.get(socket)?.last?.request;
      return request !== undefined && !request.complete && isOne(request);
    },
    closeWhenAnswered: () => closeWhenAnswered(state),
    closeIdle: () => {
      for (const [socket, { underWay }] of open) if (underWay.size === 0) socket.destroy();
    },
  };
}

/** Keeps `state.open` up to date, and destroys connections that are stalled or that go on sending after a refusal. */
function watchSockets(server: Server, { open }: WatcherState, { perAddress, stalledMs = timeouts.stalled }: ConnectionOptions): void {
  const addresses = countPerAddress(perAddress);
  const isStalled = stallWatch(stalledMs);

  server.prependListener("connection", (socket: Socket) => {
    open.set(socket, { underWay: new Set(), last: null, isRefused: false, overdueSince: null });
    const uncount = addresses.count(socket);
    socket.once("close", () => {
      open.delete(socket);
      uncount();
    });
  });

  const sweep = () => {
    const now = performance.now();
    for (const [socket, connection] of open)
      if (isStalled(socket, now) || (connection.overdueSince !== null && now - connection.overdueSince > timeouts.refused))
        socket.destroy();
  };
  const sweeping = setInterval(sweep, timeouts.check).unref();
  server.once("close", () => clearInterval(sweeping));
}

function begin(state: WatcherState, request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  const connection = state.open.get(socket);
  if (!connection || connection.isRefused) return false;
  const exchange = { request, response };
  connection.underWay.add(exchange);
  connection.last = exchange;
  if (state.isClosing) response.setHeader("Connection", "close");
  response.once("close", () => finish(state, socket, connection, exchange));
  return true;
}

function finish({ isClosing }: WatcherState, socket: Socket, connection: Connection, exchange: Exchange): void {
  connection.underWay.delete(exchange);
  if (connection.last === exchange && !exchange.request.complete) discardRest(connection, exchange.request);
  if (isClosing && connection.underWay.size === 0) socket.end();
}

/** `exchange`: the one that is refused; null when the bytes never became a request. */
function refuseExchange({ open, headers }: WatcherState, socket: Socket, exchange: Exchange | null, problem: Problem | null): void {
  const connection = open.get(socket);
  if (!problem || !connection || !socket.writable) return void socket.destroy();
  if (connection.isRefused) return; // whatever follows a refused request is ignored
  connection.isRefused = true;
  if (exchange?.response.headersSent) return void socket.destroySoon(); // its answer has begun or has been sent
  exchange?.request.resume(); // discards the body, so that its end is noticed
  const before = [...connection.underWay].filter((other) => other !== exchange).at(-1);
  const answer = () => (socket.writable ? writeRefusal(socket, problem, headers) : socket.destroy());
  if (before) before.response.once("close", answer);
  else answer();
}

function closeWhenAnswered(state: WatcherState): void {
  state.isClosing = true;
  for (const [socket, { underWay }] of state.open) {
    socket.resume(); // the connection may be paused, with a request that has arrived
    for (const { response } of underWay) if (!response.headersSent) response.setHeader("Connection", "close");
  }
}

/** Reads and discards the rest of a body. `sweep` ends that after a moment, because the body may have no end. */
function discardRest(connection: Connection, request: IncomingMessage): void {
  const since = performance.now();
  connection.overdueSince = since;
  request.once("end", () => {
    if (connection.overdueSince === since) connection.overdueSince = null;
  });
  request.resume();
}

/** Destroys a connection whose address has `max` connections already. `count` returns the function that ends its counting. */
function countPerAddress(max: number | null): { count: (socket: Socket) => () => void } {
  const counts = new Map<string, number>();
  return {
    count: (socket) => {
      if (max === null) return () => {};
      const key = network(socket.remoteAddress ?? "");
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count > max) socket.destroy();
      return () => {
        const left = (counts.get(key) ?? 1) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
  };
}
