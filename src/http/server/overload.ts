// Refuses requests when more are under way than a process can answer soon. It works before Koa, because a refusal must be cheap.

import type { IncomingMessage, ServerResponse } from "node:http";
import { instanceOf, namesOnlyJson } from "../middleware/problem-renderer.ts";
import { commonHeaders, requestIdOf } from "../middleware/request-id.ts";
import { Problem, problemBody, problems } from "../problem.ts";
import { openPausedConnections, type PauseLimits } from "./paused-connections.ts";

/** Resolves when the request is handled; its answer may still be being sent. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type OverloadDeps = {
  /** Requests that may be under way at once; `minRequests` of them while the event loop is late. */
  maxRequests: number;
  minRequests: number;
  /** How long connections of refused requests are paused. */
  pauseLimits: PauseLimits;
  /** Called for each refusal. */
  onRefused: () => void;
};

const problem = new Problem("unavailable", "The server has more to do than it can; nothing was done.");
const { status } = problems.unavailable;
const common = Object.fromEntries(commonHeaders);

export type Admission = {
  /** Refuses requests to /api/ and /mcp while too many of them are under way. Pages and probes are always accepted. */
  guard: (listener: Listener) => Listener;
  /** Waits for the client's `bytes`. Its request does not count as under way meanwhile. Throws unavailable when too many are under way then. */
  whileWaiting: <T>(request: IncomingMessage, bytes: Promise<T>) => Promise<T>;
};

export function openAdmission({ maxRequests, minRequests, pauseLimits, onRefused }: OverloadDeps): Admission {
  const limit = adaptiveLimit(maxRequests, minRequests);
  const underWay = new Set<IncomingMessage>();
  const refusals = openRefusals(pauseLimits, () => limit() / 2 - underWay.size);
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

/** A preflight is never refused, because a browser cannot read the reason of its refusal. */
function isOperation({ url = "", method }: IncomingMessage): boolean {
  return method !== "OPTIONS" && /^\/(?:api\/|mcp(?:\?|$))/.test(url);
}

type Refusals = {
  add: (request: IncomingMessage, response: ServerResponse) => void;
  /** Call it when a request has ended. */
  makeRoom: () => void;
};

/**
 * A refusal costs time, too: a server that refused every request at once would do nothing else. Refusals are therefore sent at the end of
 * a turn of the event loop (libuv reads up to 48 times 1,024 sockets before it runs timers, when answers cause new requests), and the
 * connections are then paused until there is `room` for their requests.
 */
function openRefusals(limits: PauseLimits, room: () => number): Refusals {
  const paused = openPausedConnections(limits);
  let waiting: [IncomingMessage, ServerResponse][] = [];
  let looking = false;
  const endTurn = () => {
    const now = waiting;
    waiting = [];
    for (const [request, response] of now) {
      if (paused.full()) response.setHeader("Connection", "close");
      refuse(request, response, paused.seconds());
      if (staysOpen(request, response)) paused.add(request.socket);
    }
  };
  const look = () => {
    looking = false;
    paused.wake(Math.max(0, Math.floor(room())));
  };
  return {
    add: (request, response) => {
      if (waiting.length === 0) setImmediate(endTurn);
      waiting.push([request, response]);
    },
    makeRoom: () => {
      if (looking || paused.count() === 0) return;
      looking = true;
      setImmediate(look); // once for all requests that end in this turn
    },
  };
}

/** Also true when nothing of the request is left to read: node:http reads a body to its end even when it is not used. */
function staysOpen({ complete }: IncomingMessage, response: ServerResponse): boolean {
  return complete && response.shouldKeepAlive && !response.hasHeader("Connection");
}

const lookMs = 100;
const lateMs = 200;

/**
 * The limit is halved whenever the event loop is late, and then grows by a quarter at a time: each step of a request waits for a turn of the
 * event loop, and the more requests are under way, the longer the turns are.
 */
function adaptiveLimit(max: number, min: number): () => number {
  let limit = max;
  let lookedAt = performance.now();
  const look = () => {
    const late = performance.now() - lookedAt - lookMs > lateMs;
    lookedAt = performance.now();
    limit = late ? Math.max(min, limit / 2) : Math.min(max, limit * 1.25);
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
