// Keeps account of the open connections and of the requests under way on each, and closes those that break a limit.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { network } from "../addresses.ts";
import type { Problem } from "../problem.ts";
import { writeRefusal } from "./malformed-requests.ts";
import { type MayBegin, type ParserPause, type PipelinedRequests, resumeReading, watchChunkedBodies, watchPipelined } from "./parsing.ts";
import { closeSoon, closeWhenRead, discardRest } from "./rest-of-body.ts";
import { maxUnanswered, maxUnsentBytes, timeouts } from "./server-limits.ts";

export type Connections = {
  /** Notes a request. Returns false when an earlier request of its connection was refused: nothing more is answered on it. */
  begin: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers this request with the problem, after the answers to those before it, and closes its connection. */
  refuse: (request: IncomingMessage, problem: Problem) => void;
  /** Answers what the connection sent last with the problem, and closes it. With null the connection is destroyed. */
  fail: (socket: Socket, problem: Problem | null) => void;
  /** Handles a pause of the parser. Returns false when the error is another one. */
  pauseParsing: (socket: Socket, error: ParserPause) => boolean;
  /** Whether the connection is not read at present, because too many of its requests wait for their answers. */
  isWaiting: (socket: Socket) => boolean;
  /** A WebSocket has taken the connection. Returns false when requests before it are unanswered. */
  upgrade: (socket: Socket) => boolean;
  /** Whether the request whose body the connection is sending is one of these. */
  isReading: (socket: Socket, isOne: (request: IncomingMessage) => boolean) => boolean;
  /** From now on every answer is the last of its connection. */
  closeWhenAnswered: () => void;
  /** Closes connections without a request under way. */
  closeIdle: () => void;
};

type ConnectionOptions = Readonly<{
  /** Headers of refusals. */
  headers: Readonly<Record<string, string>>;
  /** Connections that may be open at once: of all clients, and of one address (null: of any number). */
  max: Readonly<{ inAll: number; perAddress: number | null }>;
  /** How long a client may read nothing of what is sent to it; timeouts.stalled by default. */
  stalledMs?: number | undefined;
  /** Bytes of answers that clients have not read; maxUnsentBytes by default. */
  unsentBytes?: number | undefined;
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
  /** Connections without a request under way, and since when: the one that has been so for the longest time first. */
  readonly idle: Map<Socket, number>;
  readonly pipelined: PipelinedRequests;
  /** Headers of refusals. */
  readonly headers: Readonly<Record<string, string>>;
  /** Every answer is the last one of its connection. */
  isClosing: boolean;
};

