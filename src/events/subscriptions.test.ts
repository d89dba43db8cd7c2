import { once } from "node:events";
import { connect } from "node:net";
import { pipeline } from "node:stream";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../http/server/server.ts";
import { maxSubscriptions, type Subscription, toServerSentEvents } from "./subscriptions.ts";
import { openTestSubscriptions, principal, request } from "./testing.ts";

/** Reads a subscription to its end. */
async function readAll({ pages }: Subscription): Promise<number> {
  let events = 0;
  for await (const page of pages) events += page.events.length;
  return events;
}

test("a subscription that gets events all the time ends when its credential expires", async () => {
  const { subscriptions, state, happen } = openTestSubscriptions();
  const reading = readAll(subscriptions.open({ ...request, keepaliveMs: 1_500 }));
  const busy = setInterval(happen, 50);
  onTestFinished(() => clearInterval(busy));
  await pause(100);
  state.isGood = false;
  expect(await reading).toBeGreaterThan(0);
});

test("a credential that was revoked while its subscription was being opened ends it, though nobody is told of a revocation", async () => {
  const { subscriptions, state } = openTestSubscriptions();
  state.isGood = false;
  await readAll(subscriptions.open(request));
  expect(subscriptions.count()).toBe(0);
});

test("a stream whose client reads nothing is closed when its credential is revoked", async () => {
  const { subscriptions, state, happen } = openTestSubscriptions();
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
  const { subscriptions } = openTestSubscriptions();
  const stream = toServerSentEvents(subscriptions.open(request));
  await once(stream, "readable");
  stream.read();
  await pause(50); // it waits for an event now
  stream.destroy();
  await pause(50);
  expect([stream.closed, subscriptions.count()]).toEqual([true, 0]);
});

test("a streamer has at most a hundred subscriptions, and one more when one has ended", () => {
  const { subscriptions } = openTestSubscriptions();
  const all = Array.from({ length: maxSubscriptions }, () => subscriptions.open(request));
  expect(() => subscriptions.open(request)).toThrow(
    expect.objectContaining({ code: "rate_limited", extras: { headers: { "Retry-After": "15" } } }),
  );
  subscriptions.open({ ...request, principal: { ...principal, streamerId: "another" } });
  all[0]?.close();
  subscriptions.open(request);
});

test("a subscription ends when the log ends before its position, as after a restore", async () => {
  const { subscriptions, state, happen } = openTestSubscriptions();
  happen(3);
  const reading = readAll(subscriptions.open({ ...request, after: 3 }));
  state.end = 1;
  happen(0);
  expect(await reading).toBe(0);
});

/** Serves streams of 3,000 events of 10 kB each, which are more than the system keeps for a connection. */
async function serve() {
  const { subscriptions, state, happen } = openTestSubscriptions();
  state.text = "x".repeat(10_000);
  happen(3_000);
  const server = await listen(
    ({ headers }, response) => {
      const after = Number(headers["last-event-id"] ?? 0);
      pipeline(toServerSentEvents(subscriptions.open({ ...request, after })), response, () => {});
    },
    { host: "127.0.0.1", port: 0, stalledMs: 300 },
  );
  onTestFinished(server.stop);
  return { port: server.port, count: subscriptions.count };
}

/** A client of HTTP/1.0, whose answer has no chunks, so that its text is that of the stream. */
function follow(port: number, after = 0) {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("error", () => {}).on("data", (chunk) => (text += String(chunk)));
  socket.write(`GET / HTTP/1.0\r\nHost: h\r\nLast-Event-ID: ${after}\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return {
    socket,
    closed: new Promise((resolve) => socket.once("close", resolve)),
    /** The ids of events that came whole. */
    ids: () => [...text.matchAll(/id: (\d+)\nevent: .*\ndata: .*\n\n/g)].map(([, id]) => Number(id)),
  };
}

const patient = { timeout: 60_000 };

test("a client that takes nothing of its stream is cut, and goes on after the last id that it got", async () => {
  const { port, count } = await serve();
  const { socket, closed, ids } = follow(port);
  await expect.poll(() => ids().length, patient).toBeGreaterThan(0);
  socket.pause();
  await expect.poll(count, patient).toBe(0);
  socket.resume();
  await closed;
  const got = ids();
  expect(got).toEqual(Array.from({ length: got.length }, (_, index) => index + 1));
  expect(got.length).toBeLessThan(3_000);
  const again = follow(port, got.length);
  await expect.poll(() => again.ids()[0], patient).toBe(got.length + 1);
});

test("subscriptions that read a long log make two pages in a turn of the event loop, all together", async () => {
  const { subscriptions, happen } = openTestSubscriptions();
  happen(1_000);
  const all = Array.from({ length: 50 }, () => subscriptions.open(request));
  let pages = 0;
  const reading = all.map(async (subscription) => {
    for await (const { events } of subscription.pages) {
      if (events.length > 0) pages += 1;
      if (events.at(-1)?.cursor === "1000") return;
    }
  });
  for (let before = 0; pages < 500; before = pages) {
    await nextTurn();
    expect(pages - before).toBeLessThanOrEqual(4); // the test's own turn may begin before that of the pages or after it
  }
  await Promise.all(reading);
});
