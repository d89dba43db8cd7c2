import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { expect, test } from "vitest";
import { stallWatch } from "./connections.ts";
import { listen } from "./server.ts";

const get = (path: string, lines = "") => `GET ${path} HTTP/1.1\r\nHost: h\r\n${lines}\r\n`;
const webSocket = "Connection: Upgrade\r\nUpgrade: websocket\r\n";

test.each([
  ["a WebSocket", get("/ws", webSocket)],
  ["a tunnel", "CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n"],
])("a connection that is reset after it asked for %s behind an unanswered request does not end the process", async (_, asking) => {
  const waiting: ServerResponse[] = [];
  const upgrade = { path: "/ws", accept: () => {} };
  const server = await listen(({ url }, response) => (url === "/slow" ? void waiting.push(response) : void response.end("served")), {
    host: "127.0.0.1",
    port: 0,
    upgrade,
  });
  const socket = connect({ port: server.port, host: "127.0.0.1" }).on("error", () => {});
  socket.write(get("/slow") + asking);
  await expect.poll(() => waiting.length).toBe(1);
  const closed = once(waiting[0] as ServerResponse, "close");
  socket.resetAndDestroy();
  await closed; // an error without a listener would be thrown, and fail this run
  expect(await (await fetch(`http://127.0.0.1:${server.port}/`)).text()).toBe("served");
  await server.stop();
});

test.each([
  ["Content-Length: 4\r\n", 400],
  ["Transfer-Encoding: chunked\r\n", 400],
  ["Content-Length: 0\r\n", 101],
])("the body of a request for a WebSocket is never taken for frames: with %j it is answered %i", async (framing, status) => {
  const accept = (_: unknown, socket: { end: (text: string) => void }) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  const server = await listen(() => {}, { host: "127.0.0.1", port: 0, upgrade: { path: "/ws", accept } });
  const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(`${get("/ws", webSocket + framing)}body`);
  expect(await textOf(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  await server.stop();
});

test("a client that ends its side after its requests gets all answers, and then the connection closes", async () => {
  const waiting: ServerResponse[] = [];
  const server = await listen((_, response) => void waiting.push(response), { host: "127.0.0.1", port: 0 });
  const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(get("/a") + get("/b"));
  await expect.poll(() => waiting.map(({ req }) => req.socket.readableEnded)).toEqual([true, true]);
  for (const response of waiting) response.end(`answer to ${response.req.url}`);
  expect((await textOf(socket)).match(/answer to ../g)).toEqual(["answer to /a", "answer to /b"]);
  await server.stop();
});

test("the stream of a client that ends its side is closed", async () => {
  const streams: ServerResponse[] = [];
  const server = await listen((_, response) => void streams.push(response.writeHead(200).flushHeaders() ?? response), {
    host: "127.0.0.1",
    port: 0,
  });
  const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.write(get("/"));
  await once(socket, "data");
  const closed = once(streams[0] as ServerResponse, "close");
  socket.end();
  await closed;
  await server.stop();
});

test("a client that reads nothing is stalled; one that reads a little, or has nothing to read, is not", async () => {
  const isStalled = stallWatch(1_000);
  const handle = { bytesWritten: 100, writeQueueSize: 100 };
  const socket = { writableLength: 0, _handle: handle } as unknown as Socket & { writableLength: number };
  expect([isStalled(socket, 0), isStalled(socket, 9_000)]).toEqual([false, false]);
  Object.assign(socket, { writableLength: 100 });
  expect([isStalled(socket, 10_000), isStalled(socket, 10_999), isStalled(socket, 11_000)]).toEqual([false, false, true]);
  handle.writeQueueSize = 99;
  expect([isStalled(socket, 11_500), isStalled(socket, 12_499), isStalled(socket, 12_500)]).toEqual([false, false, true]);
});
