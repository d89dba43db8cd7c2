// Pauses the reading of a connection, for one reason or for several. It is read again when none is left.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * `refused`: a request was refused under overload. `unanswered`: too many of its requests wait for their answers. `chunks`: others have their
 * turn before more chunks of its body are parsed.
 */
type Reason = "refused" | "unanswered" | "chunks";

const reasonsOf = new WeakMap<Socket, Set<Reason>>();

export function pauseReading(socket: Socket, reason: Reason): void {
  const reasons = reasonsOf.get(socket) ?? new Set();
  reasonsOf.set(socket, reasons.add(reason));
  socket.pause();
}

export function resumeReading(socket: Socket, reason: Reason): void {
  const reasons = reasonsOf.get(socket);
  if (!reasons?.delete(reason) || reasons.size > 0) return;
  reasonsOf.delete(socket);
  if (!isBodyFull(socket)) resume(socket);
}

/** Internal members of a socket of node:http. server.test.ts fails when they no longer exist. */
type HttpSocket = Socket & {
  _paused?: boolean;
  _handle?: { reading: boolean; readStart: () => void; readStop: () => void } | null;
  parser?: { incoming: IncomingMessage | null } | null;
};

/** Whether the request whose body is arriving holds as much of it as it may: it reads the connection again when its body is read. */
function isBodyFull({ parser }: HttpSocket): boolean {
  const request = parser?.incoming;
  return Boolean(request) && !request?.complete && (request?.readableLength ?? 0) >= (request?.readableHighWaterMark ?? 0);
}

/** While node:http pauses a connection itself, because its answers are not read, it must not be read: an assertion of node:http would fail. */
export function resume(socket: HttpSocket): void {
  if (socket._paused) return;
  socket.resume();
  startReading(socket);
}

/** Ends what `stopReading` did. */
export function startReading({ _handle: handle }: HttpSocket): void {
  if (!handle || handle.reading) return;
  handle.reading = true;
  handle.readStart();
}

/** Leaves what arrives in the system: a paused stream would still read as much as its buffer holds. */
export function stopReading({ _handle: handle }: HttpSocket): void {
  if (!handle?.reading) return;
  handle.reading = false;
  handle.readStop();
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

export type PauseLimits = {
  /** Connections that may be read again in one second: at most as many refusals follow when all of them send a request at once. */
  perSecond: number;
  /** The longest pause, however many connections are paused. */
  maxSeconds: number;
  /** The maximum of paused connections. One that its client has closed is noticed only when its pause ends. */
  maxConnections: number;
};

type Pause = Readonly<{ socket: Socket; until: number }>;

export function openPausedConnections({ perSecond, maxSeconds, maxConnections }: PauseLimits): PausedConnections {
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
