import { expect, test } from "vitest";
import { type Connection, maxUnreadBytes, openConnection, type StreamRequest } from "./connection.ts";

const visitor: StreamRequest = { keyId: "k", streamerId: "s", playerId: "p", plays: true, playing: null, isInObs: false, isActive: true };

function open() {
  const closed: Connection[] = [];
  const connection = openConnection(visitor, (one) => closed.push(one));
  return { connection, closed };
}

test("an event is sent as its name and one line of JSON, even if its texts contain line breaks", () => {
  const { connection } = open();
  connection.send({ event: "stop", data: { playbackId: 'a\n\r\u2028\u0085"\nevent: x' } });
  connection.sendHeartbeat();
  const text = String(connection.stream.read());
  expect(text).toBe('event: stop\ndata: {"playbackId":"a\\n\\r\\u2028\\u0085\\"\\nevent: x"}\n\n:\n\n');
});

test("a client that leaves too much unread is disconnected, and onClose is called once", async () => {
  const { connection, closed } = open();
  const data = { playbackId: "x".repeat(10_000) };
  for (let sent = 0; sent <= maxUnreadBytes; sent += 10_000) connection.send({ event: "stop", data });
  await expect.poll(() => closed).toEqual([connection]);
  expect(connection.stream.destroyed).toBe(true);
  connection.send({ event: "stop", data });
  connection.sendHeartbeat();
  connection.end();
  expect(closed).toHaveLength(1);
});

test("a client that reads everything stays connected, however much is sent", () => {
  const { connection, closed } = open();
  const data = { playbackId: "x".repeat(10_000) };
  for (let sent = 0; sent <= 4 * maxUnreadBytes; sent += 10_000) {
    connection.send({ event: "stop", data });
    connection.stream.read();
  }
  expect([connection.stream.destroyed, closed]).toEqual([false, []]);
});

test("everything that was sent before the end of the stream arrives, and nothing after it", async () => {
  const { connection } = open();
  connection.send({ event: "stop", data: { playbackId: "last" } });
  connection.end();
  connection.send({ event: "stop", data: { playbackId: "too late" } });
  connection.end();
  const chunks = [];
  for await (const chunk of connection.stream) chunks.push(String(chunk));
  expect(chunks.join("")).toBe('event: stop\ndata: {"playbackId":"last"}\n\n');
});
