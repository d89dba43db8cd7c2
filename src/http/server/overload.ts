// Refuses requests when more are under way than a process can answer soon. It works before Koa, because a refusal must be cheap.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { network } from "../addresses.ts";
import { commonHeaders, instanceOf, namesOnlyJson, requestIdOf } from "../middleware.ts";
import { asOAuthError, Problem, problemBody, problems } from "../problem.ts";
import { pauseReading, resumeReading } from "./parsing.ts";

/** Resolves when the request is handled; its answer may still be being sent. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type AdmissionOptions = {
  /** Operations that may be under way at once, and as many pages; `minRequests` of them while the event loop is late. */
  maxRequests: number;
  minRequests: number;
  /** Pages that may be under way at once for one network. */
  maxPagesPerNetwork: number;
  /** The address of the client. */
  addressOf: (request: IncomingMessage) => string;
  /** What a browser shows when a page is refused. */
  refusalPage: Readonly<{ headers: Readonly<Record<string, string>>; html: string }>;
  /** How long connections of refused requests are paused. */
  pauseLimits: PauseLimits;
  /** Called for each refusal. */
  onRefused: () => void;
};

const problem = new Problem("unavailable", "The server has more to do than it can; nothing was done.");
const { status } = problems.unavailable;

export type Admission = {
  /** Refuses operations while too many of them are under way, and the same with pages and files. Probes are always accepted. */
  guard: (listener: Listener) => Listener;
  /** Waits for the client's `bytes`. Its request does not count as under way meanwhile. Throws unavailable when too many are under way then. */
  whileWaiting: <T>(request: IncomingMessage, bytes: Promise<T>) => Promise<T>;
};

export function openAdmission(deps: AdmissionOptions): Admission {
  const { maxRequests, minRequests, onRefused } = deps;
  const limit = adaptiveLimit(maxRequests, minRequests);
  const gates = { operation: openGate(limit), page: openPageGate(limit, deps) };
  const refusals = openRefusals(deps, () => limit() / 2 - Math.max(gates.operation.count(), gates.page.count()));
  const enter = (gate: Gate, request: IncomingMessage): boolean => {
    if (gate.enter(request)) return true;
    onRefused();
    return false;
  };
  /** Returns the gate that counted the request; null when none did. */
  const leave = (request: IncomingMessage): Gate | null => {
    const gate = gates.operation.leave(request) ? gates.operation : gates.page.leave(request) ? gates.page : null;
    if (gate) refusals.makeRoom();
    return gate;
  };
  return {
    guard: (listener) => async (request, response) => {
      const kind = kindOf(request);
      if (kind === "always accepted") return listener(request, response);
      if (!enter(gates[kind], request)) return refusals.add(request, response);
      try {
        await listener(request, response);
      } finally {
        leave(request);
      }
    },
    whileWaiting: async (request, bytes) => {
      const gate = leave(request);
      const arrived = await bytes;
      if (gate && !enter(gate, request)) throw problem;
      return arrived;
    },
  };
}

/** Counts the requests of one kind that are under way. */
type Gate = {
  /** Returns false when there are too many. */
  enter: (request: IncomingMessage) => boolean;
  /** Returns false for a request that was not counted. */
  leave: (request: IncomingMessage) => boolean;
  count: () => number;
};

function openGate(limit: () => number): Gate {
  const underWay = new Set<IncomingMessage>();
  return {
    enter: (request) => underWay.size < limit() && Boolean(underWay.add(request)),
    leave: (request) => underWay.delete(request),
    count: () => underWay.size,
  };
}

/** Pages need no credential, whose limits would bound the requests of one sender: a network has a part of the places only. */
function openPageGate(limit: () => number, { maxPagesPerNetwork, addressOf }: AdmissionOptions): Gate {
  const networks = new Map<IncomingMessage, string>();
  const counts = new Map<string, number>();
  return {
    enter: (request) => {
      const from = network(addressOf(request));
      const count = counts.get(from) ?? 0;
      if (networks.size >= limit() || count >= maxPagesPerNetwork) return false;
      networks.set(request, from);
      counts.set(from, count + 1);
      return true;
    },
    leave: (request) => {
      const from = networks.get(request);
      if (from === undefined) return false;
      networks.delete(request);
      const left = (counts.get(from) ?? 1) - 1;
      if (left > 0) counts.set(from, left);
      else counts.delete(from);
      return true;
    },
    count: () => networks.size,
  };
}

const oauth = /^\/oauth\/(?:token|revoke|register)(?:\?|$)/;