export function watchConnections(server: Server, options: ConnectionOptions): Connections {
  const open = new Map<Socket, Connection>();
  const pipelined = watchPipelined(server, (socket) => mayBegin(socket, open.get(socket)), watchChunkedBodies(server));
  const state: WatcherState = { open, idle: new Map(), pipelined, headers: options.headers, isClosing: false };
  watchSockets(server, state, options);
  return {
    begin: (request, response) => begin(state, request, response),
    refuse: ({ socket }, problem) => refuseExchange(state, socket, open.get(socket)?.last ?? null, problem),
    fail: (socket, problem) => {
      const last = open.get(socket)?.last;
      // The fault belongs to the last request only while that request is incomplete.
      refuseExchange(state, socket, last && !last.request.complete ? last : null, problem);
    },
    // Nothing more is begun after a refusal: what is still sent is discarded.
    pauseParsing: (socket, error) => (error.code === "HPE_PAUSED" && open.get(socket)?.isRefused) || pipelined.keepRest(socket, error),
    isWaiting: pipelined.isWaiting,
    upgrade: (socket) => {
      state.idle.delete(socket);
      return (open.get(socket)?.underWay.size ?? 0) === 0;
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

/** Keeps the sets of connections up to date, and destroys connections that break a limit. */
function watchSockets(
  server: Server,
  state: WatcherState,
  { max, stalledMs = timeouts.stalled, unsentBytes = maxUnsentBytes }: ConnectionOptions,
): void {
  const { open, idle } = state;
  const countConnection = limitConnections(max, idle);
  const isStalled = stallWatch(stalledMs);

  server.prependListener("connection", (socket: Socket) => {
    const connection: Connection = { underWay: new Set(), last: null, isRefused: false, overdueSince: null };
    open.set(socket, connection);
    // A stopping server waits for no rest of a body.
    socket.destroySoon = () => (state.isClosing ? closeSoon(socket) : closeWhenRead(socket, connection));
    const uncount = countConnection(socket);
    // The answer that a client waits for is written although it has ended its side. One that has begun may be a stream without an end, whose
    // client has most probably gone.
    socket.once("end", () => {
      const { underWay = [] } = open.get(socket) ?? {};
      if ([...underWay].some(({ response }) => response.headersSent && !response.writableEnded)) socket.destroy();
    });
    socket.once("close", () => {
      open.delete(socket);
      idle.delete(socket);
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
  const bounding = setInterval(() => {
    for (const socket of mostUnsent(open, unsentBytes)) socket.destroy();
  }, timeouts.unsent).unref();
  server.once("close", () => {
    clearInterval(sweeping);
    clearInterval(bounding);
  });
}

function mayBegin(socket: Socket, connection: Connection | undefined): ReturnType<MayBegin> {
  if (connection === undefined || connection.isRefused || connection.underWay.size >= maxUnanswered || socket.destroyed) return "later";
  return connection.underWay.size > 0 ? "in turn" : "now";
}

function begin(state: WatcherState, request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  const connection = state.open.get(socket);
  if (!connection || connection.isRefused) return false;
  const exchange = { request, response };
  if (connection.underWay.size === 0) state.idle.delete(socket);
  connection.underWay.add(exchange);
  connection.last = exchange;
  if (state.isClosing) response.setHeader("Connection", "close");
  response.once("close", () => finish(state, socket, connection, exchange));
  return true;
}

function finish({ idle, pipelined, isClosing }: WatcherState, socket: Socket, connection: Connection, exchange: Exchange): void {
  const { underWay } = connection;
  underWay.delete(exchange);
  if (connection.last === exchange && !exchange.request.complete) discardRest(connection, exchange.request);
  if (underWay.size <= maxUnanswered / 2) pipelined.goOn(socket);
  if (underWay.size > 0) return;
  if (isClosing) socket.end();
  else if (!socket.destroyed) idle.set(socket, performance.now());
}

/** `exchange`: the one that is refused; null when the bytes never became a request. */
function refuseExchange({ open, headers }: WatcherState, socket: Socket, exchange: Exchange | null, problem: Problem | null): void {
  const connection = open.get(socket);
  if (!problem || !connection || !socket.writable) return void socket.destroy();
  if (connection.isRefused) return; // whatever follows a refused request is ignored
  connection.isRefused = true;
  if (exchange?.response.headersSent) return void closeSoon(socket); // its answer has begun or has been sent
  exchange?.request.resume(); // discards the body, so that its end is noticed
  const before = [...connection.underWay].filter((other) => other !== exchange).at(-1);
  const answer = () => (socket.writable ? writeRefusal(socket, problem, headers) : socket.destroy());
  if (before) before.response.once("close", answer);
  else answer();
}

function closeWhenAnswered(state: WatcherState): void {
  state.isClosing = true;
  for (const [socket, { underWay }] of state.open) {
    resumeReading(socket, "refused"); // a request may have arrived meanwhile
    for (const { response } of underWay) if (!response.headersSent) response.setHeader("Connection", "close");
  }
}

/** Notes a new connection, and closes another or itself when there are too many. Returns the function that ends its counting. */
type CountConnection = (socket: Socket) => () => void;

/**
 * A new connection beyond a limit takes the place of the one that has been idle for the longest time: of its own address when that has too
 * many, else of the address that has most. When none has been idle for a moment, the new one is closed.
 */
function limitConnections({ inAll, perAddress }: ConnectionOptions["max"], idle: Map<Socket, number>): CountConnection {
  const addresses = new Map<string, number>();
  const addressOf = new WeakMap<Socket, string>();
  let count = 0;
  const longestIdle = (address: string | null) => {
    const latest = performance.now() - timeouts.replaceable;
    for (const [socket, since] of idle) {
      if (since > latest) return undefined;
      if (!socket.destroyed && (address === null || addressOf.get(socket) === address)) return socket;
    }
    return undefined;
  };
  const busiest = () => [...addresses].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
  return (socket) => {
    const address = network(socket.remoteAddress ?? "");
    addressOf.set(socket, address);
    count += 1;
    addresses.set(address, (addresses.get(address) ?? 0) + 1);
    const isOverAddress = perAddress !== null && (addresses.get(address) ?? 0) > perAddress;
    if (isOverAddress) (longestIdle(address) ?? socket).destroy();
    else if (count > inAll) (longestIdle(busiest()) ?? longestIdle(null) ?? socket).destroy();
    if (!socket.destroyed) idle.set(socket, performance.now());
    return () => {
      count -= 1;
      const left = (addresses.get(address) ?? 1) - 1;
      if (left > 0) addresses.set(address, left);
      else addresses.delete(address);
    };
  };
}

// Finds connections whose clients do not read their answers. An export, for instance, would keep its database connection for as long as its
// client likes, and unread answers take memory.

/** Internal members of a socket, which node:net itself uses for its time-outs. server.test.ts fails when they no longer exist. */
type Handle = Readonly<{ bytesWritten: number; writeQueueSize: number }>;

type Observation = { taken: number; since: number };

/**
 * The returned function tells whether a client has read none of the waiting bytes for `limitMs`. Call it regularly for every connection; `now`
 * is in milliseconds.
 */
export function stallWatch(limitMs: number): (socket: Socket, now: number) => boolean {
  const waiting = new WeakMap<Socket, Observation>();
  return (socket, now) => {
    if (socket.writableLength === 0) {
      waiting.delete(socket);
      return false;
    }
    const taken = bytesTaken(socket);
    const last = waiting.get(socket);
    if (last?.taken === taken) return now - last.since >= limitMs;
    waiting.set(socket, { taken, since: now });
    return false;
  };
}

/** Bytes that the system has accepted for sending. `socket.bytesWritten` alone counts a whole buffer, even when only a part was accepted. */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}

/** What a request and its answer take, besides the bytes of the answer. */
const bytesPerExchange = 8_192;

/** The connections to close: those with the most unsent bytes, until the others have no more than three quarters of `max`. */
function mostUnsent(connections: ReadonlyMap<Socket, Connection>, max: number): Socket[] {
  const held: { socket: Socket; bytes: number }[] = [];
  let sum = 0;
  for (const [socket, { underWay }] of connections) {
    if (underWay.size === 0) continue;
    let bytes = (underWay.size - 1) * bytesPerExchange + socket.readableLength;
    for (const { response } of underWay) bytes += response.writableLength;
    if (bytes > 0) held.push({ socket, bytes });
    sum += bytes;
  }
  if (sum <= max) return [];
  held.sort((one, other) => one.bytes - other.bytes);
  const closed: Socket[] = [];
  while (sum > max * 0.75) {
    const most = held.pop();
    if (!most) break;
    sum -= most.bytes;
    closed.push(most.socket);
  }
  return closed;
}
