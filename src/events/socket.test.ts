import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { silent } from "../db/testing.ts";
import { loadContract } from "../http/contract/contract.ts";
import { Problem } from "../http/problem.ts";
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
    redeem: async () => "",
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

test("the header Authorization opens a WebSocket without a message, and its query is read as that of the stream", async () => {
  const asked: unknown[] = [];
  const sockets = openSockets({
    contract,
    log: silent,
    authenticate: async (authorization) => {
      asked.push(authorization);
      return principal;
    },
    redeem: async () => "",
    follow: async (_, authorization, query) => {
      asked.push(authorization, query);
      throw new Problem("unavailable", "no");
    },
  });
  const server = await listenFor(sockets);
  onTestFinished(() => server.stop());
  const closeReason = (query: string, authorization: string) => {
    const client = new WebSocket(`ws://127.0.0.1:${server.port}${socketPath}${query}`, { headers: { Authorization: authorization } });
    return new Promise<string>((resolve) => client.on("close", (_, reason) => resolve(String(reason))));
  };
  expect(await closeReason("?after=latest&types=goal.reached", "Bearer abc")).toBe("unavailable");
  expect(asked).toEqual(["Bearer abc", "Bearer abc", expect.objectContaining({ after: "latest", types: ["goal.reached"] })]);
  expect(await closeReason("?ticket=x", "Bearer abc")).toBe("validation_failed");
  expect(await closeReason("?after=latest", "Basic eDp5")).toBe("validation_failed");
});

function listenFor(sockets: EventSockets) {
  const accept: EventSockets["accept"] = (asked, socket, head) => sockets.accept(asked, socket, head, "127.0.0.1");
  const upgrade = { path: socketPath, accept: accept as never };
  return listen(() => {}, { host: "127.0.0.1", port: 0, stalledMs: 3_600_000, upgrade });
}
