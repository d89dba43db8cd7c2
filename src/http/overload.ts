// More requests than a process answers soon are refused early. Before Koa, because a refusal must cost as little as can be.

import type { IncomingMessage, ServerResponse } from "node:http";
import { openResting, type RestOptions } from "./paused-connections.ts";
import { Problem, problemBody, problems } from "./problem.ts";
import { instanceOf, namesOnlyJson } from "./problem-renderer.ts";
import { commonHeaders, requestIdOf } from "./request-id.ts";

/** Resolves when the request is handled: its answer may still be going out. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type OverloadParts = {
  /** Requests that may be under way at once; `least` of them while the event loop is late. */
  most: number;
  least: number;
  /** How long connections rest that were refused. */
  rest: RestOptions;
  /** Told of each refusal. */
  onRefused: () => void;
};

const problem = new Problem("unavailable", "The server has more to do than it can; nothing was done.");
const { status } = problems.unavailable;
const common = Object.fromEntries(commonHeaders);

export type Admission = {
  /** Refuses operations of the API, and those at /mcp, while too many of them are under way. Pages and probes are always let in. */
  guard: (listener: Listener) => Listener;
  /** Waits for the client's `bytes`. Meanwhile its request does not count as under way. Throws unavailable when there is no room for it then. */
  whileWaiting: <T>(request: IncomingMessage, bytes: Promise<T>) => Promise<T>;
};

export function openAdmission({ most, least, rest, onRefused }: OverloadParts): Admission {
  const limit = adaptiveLimit(most, least);
  const underWay = new Set<IncomingMessage>();
  const refusals = openRefusals(rest, () => limit() / 2 - underWay.size);
  const leave = (request: IncomingMessage) => {
    if (underWay.delete(request)) refusals.makeRoom();
  };
  return {
    guard: (listener) => async (request, response) => {
      if (!isOperation(request)) return listener(request, response);
      if (underWay.size >= limit()) {
        onRefused();
        return refusals.add(request, response);
      }
      underWay.add(request);
      try {
        await listener(request, response);
      } finally {
        leave(request);
      }
    },
    whileWaiting: async (request, bytes) => {
      const counts = underWay.has(request);
      leave(request);
      const arrived = await bytes;
      if (!counts) return arrived;
      if (underWay.size >= limit()) {
        onRefused();
        throw problem;
      }
      underWay.add(request);
      return arrived;
    },
  };
}

/** A browser whose preflight is refused can't read why. */
function isOperation({ url = "", method }: IncomingMessage): boolean {
  return method !== "OPTIONS" && /^\/(?:api\/|mcp(?:\?|$))/.test(url);
}

type Refusals = {
  add: (request: IncomingMessage, response: ServerResponse) => void;
  /** One less is under way. */
  makeRoom: () => void;
};

/**
 * Refusing is not free: a server that refused as fast as it is asked would do nothing else. So refusals go out at the end of a turn of
 * the event loop (libuv reads for up to 48 rounds of 1,024 sockets before it looks at timers, if answers bring new requests meanwhile),
 * and the connections of those who were refused rest, until there is `room` for so many.
 */
function openRefusals(options: RestOptions, room: () => number): Refusals {
  const resting = openResting(options);
  let waiting: [IncomingMessage, ServerResponse][] = [];
  let looking = false;
  const endTurn = () => {
    const now = waiting;
    waiting = [];
    for (const [request, response] of now) {
      if (resting.full()) response.setHeader("Connection", "close");
      refuse(request, response, resting.seconds());
      if (staysOpen(request, response)) resting.add(request.socket);
    }
  };
  const look = () => {
    looking = false;
    resting.wake(Math.max(0, Math.floor(room())));
  };
  return {
    add: (request, response) => {
      if (waiting.length === 0) setImmediate(endTurn);
      waiting.push([request, response]);
    },
    makeRoom: () => {
      if (looking || resting.count() === 0) return;
      looking = true;
      setImmediate(look); // once for all that are done in this turn
    },
  };
}

/** And nothing of this request is still to be read: node:http reads a body to its end, though nobody wants it. */
function staysOpen({ complete }: IncomingMessage, response: ServerResponse): boolean {
  return complete && response.shouldKeepAlive && !response.hasHeader("Connection");
}

const lookMs = 100;
const lateMs = 200;

/**
 * Halves whenever the event loop is late, and grows again by a quarter: what is let in waits for a turn at each of its steps, to the
 * database and back, and the more is let in the longer are the turns.
 */
function adaptiveLimit(most: number, least: number): () => number {
  let limit = most;
  let lookedAt = performance.now();
  const look = () => {
    const late = performance.now() - lookedAt - lookMs > lateMs;
    lookedAt = performance.now();
    limit = late ? Math.max(least, limit / 2) : Math.min(most, limit * 1.25);
  };
  setInterval(look, lookMs).unref();
  return () => limit;
}

function refuse({ url = "", headers }: IncomingMessage, response: ServerResponse, retryAfterSeconds: number): void {
  const requestId = requestIdOf(String(headers["x-request-id"] ?? ""));
  const [path = ""] = url.split("?");
  const body = JSON.stringify(problemBody(problem, instanceOf(path), requestId));
  response.writeHead(status, {
    ...common,
    "X-Request-Id": requestId,
    "Retry-After": String(retryAfterSeconds),
    "Content-Type": namesOnlyJson(headers.accept ?? "") ? "application/json" : "application/problem+json",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}
