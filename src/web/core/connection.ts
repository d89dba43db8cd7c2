// The one stream connection: reads events, notices silence, comes back after every failure but a refusal of the key.

import { backoff } from "./backoff.ts";
import type { Cancel, Clock } from "./clock.ts";
import { type ServerEvent, sseReader } from "./sse.ts";

/** The head of the server's answer, and its bytes. */
export type Answer = Readonly<{
  status: number;
  /** Seconds. */
  retryAfter: number;
  /** The next bytes; null at the end. */
  read: () => Promise<Uint8Array | null>;
}>;

export type ConnectionParts = {
  /** Asks for the stream. Rejects when the server can't be reached. */
  ask: (signal: AbortSignal) => Promise<Answer>;
  clock: Clock;
  random: () => number;
  onEvent: (event: ServerEvent) => void;
  onLost: () => void;
  /** 401: the key is not good. Nothing is tried again. */
  onRefused: () => void;
};

export type Connection = {
  /** Connects anew after `ms`, whatever is under way. */
  restart: (ms?: number) => void;
  close: () => void;
};

/** The server says something at least every 15 s. */
const silence = 40_000;
const answerLimit = 15_000;
/** A connection that lasted this long begins the waiting times anew. */
const healthy = 10_000;
const longestRetryAfter = 60_000;

type Outcome = "refused" | { wait: number };

export function makeConnection(parts: ConnectionParts): Connection {
  const { clock, random, onLost, onRefused } = parts;
  let stopCurrent: Cancel = () => {};
  let failures = 0;

  const restart = (ms = 0) => {
    stopCurrent();
    stopCurrent = ms > 0 ? clock.after(ms, dial) : dial();
  };
  const dial = (): Cancel => {
    const controller = new AbortController();
    const dialled = clock.now();
    const stop = () => controller.abort();
    stopCurrent = stop;
    void readStream(parts, controller).then((outcome) => {
      if (stopCurrent !== stop) return; // closed or restarted meanwhile
      if (outcome === "refused") return onRefused();
      failures = clock.now() - dialled >= healthy ? 1 : failures + 1;
      onLost();
      if (stopCurrent === stop) restart(Math.max(backoff(failures, random), outcome.wait));
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

/** One connection from its beginning to its end, whatever ends it. */
async function readStream({ ask, clock, onEvent }: ConnectionParts, controller: AbortController): Promise<Outcome> {
  const { signal } = controller;
  const limit = (ms: number) => clock.after(ms, () => controller.abort());
  let watchdog = limit(answerLimit);
  const read = sseReader((event) => {
    if (!signal.aborted) onEvent(event);
  });
  try {
    const answer = await orAborted(ask(signal), signal);
    if (answer.status === 401) return "refused";
    if (answer.status !== 200) return { wait: Math.min(answer.retryAfter * 1000, longestRetryAfter) };
    for (;;) {
      watchdog();
      watchdog = limit(silence);
      const chunk = await orAborted(answer.read(), signal);
      if (!chunk) return { wait: 0 };
      read(chunk);
    }
  } catch {
    return { wait: 0 };
  } finally {
    watchdog();
    controller.abort();
  }
}

/** A request that ignores its signal must not hold us. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
