// More requests than a process answers soon are refused early. Before Koa, because a refusal must cost next to nothing: it is what
// there is most of then.

import type { IncomingMessage, ServerResponse } from "node:http";
import { commonHeaders, namesOnlyJson, requestIdOf } from "./answers.ts";
import { Problem, problemBody, problems } from "./problem.ts";

/** Resolves when the request is handled: its answer may still be going out. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type OverloadParts = {
  /** Requests that may be under way at once; `least` of them while the event loop is late. */
  most: number;
  least: number;
  /** Told of each refusal. */
  onRefused: () => void;
};

const problem = new Problem("unavailable", "The server has more to do than it can; nothing was done.");
const { status } = problems.unavailable;
const retryAfterSeconds = "1";
const common = Object.fromEntries(commonHeaders);

/** Refuses operations of the API, and those at /mcp, while too many of them are under way. Pages and probes are always let in. */
export function refuseOverload(listener: Listener, { most, least, onRefused }: OverloadParts): Listener {
  const limit = adaptiveLimit(most, least);
  const refusals = paced(refuse);
  let underWay = 0;
  return async (request, response) => {
    request.url = originForm(request.url ?? "");
    if (!isOperation(request)) return listener(request, response);
    if (underWay >= limit()) {
      onRefused();
      return refusals.add(request, response);
    }
    underWay += 1;
    try {
      await listener(request, response);
    } finally {
      underWay -= 1;
      refusals.earn();
    }
  };
}

/** The target without scheme and host: whoever sends the whole address (RFC 9112 3.2.2) asks for the same. */
function originForm(target: string): string {
  const [absolute, rest = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(target) ?? [];
  if (absolute === undefined) return target;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** A browser whose preflight is refused can't read why. */
function isOperation({ url = "", method }: IncomingMessage): boolean {
  return method !== "OPTIONS" && /^\/(?:api\/|mcp(?:\?|$))/.test(url);
}

const fewest = 16;

/**
 * Refusals go out at the end of a turn of the event loop, one for every two requests that were answered, and a few when there were none.
 * Whoever is refused may ask again at once, and refusing is not free: a server that refused as fast as it could would do nothing else.
 * And libuv reads for up to 48 rounds of 1,024 sockets before it looks at timers, if answers bring new requests meanwhile: that takes
 * many seconds. There is at most one waiting for each connection.
 */
function paced(refuse: (request: IncomingMessage, response: ServerResponse) => void) {
  let waiting: [IncomingMessage, ServerResponse][] = [];
  let earned = 0;
  const endTurn = () => {
    const due = Math.max(fewest, Math.floor(earned / 2));
    const now = waiting.slice(0, due);
    waiting = waiting.slice(due);
    earned = 0;
    for (const [request, response] of now) refuse(request, response);
    if (waiting.length > 0) setImmediate(endTurn);
  };
  return {
    add: (request: IncomingMessage, response: ServerResponse) => {
      if (waiting.length === 0) setImmediate(endTurn);
      waiting.push([request, response]);
    },
    earn: () => {
      earned += 1;
    },
  };
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

function refuse({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
  const requestId = requestIdOf(String(headers["x-request-id"] ?? ""));
  const [path = ""] = url.split(/[?#]/);
  const body = JSON.stringify(problemBody(problem, encodeURI(path).replaceAll("%25", "%"), requestId));
  response.writeHead(status, {
    ...common,
    "X-Request-Id": requestId,
    "Retry-After": retryAfterSeconds,
    "Content-Type": namesOnlyJson(headers.accept ?? "") ? "application/json" : "application/problem+json",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}
