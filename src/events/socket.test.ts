import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { silent } from "../db/testing.ts";
import { loadContract } from "../http/contract/contract.ts";
import { Problem } from "../http/problem.ts";
import { listen, type Upgrade } from "../http/server/server.ts";
import { type EventSockets, openSockets, socketPath } from "./socket.ts";
import type { SubscriptionPage } from "./subscriptions.ts";
import { openTestSubscriptions, principal, request } from "./testing.ts";

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
  const accept: Upgrade["accept"] = (...asked) => sockets.accept(...asked, "127.0.0.1");
  return listen(() => {}, { host: "127.0.0.1", port: 0, stalledMs: 3_600_000, upgrade: { path: socketPath, accept } });
}

// What one connection may make the server parse at once: frames as a client of its own making sends them.

const upgrade = [
  ...[`GET ${socketPath} HTTP/1.1`, "Host: h", "Connection: Upgrade", "Upgrade: websocket"],
  ...["Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}`, "", ""],
].join("\r\n");

/** Frames of a client, masked with zeros (RFC 6455 5.2). */
const frames = {
  emptyPing: Buffer.from([0x89, 0x80, 0, 0, 0, 0]),
  textThatGoesOn: Buffer.from([0x01, 0x80, 0, 0, 0, 0]),
  emptyContinuation: Buffer.from([0x00, 0x80, 0, 0, 0, 0]),
  ping: Buffer.from([0x89, 0x81, 0, 0, 0, 0, 0x2e]),
};
const pong = Buffer.from([0x8a, 1, 0x2e]).toString("latin1");
const closedBy = (code: number) => Buffer.from([0x03, code - 0x300]).toString("latin1");

const repeated = (frame: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => frame));

/** A connection that was upgraded, and the text of what it receives. */
async function openConnection() {
  const sockets = openSockets({
    contract,
    log: silent,
    authenticate: async () => principal,
    redeem: async () => "",
    follow: () => new Promise(() => {}),
  });
  const server = await listenFor(sockets);
  const client = connect(server.port, "127.0.0.1");
  onTestFinished(async () => {
    client.destroy();
    await server.stop();
  });
  client.write(upgrade);
  await once(client, "data");
  let text = "";
  client.on("data", (bytes) => (text += bytes.toString("latin1")));
  return { client, received: (part: string) => vi.waitUntil(() => text.includes(part), { timeout: 60_000 }) };
}

test("frames that arrive at once are taken one in a turn of the event loop: others have theirs in between", async () => {
  const { client, received } = await openConnection();
  let turns = 0;
  const countTurns = () => {
    turns += 1;
    if (!client.destroyed) setImmediate(countTurns);
  };
  countTurns();
  const before = turns;
  client.write(Buffer.concat([repeated(frames.emptyPing, 2_000), frames.ping]));
  await received(pong);
  expect(turns - before).toBeGreaterThan(2_000);
});

test("a message of more fragments than a client has reason to send is refused with 1008", async () => {
  const { client, received } = await openConnection();
  client.write(Buffer.concat([frames.textThatGoesOn, repeated(frames.emptyContinuation, 100)]));
  await received(closedBy(1008));
});
