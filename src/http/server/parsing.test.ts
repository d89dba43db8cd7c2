import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listen, type RunningServer } from "./server.ts";

let server: RunningServer | null = null;
afterEach(() => server?.stop());

const chunks = (count: number, piece: string) => `${piece.length.toString(16)}\r\n${piece}\r\n`.repeat(count);
const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n`;
const ignore = () => {};
type Turn = { connections: number; bytes: number };

/**
 * Answers with the length of the body. Notes for each turn of the event loop how many connections went on with a body, had a read after their
 * first, and how many bytes these brought.
 */
async function serve(): Promise<{ turns: Turn[]; bytes: () => number }> {
  const read = new Map<Socket, number>();
  const counted = { turns: [] as Turn[], bytes: () => [...read.values()].reduce((all, count) => all + count, 0) };
  let isOver = false;
  const endTurn = () => {
    const going = [...read].filter(([socket, before]) => socket.bytesRead > before);
    const bytes = going.reduce((sum, [socket, before]) => sum + socket.bytesRead - before, 0);
    for (const [socket] of going) read.set(socket, socket.bytesRead);
    if (going.length > 0) counted.turns.push({ connections: going.length, bytes });
    if (!isOver) setImmediate(endTurn);
  };
  endTurn();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    let bytes = 0;
    if (!read.has(request.socket)) read.set(request.socket, request.socket.bytesRead);
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => response.end(String(bytes)));
  };
  server = await listen(listener, { host: "127.0.0.1", port: 0 });
  const { stop } = server;
  server = { ...server, stop: () => stop().finally(() => (isOver = true)) };
  return counted;
}

/** Sends the bytes on a connection of its own, and resolves to the bodies of the answers. */
async function send(bytes: string, answers = 1): Promise<string[]> {
  const socket = connect({ port: server?.port ?? 0, host: "127.0.0.1" });
  socket.write(bytes);
  let received = "";
  socket.on("data", (part) => {
    received += part;
    if ([...received.matchAll(/\r\n\r\n\d+/g)].length === answers) socket.end();
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return [...received.matchAll(/\r\n\r\n(\d+)/g)].map(([, body]) => body ?? "");
}

test("bodies of chunks of a byte each, on many connections, have one read in a turn of the event loop, and arrive whole", async () => {
  const counted = await serve();
  const body = `${chunks(30_000, "x")}0\r\n\r\n`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(head("/") + body)));
  expect(answers.flat()).toEqual(Array.from({ length: 8 }, () => "30000"));
  expect(Math.max(...counted.turns.map(({ connections }) => connections))).toBeLessThanOrEqual(3); // of eight: one goes on, beside those whose bodies begin
});

test("chunks that arrive at once on connections that were waiting for more have one read in a turn of the event loop", async () => {
  const counted = await serve();
  const sockets = Array.from({ length: 8 }, () => connect({ port: server?.port ?? 0, host: "127.0.0.1" }));
  const begun = head("/") + chunks(1, "x");
  for (const socket of sockets) socket.write(begun);
  await expect.poll(counted.bytes).toBe(8 * begun.length);
  await send(`${head("/") + chunks(30_000, "x")}0\r\n\r\n`); // makes all of them wait for their turn
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate); // in which each has had it
  counted.turns = [];
  const before = counted.bytes();
  const more = chunks(5_000, "x");
  for (const socket of sockets) socket.write(more);
  await expect.poll(counted.bytes).toBe(before + 8 * more.length);
  for (const socket of sockets) socket.destroy();
  // A read that brings fewer than a thousand chunks leaves room for another one.
  expect(Math.max(...counted.turns.map(({ bytes }) => bytes))).toBeLessThanOrEqual(chunks(1_000, "x").length + more.length);
});

test("requests that follow a body of tiny chunks on its connection are answered in turn", async () => {
  await serve();
  const bodies = [30_000, 5, 20_000, 1].map((count) => `${head("/")}${chunks(count, "x")}0\r\n\r\n`);
  expect(await send(bodies.join(""), 4)).toEqual(["30000", "5", "20000", "1"]);
});

test("a body of tiny chunks that nobody reads for a while fills no more than its buffer, and arrives whole", async () => {
  let [most, read] = [0, 0];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    for await (const part of request) {
      read += part.length;
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, request.readableLength);
    }
    response.end(String(read));
  };
  server = await listen((request, response) => void listener(request, response), { host: "127.0.0.1", port: 0 });
  const other = send(`${head("/")}${chunks(40_000, "y")}0\r\n\r\n`).catch(() => []);
  expect(await send(`${head("/")}${chunks(6_000, "x".repeat(100))}0\r\n\r\n`)).toHaveLength(1);
  await other;
  expect(read).toBe(640_000);
  expect(most).toBeLessThanOrEqual(2 * 65_536 + 65_536);
});

test("a body that is full while others have their turn, and is read then, is read to its end", async () => {
  const requests = new Map<string, IncomingMessage>();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests.set(request.url ?? "", request);
    request.on("end", () => response.end("1"));
    if (request.url === "/others") request.resume();
    else request.socket.on("data", ignore).off("data", ignore); // read through its stream, as after requests that had to wait
  };
  server = await listen(listener, { host: "127.0.0.1", port: 0 });
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.write(`${head("/full")}${chunks(700, "x".repeat(100))}`);
  await expect.poll(() => requests.get("/full")?.readableLength).toBe(70_000);
  await send(`${head("/others")}${chunks(5_000, "x")}0\r\n\r\n`);
  requests.get("/full")?.resume();
  socket.write(`${chunks(700, "x".repeat(100))}0\r\n\r\n`);
  const answer = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

test("a body of declared length that follows a chunked one is read although other chunks have taken the turn", async () => {
  let declared: Socket | null = null;
  const paused: boolean[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === "/declared") declared = request.socket;
    request.on("data", () => {
      if (request.url === "/flood") paused.push(declared?.isPaused() ?? true);
    });
    request.on("end", () => response.end("1"));
  };
  server = await listen(listener, { host: "127.0.0.1", port: 0 });
  const first = connect({ port: server.port, host: "127.0.0.1" });
  first.write(`${head("/chunks")}${chunks(1, "x")}0\r\n\r\nPOST /declared HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\na`);
  await expect.poll(() => declared).not.toBeNull();
  await new Promise(setImmediate);
  await send(`${head("/flood")}${chunks(5_000, "x")}0\r\n\r\n`).catch(() => []);
  first.destroy();
  expect(paused.length).toBeGreaterThanOrEqual(5_000);
  expect(paused).not.toContain(true);
});
