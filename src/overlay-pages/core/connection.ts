// The stream connection: reads events, detects silence, and connects again after every failure except a refusal of the key.
// With the back-off of all attempts, and the reader of server-sent events.

import type { Cancel, Clock } from "./clock.ts";

/** The head of the server's response, and its body. */
export type StreamResponse = Readonly<{
  status: number;
  /** In seconds; 0 without the header field. */
  retryAfter: number;
  /** Resolves to the next bytes; null at the end. */
  read: () => Promise<Uint8Array | null>;
}>;

type ConnectionDeps = {
  /** Requests the stream. Rejects when the server can't be reached. */
  openStream: (signal: AbortSignal) => Promise<StreamResponse>;
  clock: Clock;
  random: () => number;
  onEvent: (event: ServerEvent) => void;
  onLost: () => void;
  /** The server has answered 401: the key is invalid, and there is no further attempt. */
  onRefused: () => void;
  /** The longest back-off at this moment, in milliseconds. */
  maxBackoffMs?: () => number;
};

export type Connection = {
  /** Closes the current connection, and connects again after `ms`. */
  restart: (ms?: number) => void;
  close: () => void;
};

/** The server sends something at least every 15 s. */
const silenceLimitMs = 40_000;
const responseLimitMs = 15_000;
/** A connection that lasted this long resets the back-off. */
const healthyMs = 10_000;
const maxRetryAfterMs = 60_000;

type Outcome = "refused" | { waitMs: number };

export function makeConnection(parts: ConnectionDeps): Connection {
  const { clock, random, onLost, onRefused, maxBackoffMs = () => Number.POSITIVE_INFINITY } = parts;
  let stopCurrent: Cancel = () => {};
  let failures = 0;

  const restart = (ms = 0) => {
    stopCurrent();
    stopCurrent = ms > 0 ? clock.after(ms, connect) : connect();
  };
  const connect = (): Cancel => {
    const controller = new AbortController();
    const connectedAt = clock.now();
    const stop = () => controller.abort();
    stopCurrent = stop;
    void readStream(parts, controller).then((outcome) => {
      if (stopCurrent !== stop) return; // closed or restarted meanwhile
      if (outcome === "refused") return onRefused();
      failures = clock.now() - connectedAt >= healthyMs ? 1 : failures + 1;
      onLost();
      if (stopCurrent === stop) restart(Math.max(Math.min(backoff(failures, random), maxBackoffMs()), outcome.waitMs));
    });
    return stop;
  };
  return {
    restart,
    close: () => {
      stopCurrent();
      stopCurrent = () => {};
    },
  };
}

/** Reads one connection until it ends, for whatever reason. */
async function readStream({ openStream, clock, onEvent }: ConnectionDeps, controller: AbortController): Promise<Outcome> {
  const { signal } = controller;
  const limit = (ms: number) => clock.after(ms, () => controller.abort());
  let watchdog = limit(responseLimitMs);
  const read = sseReader((event) => {
    if (!signal.aborted) onEvent(event);
  });
  try {
    const answer = await rejectOnAbort(openStream(signal), signal);
    if (answer.status === 401) return "refused";
    if (answer.status !== 200) return { waitMs: Math.min(answer.retryAfter * 1000, maxRetryAfterMs) };
    for (;;) {
      watchdog();
      watchdog = limit(silenceLimitMs);
      const chunk = await rejectOnAbort(answer.read(), signal);
      if (!chunk) return { waitMs: 0 };
      read(chunk);
    }
  } catch {
    return { waitMs: 0 };
  } finally {
    watchdog();
    controller.abort();
  }
}

/** Rejects when the signal is aborted, even if the promise never settles. */
function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

const firstDelayMs = 300;
const maxDelayMs = 15_000;

/** Milliseconds before the attempt that follows `failures` failures in a row (1 or more). `random` returns 0 to 1. */
export function backoff(failures: number, random: () => number): number {
  const full = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 30));
  return full * (0.5 + random() / 2);
}

export type ServerEvent = Readonly<{ event: string; data: string }>;

/** Far above the length of any event that the server sends. */
const maxEventLength = 4 * 1024 * 1024;

/** Returns a function that takes the stream chunk by chunk, and throws when an event is too long. */
export function sseReader(onEvent: (event: ServerEvent) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder(); // drops a BOM, keeps the bytes of a character that is not complete
  let buffer = "";
  let event = "";
  let data: string[] = [];
  let size = 0;

  const dispatch = () => {
    if (data.length > 0) onEvent({ event: event || "message", data: data.join("\n") });
    event = "";
    data = [];
    size = 0;
  };
  const readLine = (line: string) => {
    if (line === "") return dispatch();
    const [field, value] = splitField(line);
    if (field === "event") event = value;
    if (field !== "data") return;
    data.push(value);
    size += value.length;
  };

  return (chunk) => {
    buffer += decoder.decode(chunk, { stream: true });
    // A CR at the end may be half of a CRLF: it waits for the next chunk.
    for (let end: RegExpExecArray | null; (end = /\r\n|\n|\r(?!$)/.exec(buffer)); ) {
      const line = buffer.slice(0, end.index);
      buffer = buffer.slice(end.index + end[0].length);
      readLine(line);
    }
    if (buffer.length + size > maxEventLength) throw new Error("an event is too long");
  };
}

/** A line that begins with a colon is a comment: its field name is empty. */
function splitField(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}
