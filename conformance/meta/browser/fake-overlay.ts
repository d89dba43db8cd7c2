// A fake of the server's overlay operations for tests of the overlay page.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Answers the overlay operations as the test says. All other requests, such as those for the pages, are forwarded to the server
 * under test, so that both have the same origin.
 */
export type FakeOverlay = {
  url: string;
  key: string;
  streams: Stream[];
  /** Sent at the start of each event stream. */
  snapshot: Snapshot;
  /** Acknowledgements `started` and `ended` in order of arrival, with those that were refused. */
  acknowledgements: Acknowledgement[];
  /** Statuses for the next acknowledgements; 0 cuts the connection. */
  failures: { started: number[]; ended: number[] };
  /** Statuses for the next event streams; 0 cuts the connection. */
  refusals: number[];
  /** How late the next requests for the worker's script are answered, in milliseconds, and whether with 503. */
  scripts: { afterMs: number; fails: boolean }[];
  speech: Buffer;
  /** Sends the playback to connected pages, and keeps it in the snapshot until its end is acknowledged. */
  play: (playback: Playback) => void;
  stop: (playbackId: string) => void;
  send: (event: string, data: unknown) => void;
  /** Cuts all event streams. */
  cut: () => void;
  close: () => void;
};

type Stream = { query: URLSearchParams; response: ServerResponse };

type Acknowledgement = { playbackId: string; step: string; player: string; at: number };

type Snapshot = {
  role: string;
  paused: boolean;
  hidden: boolean;
  settings: typeof settings;
  widget: { kind: string; query: string } | null;
  sound: "leader" | "always" | "never";
  playback: Playback | null;
  widgets: unknown;
};
export type Playback = ReturnType<typeof playbackOf>;

const settings = { volume: 80, speechVolume: 80, speechSpeed: 1, minimumSeconds: 2, maximumSeconds: 30, speech: true };

export const noWidgets = {
  asOf: "2026-11-20T12:30:00.000Z",
  goal: null,
  goals: [],
  totals: { today: { amount: 0, count: 0 }, month: { amount: 0, count: 0 }, all: { amount: 0, count: 0 } },
  recent: [],
  top: [],
  topOf: { day: [], week: [], month: [] },
  largest: { day: null, week: null, month: null, all: null },
  timer: null,
};

let playbackCount = 0;

export function playbackOf(changes: object = {}) {
  playbackCount += 1;
  const id = `01932f6e-8a00-7000-8000-${String(playbackCount).padStart(12, "0")}`;
  const donation = { donationId: id.replace("7000", "7001"), donatorName: "สมชาย ใจดี", amount: 100, currency: "THB", message: "สู้ ๆ นะครับ" };
  return {
    id,
    ...donation,
    source: "external",
    speech: null as { id: string; mime: string; durationMs: number | null } | null,
    replay: false,
    variation: null as object | null,
    elapsedMs: null as number | null,
    ...changes,
  };
}

/** Starts the fake in front of the server under test at `pages`. */
export async function startFakeOverlay(pages: string): Promise<FakeOverlay> {
  const server = createServer((request, response) => void answer(fake, pages, request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  const fake: FakeOverlay = {
    url: `http://127.0.0.1:${address.port}`,
    key: "namjai_o1_test",
    streams: [],
    snapshot: {
      role: "player",
      paused: false,
      hidden: false,
      settings: { ...settings },
      widget: null,
      sound: "leader",
      playback: null,
      widgets: noWidgets,
    },
    acknowledgements: [],
    failures: { started: [], ended: [] },
    refusals: [],
    scripts: [],
    speech: tone(1),
    play: (playback) => {
      fake.snapshot.playback = playback;
      fake.send("playback", playback);
    },
    stop: (playbackId) => {
      fake.snapshot.playback = null;
      fake.send("stop", { playbackId });
    },
    send: (event, data) => {
      for (const { response } of fake.streams) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    cut: () => {
      for (const { response } of fake.streams.splice(0)) response.destroy();
    },
    close: () => server.close().closeAllConnections(),
  };
  return fake;
}

async function answer(fake: FakeOverlay, pages: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", fake.url);
  if (url.pathname === "/overlay/worker.js") {
    const { afterMs, fails } = fake.scripts.shift() ?? { afterMs: 0, fails: false };
    await sleep(afterMs);
    if (fails) return void response.writeHead(503).end();
  }
  if (!url.pathname.startsWith("/api/v1/overlay/")) return forwardToServer(pages, url, response);
  if (request.headers.authorization !== `Bearer ${fake.key}`) return void response.writeHead(401).end();
  const [, playbackId, step] = /\/playbacks\/([^/]+)\/(started|ended)$/.exec(url.pathname) ?? [];
  if (playbackId && (step === "started" || step === "ended")) return acknowledge(fake, { playbackId, step }, request, response);
  if (url.pathname.startsWith("/api/v1/overlay/speech/"))
    return void response.writeHead(200, { "Content-Type": "audio/wav" }).end(fake.speech);
  openStream(fake, url.searchParams, response);
}

function openStream(fake: FakeOverlay, query: URLSearchParams, response: ServerResponse): void {
  const refusal = fake.refusals.shift();
  if (refusal === 0) return void response.destroy();
  if (refusal) return void response.writeHead(refusal).end();
  const stream = { query, response };
  fake.streams.push(stream);
  response.on("close", () => {
    fake.streams = fake.streams.filter((other) => other !== stream);
  });
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const plays = query.get("plays") === "true";
  const mine = plays ? fake.snapshot : { ...fake.snapshot, role: "listener", playback: null };
  response.write(`: hello\n\nevent: snapshot\ndata: ${JSON.stringify(mine)}\n\n`);
}

async function acknowledge(
  fake: FakeOverlay,
  { playbackId, step }: { playbackId: string; step: "started" | "ended" },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { player } = (await json(request)) as { player: string };
  fake.acknowledgements.push({ playbackId, step, player, at: Date.now() });
  const failure = fake.failures[step].shift();
  if (failure === 0) return void response.destroy();
  if (!failure && step === "ended" && fake.snapshot.playback?.id === playbackId) fake.snapshot.playback = null;
  const status = step === "ended" ? "shown" : "playing";
  response.writeHead(failure ?? 200, { "Content-Type": "application/json" }).end(JSON.stringify({ data: { id: playbackId, status } }));
}

async function forwardToServer(pages: string, { pathname, search }: URL, response: ServerResponse): Promise<void> {
  const reply = await fetch(pages + pathname + search, { redirect: "manual" });
  const headers = [...reply.headers].filter(
    ([name]) => !["connection", "content-encoding", "content-length", "transfer-encoding", "keep-alive"].includes(name),
  );
  response.writeHead(reply.status, Object.fromEntries(headers)).end(Buffer.from(await reply.arrayBuffer()));
}

/** Returns a WAV file with a quiet tone. */
export function tone(seconds: number): Buffer {
  const rate = 8_000;
  const data = Buffer.alloc(rate * seconds, 128).map((_, index) => 128 + 20 * Math.sin((index * 2 * Math.PI * 440) / rate));
  const header = Buffer.alloc(44);
  header.write("RIFF    WAVEfmt ");
  header.writeUInt32LE(36 + data.length, 4);
  for (const [at, value] of [
    [16, 16],
    [20, 0x10001],
    [24, rate],
    [28, rate],
    [32, 0x80001],
  ] as const)
    header.writeUInt32LE(value, at);
  header.write("data", 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}
