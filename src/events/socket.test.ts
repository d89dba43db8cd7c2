import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { silent } from "../db/testing.ts";
import { loadContract } from "../http/contract/contract.ts";
import { makeLimits, noLimits } from "../http/rate-limits/rate-limits.ts";
import { memoryBuckets } from "../http/rate-limits/token-bucket.ts";
import { listen } from "../http/server/server.ts";
import { type EventSockets, openSockets, socketPath } from "./socket.ts";
import type { SubscriptionPage } from "./subscriptions.ts";
import { openTestSubscriptions, principal, request } from "./testing-subscriptions.ts";

const contract = await loadContract();

/** A client of a server that waits `slowReader` and `closing` milliseconds for it. It reads no more after its first event. */
async function openSlowReader(times: { slowReader: number; closing: number }) {
  const { subscriptions, state, happen } = openTestSubscriptions();
  state.text = "x".repeat(10_000);
  happen(3_000); // 30 MB: more than the system keeps for a connection
  const given = { isUp: false };
  const sockets = openSockets({
    contract,
    log: silent,
    authenticate: async () => principal,
    redeem: async () => null,
    limits: noLimits,
    follow: async () => {
      const subscription = subscriptions.open(request);
      return { ...subscription, pages: noting(subscription.pages, () => (given.isUp = true)) };
    },
    times: { firstMessage: 60_000, ...times },
  });
  const server = await listenFor(sockets);
  const client = new WebSocket(`ws://127.0.0.1:${server.port}${socketPath}`);
  const cursors: number[] = [];
  client.on("open", () => client.send(JSON.stringify({ token: "any" })));
  client.on("message", (data) => {
    const { event, cursor } = JSON.parse(String(data));
    if (!event) return;
    if (cursors.push(Number(cursor)) === 1) client.pause();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    client.on("close", (code, reason) => resolve({ code, reason: String(reason) })),
  );
  onTestFinished(async () => {
    client.terminate();
    sockets.leave();
    await server.stop();
  });
  return { client, cursors, closed, isGivenUp: () => given.isUp, count: subscriptions.count };
}

/** Calls `onEnd` when nobody reads the pages any more. */
async function* noting(pages: AsyncIterable<SubscriptionPage>, onEnd: () => void): AsyncGenerator<SubscriptionPage> {
  try {
    yield* pages;
  } finally {
    onEnd();
  }
}

const patient = { timeout: 60_000 };

test("a reader that is too slow is closed with 1013 and the cursor of what it was sent last, and misses nothing before it", async () => {
  const { client, cursors, closed, isGivenUp } = await openSlowReader({ slowReader: 300, closing: 60_000 });
  await expect.poll(isGivenUp, patient).toBe(true);
  client.resume();
  const { code, reason } = await closed;
  expect([code, Number(reason)]).toEqual([1013, cursors.at(-1)]);
  expect(cursors).toEqual(Array.from({ length: Number(reason) }, (_, index) => index + 1));
  expect(cursors.length).toBeLessThan(3_000);
});

test("a reader that takes nothing any more is cut, and its subscription ends", async () => {
  const { count } = await openSlowReader({ slowReader: 300, closing: 300 });
  await expect.poll(count, patient).toBe(1);
  await expect.poll(count, patient).toBe(0);
});

test("unknown tickets count as failures of their address, and are not looked up beyond its limit: rate_limited", async () => {
  const failed = { name: "failed", quota: 3, window: 60, burst: 3 };
  const lookedUp: string[] = [];
  const sockets = openSockets({
    contract,
    log: silent,
    authenticate: async () => principal,
    redeem: async (ticket) => {
      lookedUp.push(ticket);
      return null;
    },
    limits: makeLimits([failed], memoryBuckets()),
    follow: () => Promise.reject(new Error("nobody has a ticket")),
  });
  const server = await listenFor(sockets);
  onTestFinished(() => server.stop());
  const answerTo = (ticket: string) => {
    const client = new WebSocket(`ws://127.0.0.1:${server.port}${socketPath}?ticket=${ticket}`);
    return new Promise<string>((resolve) => client.on("close", (_, reason) => resolve(String(reason))));
  };
  for (const ticket of ["a", "b", "c"]) expect(await answerTo(ticket)).toBe("invalid_token");
  expect(await answerTo("d")).toBe("rate_limited");
  expect(lookedUp).toEqual(["a", "b", "c"]);
  expect(await answerTo("t".repeat(43))).toBe("invalid_token");
});

function listenFor(sockets: EventSockets) {
  const accept: EventSockets["accept"] = (asked, socket, head) => sockets.accept(asked, socket, head, "127.0.0.1");
  const upgrade = { path: socketPath, accept: accept as never };
  return listen(() => {}, { host: "127.0.0.1", port: 0, stalledMs: 3_600_000, upgrade });
}
