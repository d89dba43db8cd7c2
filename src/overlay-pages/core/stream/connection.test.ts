import { beforeEach, expect, test } from "vitest";
import { type FakeApi, type FakeClock, fakeApi, fakeClock } from "../testing.ts";
import { type Connection, makeConnection } from "./connection.ts";

let api: FakeApi;
let clock: FakeClock;
let connection: Connection;
let seen: string[];

beforeEach(() => {
  api = fakeApi();
  clock = fakeClock();
  seen = [];
  connection = makeConnection({
    openStream: (signal) => api.stream({ player: "p", plays: true, playing: null }, signal),
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
