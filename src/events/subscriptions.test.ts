import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { maxSubscriptions, type Subscription, toServerSentEvents } from "./subscriptions.ts";
import { openTestSubscriptions as open, principal, request } from "./testing-subscriptions.ts";

/** Reads a subscription to its end. */
async function readAll({ pages }: Subscription): Promise<number> {
  let events = 0;
  for await (const page of pages) events += page.events.length;
  return events;
}

test("a subscription that gets events all the time ends when its credential expires", async () => {
  const { subscriptions, state, happen } = open();
  const reading = readAll(subscriptions.open({ ...request, keepaliveMs: 1_500 }));
  const busy = setInterval(happen, 50);
  onTestFinished(() => clearInterval(busy));
  await pause(100);
  state.isGood = false;
  expect(await reading).toBeGreaterThan(0);
});

test("a credential that was revoked while its subscription was being opened ends it, though nobody is told of a revocation", async () => {
  const { subscriptions, state } = open();
  state.isGood = false;
  await readAll(subscriptions.open(request));
  expect(subscriptions.count()).toBe(0);
});

test("a stream whose client reads nothing is closed when its credential is revoked", async () => {
  const { subscriptions, state, happen } = open();
  const stream = toServerSentEvents(subscriptions.open(request));
  const closed = new Promise((resolve) => stream.once("close", resolve));
  state.text = "x".repeat(10_000);
  happen(1_000);
  stream.once("readable", () => {}); // begins to read, and takes nothing
  await pause(100);
  state.isGood = false;
  await subscriptions.closeRevoked();
  await closed;
  expect(subscriptions.count()).toBe(0);
});

test("a stream whose client has gone gives its place back at once, however quiet the streamer is", async () => {
  const { subscriptions } = open();
  const stream = toServerSentEvents(subscriptions.open(request));
  await once(stream, "readable");
  stream.read();
  await pause(50); // it waits for an event now
  stream.destroy();
  await pause(50);
  expect([stream.closed, subscriptions.count()]).toEqual([true, 0]);
});

test("a streamer has at most a hundred subscriptions, and one more when one has ended", () => {
  const { subscriptions } = open();
  const all = Array.from({ length: maxSubscriptions }, () => subscriptions.open(request));
  expect(() => subscriptions.open(request)).toThrow(
    expect.objectContaining({ code: "rate_limited", extras: { headers: { "Retry-After": "15" } } }),
  );
  subscriptions.open({ ...request, principal: { ...principal, streamerId: "another" } });
  all[0]?.close();
  subscriptions.open(request);
});

test("a subscription ends when the log ends before its position, as after a restore", async () => {
  const { subscriptions, state, happen } = open();
  happen(3);
  const reading = readAll(subscriptions.open({ ...request, after: 3 }));
  state.end = 1;
  happen(0);
  expect(await reading).toBe(0);
});