/** A preflight is never refused, because a browser cannot read the reason of its refusal. Neither is a probe of a supervisor. */
function kindOf({ url = "", method }: IncomingMessage): "operation" | "page" | "always accepted" {
  if (method === "OPTIONS") return "always accepted";
  if (/^\/(?:api\/|mcp(?:\?|$))/.test(url) || oauth.test(url)) return "operation";
  return /^\/(?:livez|readyz)(?:\?|$)/.test(url) ? "always accepted" : "page";
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
function openRefusals({ refusalPage, pauseLimits }: AdmissionOptions, room: () => number): Refusals {
  const paused = openPausedConnections(pauseLimits);
  let waiting: [IncomingMessage, ServerResponse][] = [];
  let looking = false;
  const endTurn = () => {
    const now = waiting;
    waiting = [];
    for (const [request, response] of now) {
      if (paused.full()) response.setHeader("Connection", "close");
      refuse(request, response, { retryAfterSeconds: paused.seconds(), refusalPage });
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

type Refusal = Readonly<{ retryAfterSeconds: number; refusalPage: AdmissionOptions["refusalPage"] }>;

function refuse(request: IncomingMessage, response: ServerResponse, { retryAfterSeconds, refusalPage }: Refusal): void {
  const requestId = requestIdOf(String(request.headers["x-request-id"] ?? ""));
  const isPage = kindOf(request) === "page" && (request.headers.accept ?? "").includes("text/html");
  const [type, body] = isPage ? ["text/html; charset=utf-8", refusalPage.html] : refusalBody(request, requestId);
  response.writeHead(status, {
    ...commonHeaders,
    ...(isPage && refusalPage.headers),
    "X-Request-Id": requestId,
    "Retry-After": String(retryAfterSeconds),
    "Content-Type": type,
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}

function refusalBody({ url = "", headers }: IncomingMessage, requestId: string): [type: string, body: string] {
  if (oauth.test(url)) {
    const { code, message } = asOAuthError(problem);
    return ["application/json", JSON.stringify({ error: code, error_description: message })];
  }
  const [path = ""] = url.split("?");
  const type = namesOnlyJson(headers.accept ?? "") ? "application/json" : "application/problem+json";
  return [type, JSON.stringify(problemBody(problem, instanceOf(path), requestId))];
}

// Pauses connections whose request was refused: they are not read until the time of their Retry-After is over, or until there is room. A client
// that sends earlier waits in the kernel, which costs nothing.

type PausedConnections = {
  /** Whole seconds, for `Retry-After`, for which a connection that is refused now is paused. */
  seconds: () => number;
  add: (socket: Socket) => void;
  /** True when so many connections are paused that the next one should be closed. */
  full: () => boolean;
  /** Reads from this many connections again, the one paused first before the others. */
  wake: (count: number) => void;
  /** How many connections are paused. */
  count: () => number;
};

type PauseLimits = {
  /** Connections that may be read again in one second: at most as many refusals follow when all of them send a request at once. */
  perSecond: number;
  /** The longest pause, however many connections are paused. */
  maxSeconds: number;
  /** The maximum of paused connections. One that its client has closed is noticed only when its pause ends. */
  maxConnections: number;
};

type Pause = Readonly<{ socket: Socket; until: number }>;

function openPausedConnections({ perSecond, maxSeconds, maxConnections }: PauseLimits): PausedConnections {
  let pauses: Pause[] = [];
  let first = 0; // entries before it have ended; shifting them one at a time would move all others
  let timer: NodeJS.Timeout | null = null;

  const count = () => pauses.length - first;
  const seconds = () => Math.min(maxSeconds, Math.ceil((count() + 1) / perSecond));

  const wake = (many: number) => {
    const last = Math.min(first + many, pauses.length);
    for (; first < last; first += 1) {
      const one = pauses[first];
      if (one) resumeReading(one.socket, "refused");
    }
    if (first < pauses.length / 2) return;
    pauses = pauses.slice(first);
    first = 0;
  };

  const wakeDue = () => {
    timer = null;
    const now = performance.now();
    const next = pauses.findIndex(({ until }, index) => index >= first && until > now);
    wake((next < 0 ? pauses.length : next) - first);
    setTimer();
  };

  const setTimer = () => {
    const next = pauses[first];
    if (next && !timer) timer = setTimeout(wakeDue, Math.max(next.until - performance.now(), 1)).unref();
  };

  const add = (socket: Socket) => {
    pauses.push({ socket, until: performance.now() + seconds() * 1_000 });
    pauseReading(socket, "refused");
    setTimer();
  };

  return { seconds, add, full: () => count() >= maxConnections, wake, count };
}
