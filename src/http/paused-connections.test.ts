import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";

import { openAdmission } from "./overload.ts";
import type { RestOptions } from "./paused-connections.ts";
import { listen, type RunningServer } from "./server.ts";

const forEver: RestOptions = { perSecond: 0.0001, mostSeconds: 3_600, most: 100 };

let server: RunningServer | null = null;
const sockets: Socket[] = [];
let finishes: (() => void)[] = [];

/** Its two places are taken until `finish` is called. */
async function fullServer(rest: Partial<RestOptions> = {}): Promise<void> {
  const admission = openAdmission({ most: 2, least: 2, rest: { ...forEver, ...rest }, onRefused: () => {} });
  const listener = admission.guard(async (_request, response) => {
    await new Promise<void>((resolve) => finishes.push(resolve));
    response.end("passed");
  });
  server = await listen((request, response) => void listener(request, response), { host: "127.0.0.1", port: 0 });
  for (const connection of await Promise.all([open(), open()])) connection.ask();
  await expect.poll(() => finishes.length).toBe(2);
}

function finish(): void {
  for (const one of finishes) one();
  finishes = [];
}

afterEach(async () => {
  finish();
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.stop();
  server = null;
});

/** A connection, and the heads of its answers in turn. */
async function open() {
  const socket = connect(server?.port ?? 0, "127.0.0.1");
  sockets.push(socket);
  await once(socket, "connect");
  let text = "";
  let read = 0;
  socket.on("error", () => {}).on("data", (chunk) => (text += String(chunk)));
  const heads = () => text.match(/HTTP\/1\.1 .*?\r\n\r\n/gs) ?? [];
  return {
    write: (words: string) => socket.write(words),
    ask: () => socket.write("GET /api/v1/me HTTP/1.1\r\nHost: h\r\n\r\n"),
    answers: () => heads().length,
    answer: async () => {
      await expect.poll(() => heads().length, { timeout: 4_000, interval: 5 }).toBeGreaterThan(read);
      const head = heads()[read++] as string;
      const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, "im").exec(head)?.[1];
      return { status: Number(head.slice(9, 12)), retryAfter: Number(header("Retry-After")), connection: header("Connection") };
    },
  };
}

/** Refused once. */
async function refused() {
  const connection = await open();
  connection.ask();
  const answer = await connection.answer();
  expect(answer.status).toBe(503);
  return { ...connection, told: answer };
}

test("a connection that was refused is not read from before the time is over that it was told to wait", async () => {
  await fullServer({ perSecond: 1, mostSeconds: 1 });
  const { told, ask, answer } = await refused();
  const began = performance.now();
  ask();
  expect((await answer()).status).toBe(503);
  expect(told.retryAfter).toBe(1);
  expect(performance.now() - began).toBeGreaterThan(900);
});

test("it is let in as soon as there is room", async () => {
  await fullServer();
  const { ask, answer } = await refused();
  ask();
  finish();
  await expect.poll(() => finishes.length).toBe(1);
  finish();
  expect((await answer()).status).toBe(200);
});

test("the more of them rest the longer, as Retry-After says", async () => {
  await fullServer({ perSecond: 2, mostSeconds: 3 });
  const told: number[] = [];
  for (let index = 0; index < 8; index += 1) told.push((await refused()).told.retryAfter);
  expect(told).toEqual([1, 1, 2, 2, 3, 3, 3, 3]);
});

test("what comes when too many rest is closed, and does not count as resting", async () => {
  await fullServer({ perSecond: 1, mostSeconds: 9, most: 2 });
  const all = [await refused(), await refused(), await refused(), await refused()];
  expect(all.map(({ told }) => `${told.connection} ${told.retryAfter}`)).toEqual(["keep-alive 1", "keep-alive 2", "close 3", "close 3"]);
});

test("a server that stops answers also what it has not read yet", async () => {
  await fullServer();
  const { ask, answer } = await refused();
  ask();
  const stopped = server?.stop();
  expect(await answer()).toMatchObject({ status: 503, connection: "close" });
  finish();
  await stopped;
});

test("a body that is still on its way is read, and the next request with it: that connection does not rest", async () => {
  await fullServer({ perSecond: 1, mostSeconds: 9 });
  const { write, ask, answer } = await open();
  write("POST /api/v1/donations HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab");
  expect((await answer()).status).toBe(503);
  write("cd");
  ask();
  expect(await answer()).toMatchObject({ status: 503, retryAfter: 1 });
});

test("requests that came at once are each answered", async () => {
  await fullServer();
  const { write, answers } = await open();
  write("GET /api/v1/me HTTP/1.1\r\nHost: h\r\n\r\n".repeat(5));
  await expect.poll(answers).toBe(5);
});
