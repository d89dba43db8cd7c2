// A fake clock and a fake server for the tests of the browser code.

import type { Acknowledgement } from "./acknowledgements.ts";
import type { OverlayApi, Playback, StreamQuery } from "./api.ts";
import type { Cancel, Clock } from "./clock.ts";
import type { StreamResponse } from "./connection.ts";

export type FakeClock = Clock & {
  /** Advances the time, and runs the timers that are due, in order. */
  advance: (ms: number) => Promise<void>;
};

export function fakeClock(): FakeClock {
  let time = 0;
  let timers: { due: number; run: () => void }[] = [];
  const after = (ms: number, run: () => void): Cancel => {
    const timer = { due: time + ms, run };
    timers.push(timer);
    return () => {
      timers = timers.filter((other) => other !== timer);
    };
  };
  const pass = async (ms: number) => {
    const end = time + ms;
    await settle();
    for (;;) {
      const [next] = timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (!next) break;
      time = next.due;
      timers = timers.filter((timer) => timer !== next);
      next.run();
      await settle();
    }
    time = end;
  };
  return { now: () => time, after, advance: pass };
}

/** Resolves when everything that waits for promises only has run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export type FakeStream = {
  query: StreamQuery;
  /** Sends an event, or bytes as they are. */
  send: (event: string, data: unknown) => Promise<void>;
  write: (bytes: Uint8Array) => Promise<void>;
  end: () => Promise<void>;
  /** The client has closed the connection. */
  closed: boolean;
};

export type FakeApi = OverlayApi & {
  streams: FakeStream[];
  acknowledged: Acknowledgement[];
  /** Statuses of the next streams instead of 200; 0: the server can't be reached. */
  refusals: number[];
  /** Statuses of the next acknowledgements instead of 200; 0: the server can't be reached. */
  failures: number[];
  /** The streams that are open now. */
  open: () => FakeStream[];
};

export function fakeApi(): FakeApi {
  const api: FakeApi = {
    streams: [],
    acknowledged: [],
    refusals: [],
    failures: [],
    open: () => api.streams.filter(({ closed }) => !closed),
    stream: async (query, signal) => {
      const status = api.refusals.shift() ?? 200;
      if (status === 0) throw new TypeError("can't be reached");
      if (status !== 200) return { status, retryAfter: 0, read: async () => null };
      return openStream(api, query, signal);
    },
    acknowledge: async (acknowledgement) => {
      api.acknowledged.push(acknowledgement);
      const status = api.failures.shift() ?? 200;
      if (status === 0) throw new TypeError("can't be reached");
      return status;
    },
  };
  return api;
}

function openStream(api: FakeApi, query: StreamQuery, signal: AbortSignal): StreamResponse {
  const chunks = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 100 });
  const writer = chunks.writable.getWriter();
  const reader = chunks.readable.getReader();
  const write = async (bytes: Uint8Array) => {
    void writer.write(bytes);
    await settle();
  };
  const stream: FakeStream = {
    query,
    closed: false,
    write,
    send: (event, data) => write(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)),
    end: async () => {
      stream.closed = true;
      void writer.close();
      await settle();
    },
  };
  signal.addEventListener("abort", () => {
    stream.closed = true;
  });
  api.streams.push(stream);
  return { status: 200, retryAfter: 0, read: async () => (await reader.read()).value ?? null };
}

export function playbackOf(id: string, changes: Partial<Playback> = {}): Playback {
  const donation = { donationId: `donation of ${id}`, donatorName: "สมชาย", amount: 100, currency: "THB" as const, message: "" };
  return {
    id,
    ...donation,
    source: "external",
    speech: null,
    replay: false,
    faster: false,
    variation: null,
    masked: false,
    elapsedMs: null,
    ...changes,
  };
}

export const settings = { volume: 80, speechVolume: 80, speechSpeed: 1, minimumSeconds: 6, maximumSeconds: 30, speech: true };
