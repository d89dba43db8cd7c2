import { expect, test } from "vitest";
import { type Connection, mostUnread, openConnection, type Visitor } from "./connection.ts";

const visitor: Visitor = { keyId: "k", streamerId: "s", playerId: "p", plays: true, playing: null };

function open() {
  const closed: Connection[] = [];
  const connection = openConnection(visitor, (one) => closed.push(one));
  return { connection, closed };
}

test("an event is its name and one line of JSON, whatever the text holds", () => {
  const { connection } = open();
  connection.send({ event: "stop", data: { playbackId: 'a\n\r\u2028"\nevent: x' } });
  connection.beat();
  const text = String(connection.stream.read());
  expect(text).toBe(`event: stop\ndata: ${JSON.stringify({ playbackId: 'a\n\r\u2028"\nevent: x' })}\n\n:\n\n`);
});

test("a reader that leaves too much unread is cut off, once", async () => {
  const { connection, closed } = open();
  const data = { playbackId: "x".repeat(10_000) };
  for (let sent = 0; sent <= mostUnread; sent += 10_000) connection.send({ event: "stop", data });
  await expect.poll(() => closed).toEqual([connection]);
  expect(connection.stream.destroyed).toBe(true);
  connection.send({ event: "stop", data });
  connection.beat();
  connection.end();
  expect(closed).toHaveLength(1);
});

test("a reader that keeps up is not, however much it reads", () => {
  const { connection, closed } = open();
  const data = { playbackId: "x".repeat(10_000) };
  for (let sent = 0; sent <= 4 * mostUnread; sent += 10_000) {
    connection.send({ event: "stop", data });
    connection.stream.read();
  }
  expect([connection.stream.destroyed, closed]).toEqual([false, []]);
});

test("what was sent before the end arrives", async () => {
  const { connection } = open();
  connection.send({ event: "stop", data: { playbackId: "last" } });
  connection.end();
  connection.send({ event: "stop", data: { playbackId: "too late" } });
  connection.end();
  const chunks = [];
  for await (const chunk of connection.stream) chunks.push(String(chunk));
  expect(chunks.join("")).toBe('event: stop\ndata: {"playbackId":"last"}\n\n');
});
