import { beforeEach, expect, test } from "vitest";
import { type Connection, makeConnection } from "./connection.ts";
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
    ask: (signal) => api.stream({ player: "p", plays: true, playing: null }, signal),
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
  while (api.refusals.length === left && api.streams.length + api.refusals.length === before) await clock.pass(50);
  return clock.now() - from;
}

test("waits longer after each failure, 15 s at most, and begins anew after a healthy time", async () => {
  api.refusals = [503, 0, 500, 404, 503, 503, 503];
  connection.restart();
  const waits: number[] = [];
  await clock.pass(0);
  while (api.refusals.length > 0) waits.push(await nextAttempt());
  waits.push(await nextAttempt());
  expect(waits).toEqual([300, 600, 1_200, 2_400, 4_800, 9_600, 15_000]);
  await clock.pass(10_000);
  await api.streams[0]?.end();
  expect(await nextAttempt()).toBe(300);
});

test("a connection that ends at once is no healthy one", async () => {
  connection.restart();
  const waits: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    await clock.pass(0);
    await api.streams.at(-1)?.end();
    waits.push(await nextAttempt());
  }
  expect(waits).toEqual([300, 600, 1_200]);
});

test("Retry-After is waited for", async () => {
  let asked = 0;
  const patient = makeConnection({
    ask: async () => {
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
  await clock.pass(6_900);
  expect(asked).toBe(1);
  await clock.pass(200);
  expect(asked).toBe(2);
  patient.close();
});

test("a stream that is silent for 40 s is given up; heartbeats keep it", async () => {
  connection.restart();
  await clock.pass(0);
  for (let count = 0; count < 10; count += 1) {
    await clock.pass(15_000);
    await api.streams[0]?.write(new TextEncoder().encode(": \n"));
  }
  expect(seen).toEqual([]);
  await clock.pass(39_900);
  expect(seen).toEqual([]);
  await clock.pass(500);
  expect(seen).toEqual(["lost"]);
  expect(api.streams.map(({ closed }) => closed)).toEqual([true, false]);
});

test("a server that does not answer is given up after 15 s", async () => {
  let asked = 0;
  const patient = makeConnection({
    ask: () => {
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
  await clock.pass(15_200);
  expect(asked).toBe(2);
  patient.close();
});

test("401 ends it for good", async () => {
  api.refusals = [401];
  connection.restart();
  await clock.pass(600_000);
  expect(seen).toEqual(["refused"]);
  expect(api.streams).toEqual([]);
});

test("after close nothing is heard and nothing is tried", async () => {
  connection.restart();
  await clock.pass(0);
  await api.streams[0]?.send("a", 1);
  connection.close();
  await api.streams[0]?.send("b", 1);
  await clock.pass(60_000);
  expect(seen).toEqual(["a"]);
  expect(api.streams.length).toBe(1);
});

test("restart leaves what is under way", async () => {
  connection.restart(30);
  connection.restart(30);
  await clock.pass(30);
  connection.restart();
  await clock.pass(60_000 - 30_000);
  expect(api.streams.map(({ closed }) => closed)).toEqual([true, false]);
});
