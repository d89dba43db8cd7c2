// Which connections are open, what is under way on each, and which have to go.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { refuse } from "./malformed-requests.ts";
import { network } from "./network.ts";
import type { Problem } from "./problem.ts";
import { timeouts } from "./server-limits.ts";
import { stallWatch } from "./stalled-readers.ts";

export type Connections = {
  /** Notes a request. False: its connection was refused, and nothing more is answered on it. */
  begin: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers this request with the problem, after the answers to those before it, and closes its connection. */
  refuse: (request: IncomingMessage, problem: Problem) => void;
  /** The same for whatever the connection brought last. A null problem: it is lost. */
  fail: (socket: Socket, problem: Problem | null) => void;
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
}>;

type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse }>;

type Connection = {
  /** Requests whose answers have not gone out, in the order in which they came. */
  underWay: Set<Exchange>;
  last: Exchange | null;
  refused: boolean;
  /** When the last request was answered although its body goes on. */
  overdueSince: number | null;
};

export function watchConnections(server: Server, { headers, perAddress }: ConnectionOptions): Connections {
  const open = new Map<Socket, Connection>();
  const addresses = countPerAddress(perAddress);
  const isStalled = stallWatch(timeouts.stalled);
  let closing = false;

  server.prependListener("connection", (socket: Socket) => {
    open.set(socket, { underWay: new Set(), last: null, refused: false, overdueSince: null });
    const leave = addresses.enter(socket);
    socket.once("close", () => {
      open.delete(socket);
      leave();
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

  const finish = (socket: Socket, connection: Connection, exchange: Exchange) => {
    connection.underWay.delete(exchange);
    if (connection.last === exchange && !exchange.request.complete) forgetRest(connection, exchange.request);
    if (closing && connection.underWay.size === 0) socket.end();
  };

  /** `exchange`: the one that is refused; null: something that never became one. */
  const refuseLast = (socket: Socket, exchange: Exchange | null, problem: Problem | null) => {
    const connection = open.get(socket);
    if (!problem || !connection || !socket.writable) return void socket.destroy();
    if (connection.refused) return; // what else comes is as little of a request
    connection.refused = true;
    if (exchange?.response.headersSent) return void socket.destroySoon(); // its answer is begun, or has gone
    exchange?.request.resume(); // nobody wants its body, and the end of it is to be noticed
    const before = [...connection.underWay].filter((one) => one !== exchange).at(-1);
    const answer = () => (socket.writable ? refuse(socket, problem, headers) : socket.destroy());
    if (before) before.response.once("close", answer);
    else answer();
  };

  return {
    begin: (request, response) => {
      const { socket } = request;
      const connection = open.get(socket);
      if (!connection || connection.refused) return false;
      const exchange = { request, response };
      connection.underWay.add(exchange);
      connection.last = exchange;
      if (closing) response.setHeader("Connection", "close");
      response.once("close", () => finish(socket, connection, exchange));
      return true;
    },
    refuse: ({ socket }, problem) => refuseLast(socket, open.get(socket)?.last ?? null, problem),
    fail: (socket, problem) => {
      const last = open.get(socket)?.last;
      // What is wrong is wrong with the last request only while that is incomplete.
      refuseLast(socket, last && !last.request.complete ? last : null, problem);
    },
    closeWhenAnswered: () => {
      closing = true;
      for (const [socket, { underWay }] of open) {
        socket.resume(); // it may rest, with a request that has arrived
        for (const { response } of underWay) if (!response.headersSent) response.setHeader("Connection", "close");
      }
    },
    closeIdle: () => {
      for (const [socket, { underWay }] of open) if (underWay.size === 0) socket.destroy();
    },
  };
}

/** The rest of a body is read and forgotten, but only for a moment: it may have no end. */
function forgetRest(connection: Connection, request: IncomingMessage): void {
  const since = performance.now();
  connection.overdueSince = since;
  request.once("end", () => {
    if (connection.overdueSince === since) connection.overdueSince = null;
  });
  request.resume();
}

/** Destroys connections of an address that has as many as it may have. */
function countPerAddress(most: number | null): { enter: (socket: Socket) => () => void } {
  const counts = new Map<string, number>();
  return {
    enter: (socket) => {
      if (most === null) return () => {};
      const key = network(socket.remoteAddress ?? "");
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count > most) socket.destroy();
      return () => {
        const left = (counts.get(key) ?? 1) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
  };
}
