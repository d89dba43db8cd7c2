// What one connection may make the server parse at once: frames as a client of its own making sends them.

import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { silent } from "../db/testing.ts";
import { loadContract } from "../http/contract/contract.ts";
import { listen, type Upgrade } from "../http/server/server.ts";
import { openSockets, socketPath } from "./socket.ts";
import { principal } from "./testing-subscriptions.ts";

const contract = await loadContract();
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
  const accept: Upgrade["accept"] = (...asked) => sockets.accept(...asked, "127.0.0.1");
  const server = await listen(() => {}, { host: "127.0.0.1", port: 0, upgrade: { path: socketPath, accept } });
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
