import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listen, type RunningServer } from "./server.ts";

let server: RunningServer | null = null;
afterEach(() => server?.stop());

const chunks = (count: number, piece: string) => `${piece.length.toString(16)}\r\n${piece}\r\n`.repeat(count);
const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n`;
/** What one read brings at most, of chunks of a byte each. */
const perRead = 65_536 / 6;

/** Answers with the length of the body. Returns how many chunks each turn of the event loop had. */
async function serve(): Promise<{ turns: number[] }> {
  const counted = { turns: [0] };
  let isOver = false;
  const endTurn = () => {
    if (counted.turns.at(-1) !== 0) counted.turns.push(0);
    if (!isOver) setImmediate(endTurn);
  };
  endTurn();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      counted.turns[counted.turns.length - 1] = (counted.turns.at(-1) ?? 0) + 1;
    });
    request.on("end", () => response.end(String(bytes)));
  };
  server = await listen(listener, { host: "127.0.0.1", port: 0 });
  const { stop } = server;
  server = { ...server, stop: () => stop().finally(() => (isOver = true)) };
  return counted;
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

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
  // Of eight connections. What was read in the turn before may be handed over in this one, and a request may begin beside them.
  expect(Math.max(...counted.turns)).toBeLessThanOrEqual(3 * perRead);
});

test("chunks that arrive at once on connections that were waiting for more have one read in a turn of the event loop", async () => {
  const counted = await serve();
  const sockets = Array.from({ length: 8 }, () => connect({ port: server?.port ?? 0, host: "127.0.0.1" }));
  for (const socket of sockets) socket.write(head("/") + chunks(1, "x"));
  await expect.poll(() => sum(counted.turns)).toBe(8);
  await send(`${head("/") + chunks(30_000, "x")}0\r\n\r\n`); // all have to wait for their turn, and have had it when this is answered
  counted.turns = [0];
  for (const socket of sockets) socket.write(chunks(5_000, "x"));
  await expect.poll(() => sum(counted.turns)).toBe(8 * 5_000);
  for (const socket of sockets) socket.destroy();
  expect(Math.max(...counted.turns)).toBeLessThanOrEqual(2 * 5_000); // what was read in the turn before may be handed over in this one
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
