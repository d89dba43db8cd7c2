import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";

import { type AdmissionOptions, openAdmission } from "./overload.ts";
import { listen, type RunningServer } from "./server.ts";
import { admissionOptions } from "./testing.ts";

const neverResumed: AdmissionOptions["pauseLimits"] = { perSecond: 0.0001, maxSeconds: 3_600, maxConnections: 100 };

let server: RunningServer | null = null;
const sockets: Socket[] = [];
let finishes: (() => void)[] = [];

/** Starts a server that answers two requests at a time, and sends it two that are under way until `finish` is called. */
async function startFullServer(changes: Partial<typeof neverResumed> = {}): Promise<void> {
  const admission = openAdmission({ ...admissionOptions, maxRequests: 2, minRequests: 2, pauseLimits: { ...neverResumed, ...changes } });
  const listener = admission.guard(async (_request, response) => {
    await new Promise<void>((resolve) => finishes.push(resolve));
    response.end("passed");
  });
  server = await listen((request, response) => void listener(request, response), { host: "127.0.0.1", port: 0 });
  for (const connection of await Promise.all([open(), open()])) connection.sendRequest();
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
    sendRequest: () => socket.write("GET /api/v1/me HTTP/1.1\r\nHost: h\r\n\r\n"),
    answers: () => heads().length,
    answer: async () => {
      await expect.poll(() => heads().length, { timeout: 4_000, interval: 5 }).toBeGreaterThan(read);
      const head = heads()[read++] as string;
      const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, "im").exec(head)?.[1];
      return { status: Number(head.slice(9, 12)), retryAfter: Number(header("Retry-After")), connection: header("Connection") };
    },
  };
}

/** A connection whose first request was refused, with the answer to it. */
async function openRefused() {
  const connection = await open();
  connection.sendRequest();
  const answer = await connection.answer();
  expect(answer.status).toBe(503);
  return { ...connection, firstAnswer: answer };
}

test("a connection whose request was refused is not read before its Retry-After is over", async () => {
  await startFullServer({ perSecond: 1, maxSeconds: 1 });
  const { firstAnswer, sendRequest, answer } = await openRefused();
  const began = performance.now();
  sendRequest();
  expect((await answer()).status).toBe(503);
  expect(firstAnswer.retryAfter).toBe(1);
  expect(performance.now() - began).toBeGreaterThan(900);
});

test("a paused connection is read again as soon as there is room", async () => {
  await startFullServer();
  const { sendRequest, answer } = await openRefused();
  sendRequest();
  finish();
  await expect.poll(() => finishes.length).toBe(1);
  finish();
  expect((await answer()).status).toBe(200);
});

test("the more connections are paused, the longer the pause and Retry-After", async () => {
  await startFullServer({ perSecond: 2, maxSeconds: 3 });
  const retryAfters: number[] = [];
  for (let index = 0; index < 8; index += 1) retryAfters.push((await openRefused()).firstAnswer.retryAfter);
  expect(retryAfters).toEqual([1, 1, 2, 2, 3, 3, 3, 3]);
});

test("a refused connection is closed when too many are paused, and does not count as paused", async () => {
  await startFullServer({ perSecond: 1, maxSeconds: 9, maxConnections: 2 });
  const all = [await openRefused(), await openRefused(), await openRefused(), await openRefused()];
  expect(all.map(({ firstAnswer }) => `${firstAnswer.connection} ${firstAnswer.retryAfter}`)).toEqual([
    "keep-alive 1",
    "keep-alive 2",
    "close 3",
    "close 3",
  ]);
});

test("a stopping server also answers requests of paused connections", async () => {
  await startFullServer();
  const { sendRequest, answer } = await openRefused();
  sendRequest();
  const stopped = server?.stop();
  expect(await answer()).toMatchObject({ status: 503, connection: "close" });
  finish();
  await stopped;
});

test("a refused connection is not paused while its body is arriving", async () => {
  await startFullServer({ perSecond: 1, maxSeconds: 9 });
  const { write, sendRequest, answer } = await open();
  write("POST /api/v1/donations HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab");
  expect((await answer()).status).toBe(503);
  write("cd");
  sendRequest();
  expect(await answer()).toMatchObject({ status: 503, retryAfter: 1 });
});

test("refused requests that arrived together on a connection are each answered", async () => {
  await startFullServer();
  const { write, answers } = await open();
  write("GET /api/v1/me HTTP/1.1\r\nHost: h\r\n\r\n".repeat(5));
  await expect.poll(answers).toBe(5);
});
