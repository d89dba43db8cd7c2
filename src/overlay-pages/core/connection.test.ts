import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { type Connection, makeConnection, type ServerEvent, sseReader } from "./connection.ts";
import { type FakeApi, type FakeClock, fakeApi, fakeClock } from "./testing.ts";

let api: FakeApi;
let clock: FakeClock;
let connection: Connection;
let seen: string[];

beforeEach(() => {
  api = fakeApi();
  clock = fakeClock();
  seen = [];
  connection = makeConnection({
    openStream: (signal) => api.stream({ player: "p", plays: true, playing: null, isInObs: false, isActive: true }, signal),
    clock,
    random: () => 1,
    onEvent: ({ event }) => seen.push(event),
    onLost: () => seen.push("lost"),
    onRefused: () => seen.push("refused"),
  });
});

/** Milliseconds until the next attempt. */
async function nextAttempt(): Promise<number> {
  const [before, from] = [api.streams.length + api.refusals.length, clock.now()];
  const left = api.refusals.length;
  while (api.refusals.length === left && api.streams.length + api.refusals.length === before) await clock.advance(50);
  return clock.now() - from;
}

test("the delay before the next connection grows with each failure to at most 15 s, and is reset by a connection of 10 s", async () => {
  api.refusals = [503, 0, 500, 404, 503, 503, 503];
  connection.restart();
  const waits: number[] = [];
  await clock.advance(0);
  while (api.refusals.length > 0) waits.push(await nextAttempt());
  waits.push(await nextAttempt());
  expect(waits).toEqual([300, 600, 1_200, 2_400, 4_800, 9_600, 15_000]);
  await clock.advance(10_000);
  await api.streams[0]?.end();
  expect(await nextAttempt()).toBe(300);
});

test("a connection that ends at once does not reset the delay", async () => {
  connection.restart();
  const waits: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    await clock.advance(0);
    await api.streams.at(-1)?.end();
    waits.push(await nextAttempt());
  }
  expect(waits).toEqual([300, 600, 1_200]);
});

test("the next connection waits for Retry-After", async () => {
  let asked = 0;
  const patient = makeConnection({
    openStream: async () => {
      asked += 1;
      return { status: 429, retryAfter: 7, read: async () => null };
    },
    clock,
    random: () => 0,
    onEvent: () => {},
    onLost: () => {},
    onRefused: () => {},
  });
  patient.restart();
  await clock.advance(6_900);
  expect(asked).toBe(1);
  await clock.advance(200);
  expect(asked).toBe(2);
  patient.close();
});

test("a stream that is silent for 40 s is closed, and heartbeats prevent that", async () => {
  connection.restart();
  await clock.advance(0);
  for (let count = 0; count < 10; count += 1) {
    await clock.advance(15_000);
    await api.streams[0]?.write(new TextEncoder().encode(": \n"));
  }
  expect(seen).toEqual([]);
  await clock.advance(39_900);
  expect(seen).toEqual([]);
  await clock.advance(500);
  expect(seen).toEqual(["lost"]);
  expect(api.streams.map(({ closed }) => closed)).toEqual([true, false]);
});

test("a request without a response is aborted after 15 s", async () => {
  let asked = 0;
  const patient = makeConnection({
    openStream: () => {
      asked += 1;
      return new Promise(() => {});
    },
    clock,
    random: () => 0,
    onEvent: () => {},
    onLost: () => {},
    onRefused: () => {},
  });
  patient.restart();
  await clock.advance(15_200);
  expect(asked).toBe(2);
  patient.close();
});

test("401 ends all attempts", async () => {
  api.refusals = [401];
  connection.restart();
  await clock.advance(600_000);
  expect(seen).toEqual(["refused"]);
  expect(api.streams).toEqual([]);
});

test("after close there are no events and no attempts", async () => {
  connection.restart();
  await clock.advance(0);
  await api.streams[0]?.send("a", 1);
  connection.close();
  await api.streams[0]?.send("b", 1);
  await clock.advance(60_000);
  expect(seen).toEqual(["a"]);
  expect(api.streams.length).toBe(1);
});

test("restart aborts the current connection", async () => {
  connection.restart(30);
  connection.restart(30);
  await clock.advance(30);
  connection.restart();
  await clock.advance(60_000 - 30_000);
  expect(api.streams.map(({ closed }) => closed)).toEqual([true, false]);
});

const bytes = (text: string) => new TextEncoder().encode(text);

function read(...chunks: Uint8Array[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const feed = sseReader((event) => events.push(event));
  for (const chunk of chunks) feed(chunk);
  return events;
}

test.each([
  ["an event with its data", "event: stop\ndata: 1\n\n", [{ event: "stop", data: "1" }]],
  ["data of several lines", "data: a\ndata:b\ndata:  c\n\n", [{ event: "message", data: "a\nb\n c" }]],
  [
    "CRLF",
    "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n",
    [
      { event: "a", data: "1" },
      { event: "message", data: "2" },
    ],
  ],
  [
    "CR",
    "data: 1\r\rdata: 2\r\r\n",
    [
      { event: "message", data: "1" },
      { event: "message", data: "2" },
    ],
  ],
  ["comments", ": heartbeat\n\n:\ndata: 1\n: in the middle\n\n", [{ event: "message", data: "1" }]],
  ["unknown fields, id and retry", "id: 7\nretry: 1\nfoo: x\nbar\ndata: 1\n\n", [{ event: "message", data: "1" }]],
  ["a name without data, which is no event", "event: a\n\ndata: 1\n\n", [{ event: "message", data: "1" }]],
  ["empty data", "data\n\n", [{ event: "message", data: "" }]],
  ["colons in data", 'data: {"a":"b: c"}\n\n', [{ event: "message", data: '{"a":"b: c"}' }]],
  ["a byte order mark", "\uFEFFdata: 1\n\n", [{ event: "message", data: "1" }]],
  ["an event that is not complete", "data: 1\n\ndata: 2\n", [{ event: "message", data: "1" }]],
])("an event stream is read correctly: %s", (_title, text, events) => {
  expect(read(bytes(text))).toEqual(events);
});

test("events do not depend on how the network splits the stream into chunks", () => {
  const text = "event: playback\r\ndata: น้ำใจ 🐱 กุ้ง\r\n\r\n: x\n\ndata: a\rdata: b\r\rdata: c\n\n";
  const whole = read(bytes(`${text}\n`));
  expect(whole.length).toBe(3);
  const all = bytes(`${text}\n`);
  fc.assert(
    fc.property(fc.array(fc.nat(all.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), all.length];
      const chunks = places.slice(1).map((end, index) => all.slice(places[index], end));
      expect(read(...chunks)).toEqual(whole);
    }),
  );
});

test("an event that is too long throws", () => {
  const feed = sseReader(() => {});
  const mebibyte = bytes("x".repeat(1024 * 1024));
  expect(() => {
    for (let count = 0; count < 6; count += 1) feed(mebibyte);
  }).toThrow("too long");
});
