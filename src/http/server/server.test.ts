import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import Koa from "koa";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { bodyReader } from "../body/body.ts";
import { openAdmission } from "./overload.ts";
import { type ListenOptions, listen, type RunningServer } from "./server.ts";
import { maxUnanswered, timeouts } from "./server-limits.ts";
import { admissionOptions } from "./testing.ts";
import { openReceiving } from "./unfinished-bodies.ts";

// What is written here are the bytes of HTTP, and what is expected are those of the answers.

let server: RunningServer | null = null;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.stop();
  server = null;
});

/** Two may be under way, three bodies unfinished, two of one address. Answers with the body's length, after `waitMs`. */
async function serve(options: Partial<ListenOptions> = {}, waitMs = 0): Promise<void> {
  const pauseLimits = { perSecond: 1_000, maxSeconds: 5, maxConnections: 0 };
  const admission = openAdmission({ ...admissionOptions, maxRequests: 2, minRequests: 2, pauseLimits });
  const { readBody } = bodyReader(openReceiving({ inAll: 3, perSender: 2 }, admission.whileWaiting));
  const koa = new Koa();
  koa.use(async (ctx) => {
    try {
      const body = ctx.method === "POST" ? await readBody(ctx, ["application/json"]) : {};
      await sleep(waitMs);
      ctx.body = `answer ${JSON.stringify(body).length}`;
    } catch (error) {
      ctx.status = (error as { code: string }).code === "request_timeout" ? 408 : 503;
      ctx.set("Connection", "close");
      ctx.body = "refused";
    }
  });
  server = await listen(admission.guard(koa.callback()), { host: "127.0.0.1", port: 0, ...options });
}

async function open(bytes = "", from = "127.0.0.1") {
  const socket = connect({ port: server?.port ?? 0, host: "127.0.0.1", localAddress: from, allowHalfOpen: true });
  sockets.push(socket);
  let text = "";
  let closed = false;
  socket.on("error", () => (closed = true)).on("data", (chunk) => (text += String(chunk)));
  socket.on("end", () => (closed = true)).on("close", () => (closed = true));
  await once(socket, "connect").catch(() => {});
  if (bytes) socket.write(bytes);
  return {
    socket,
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
    text: () => text,
    closed: () => closed,
  };
}

const get = "GET /api/v1/me HTTP/1.1\r\nHost: h\r\n\r\n";
const post = (length: number, body = "") =>
  `POST /api/v1/donations HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

test("a body that ends early is answered 400 at once, and its connection is closed", async () => {
  await serve();
  const { socket, statuses, closed } = await open(post(9, "{"));
  await sleep(50);
  socket.end();
  await expect.poll(closed).toBe(true);
  expect(statuses()).toEqual([400]);
});

test("a malformed request behind a request under way is refused after the answer to that", async () => {
  await serve({}, 100);
  const { statuses, closed } = await open(`${get}no HTTP at all\r\n\r\n`);
  await expect.poll(closed).toBe(true);
  expect(statuses()).toEqual([200, 400]);
});

test("a malformed body behind a request under way is refused after the answer to that", async () => {
  await serve({}, 100);
  const { socket, statuses, closed } = await open(get + post(9, "{"));
  socket.end();
  await expect.poll(closed).toBe(true);
  expect(statuses()).toEqual([200, 400]);
});

test("requests whose bodies have not arrived do not count as under way", async () => {
  await serve();
  const waiting = [await open(post(2, "{")), await open(post(2, "{"))];
  await sleep(50);
  const { statuses } = await open(get);
  await expect.poll(statuses).toEqual([200]);
  for (const { socket } of waiting) socket.write("}");
  for (const one of waiting) await expect.poll(one.statuses).toEqual([200]);
});

test("the oldest body is answered 408 when a sender has more unfinished bodies than allowed", async () => {
  await serve();
  const waiting: Awaited<ReturnType<typeof open>>[] = [];
  for (let count = 0; count < 3; count += 1) {
    waiting.push(await open(post(2, "{")));
    await sleep(30);
  }
  await expect.poll(() => waiting.map(({ statuses }) => statuses())).toEqual([[408], [], []]);
  await expect.poll(() => waiting[0]?.closed()).toBe(true);
  for (const { socket } of waiting) socket.write("}");
  for (const one of waiting.slice(1)) await expect.poll(one.statuses).toEqual([200]);
});

test("Expect: 100-continue is answered before the request", async () => {
  await serve();
  const { socket, text } = await open(post(2).replace("Content-Type", "Expect: 100-continue\r\nContent-Type"));
  await expect.poll(text).toMatch(/^HTTP\/1\.1 100 Continue/);
  socket.write("{}");
  await expect.poll(text).toMatch(/answer 2$/);
});

test("answers and refusals have the configured headers, and the date (RFC 9110 6.6.1)", async () => {
  await serve({ headers: { "X-Configured": "yes" } });
  for (const bytes of [get, "broken\r\n\r\n", get.replace("Host: h\r\n", "")]) {
    const { text } = await open(bytes);
    await expect.poll(text).toMatch(/^X-Configured: yes\r$/m);
    expect(text()).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/m);
  }
});

test("connections of one address beyond its limit are closed, and other addresses can connect", async () => {
  await serve({ max: { inAll: 4, perAddress: 2 } });
  const own = [await open(get), await open(get), await open(get)];
  await expect.poll(() => own.map(({ statuses }) => statuses().length)).toEqual([1, 1, 0]);
  await expect.poll(() => own[2]?.closed()).toBe(true);
  const others = await open(get, "127.0.0.2");
  await expect.poll(others.statuses).toEqual([200]);
  own[0]?.socket.destroy();
  await sleep(50);
  await expect.poll((await open(get)).statuses).toEqual([200]);
});

test("new connections beyond the limit of the server are closed", async () => {
  await serve({ max: { inAll: 1, perAddress: null } });
  const first = await open(get);
  const second = await open(get);
  await expect.poll(second.closed).toBe(true);
  expect([first.statuses(), second.statuses()]).toEqual([[200], []]);
});

test("a new connection takes the place of the one that has been idle for the longest time: of its address, else of that with most", async () => {
  const usual = timeouts.replaceable;
  onTestFinished(() => void (timeouts.replaceable = usual));
  timeouts.replaceable = 100;
  await serve({ max: { inAll: 4, perAddress: 3 } });
  const answered = async (from?: string) => {
    const one = await open(get, from);
    await expect.poll(one.statuses).toEqual([200]);
    return one;
  };
  const other = await answered("127.0.0.2");
  const first = await answered();
  const silent = await open();
  await sleep(200);
  const own = [await answered(), await answered()];
  await expect.poll(first.closed).toBe(true);
  await answered("127.0.0.3");
  await expect.poll(silent.closed).toBe(true);
  expect([other, ...own].map(({ closed }) => closed())).toEqual([false, false, false]);
});

/** Answers requests in their turn, each with `bytes`, when `answers` is called. */
async function serveHeld(bytes: number, options: Partial<ListenOptions> = {}) {
  const begun: (() => void)[] = [];

  server = await listen(
    (request, response) => {
      request.resume();
      begun.push(() => response.end("x".repeat(bytes)));
    },
    { host: "127.0.0.1", port: 0, ...options },
  );
  return { begun, answer: () => begun.splice(0).map((end) => end()) };
}

const mixed = (count: number) => Array.from({ length: count }, (_, index) => (index % 3 ? get : post(2, "{}"))).join("");

test("a connection has 16 requests under way; those behind them begin when half of them are answered, and all are answered in turn", async () => {
  const { begun, answer } = await serveHeld(5);
  const { statuses } = await open(mixed(100));
  await expect.poll(() => begun.length).toBe(maxUnanswered);
  await sleep(50);
  expect(begun.length).toBe(maxUnanswered);
  for (const end of begun.splice(0, 8)) end();
  await expect.poll(() => begun.length).toBe(maxUnanswered);
  await expect
    .poll(() => {
      answer();
      return statuses().length;
    })
    .toBe(100);
});

test("pipelined requests that arrive in pieces are answered in turn", async () => {
  server = await listen(
    async (request, response) => {
      let length = 0;
      for await (const part of request) length += (part as Buffer).length;
      await sleep(length % 3);
      response.end(`answer ${length}`);
    },
    { host: "127.0.0.1", port: 0 },
  );
  const { socket, text, statuses } = await open();
  const all = Array.from({ length: 60 }, (_, index) => post(index + 10, `"${"x".repeat(index + 8)}"`)).join("");
  for (let from = 0; from < all.length; from += 700) {
    socket.write(all.slice(from, from + 700));
    await sleep(1);
  }
  await expect.poll(() => statuses().length).toBe(60);
  expect([...text().matchAll(/answer (\d+)/g)].map(([, length]) => Number(length))).toEqual(
    Array.from({ length: 60 }, (_, index) => index + 10),
  );
});

test("the last of many pipelined requests is complete although nothing follows it", async () => {
  const { begun, answer } = await serveHeld(5);
  const { statuses } = await open(get.repeat(maxUnanswered + 1));
  await expect.poll(() => begun.length).toBe(maxUnanswered);
  answer();
  await expect.poll(() => begun.length).toBe(1);
  answer();
  await expect.poll(() => statuses().length).toBe(maxUnanswered + 1);
});

test("a client that reads now and then gets the answers to thousands of pipelined requests", async () => {
  const bytes = "x".repeat(20_000);
  server = await listen((request, response) => void request.resume().once("end", () => setImmediate(() => response.end(bytes))), {
    ...{ host: "127.0.0.1", port: 0 },
  });
  const { socket, statuses } = await open();
  socket.write(get.repeat(3_000));
  for (let times = 0; times < 20; times += 1) {
    socket.pause();
    await sleep(5);
    socket.resume();
    await sleep(5);
  }
  await expect.poll(() => statuses().length, { interval: 500, timeout: 30_000 }).toBe(3_000);
});

test("requests behind a refused one are discarded, however many", async () => {
  const { begun } = await serveHeld(5);
  const { socket, statuses, closed } = await open(get.replace("Host", "Host: a\r\nHost") + mixed(2_000));
  for (let times = 0; times < 20; times += 1) socket.write(mixed(2_000));
  await expect.poll(closed).toBe(true);
  expect([statuses(), begun.length]).toEqual([[400], 0]);
});

test("the connection with the most unread answers is closed when those of all together take too much", async () => {
  const usual = timeouts.unsent;
  onTestFinished(() => void (timeouts.unsent = usual));
  timeouts.unsent = 20;
  const { begun, answer } = await serveHeld(3_000_000, { unsentBytes: 20_000_000 });
  const [greedy, modest] = [await open(), await open()];
  for (const { socket } of [greedy, modest]) socket.pause();
  greedy.socket.write(get.repeat(16));
  modest.socket.write(get);
  await expect.poll(() => begun.length).toBe(17);
  answer();
  greedy.socket.resume();
  await expect.poll(greedy.closed).toBe(true);
  expect(greedy.statuses().length).toBeLessThan(16);
  modest.socket.resume();
  await expect.poll(() => modest.text().length).toBeGreaterThan(3_000_000);
});

test("the rest of a body is discarded only for a while after the answer", async () => {
  const usual = timeouts.refused;
  onTestFinished(() => void (timeouts.refused = usual));
  timeouts.refused = 500;
  await serve();
  const { socket, closed } = await open(`${get.replace("\r\n\r\n", "\r\nContent-Length: 1000000\r\n\r\n")}`);
  const sending = setInterval(() => socket.writable && socket.write("x".repeat(100)), 50);
  await expect.poll(closed, { timeout: 4_000 }).toBe(true);
  clearInterval(sending);
});

test("a socket of node:net has the internal members that tell how many bytes the system accepted", async () => {
  await serve();
  const { socket } = await open();
  const { _handle: held } = socket as unknown as { _handle: { bytesWritten: number; writeQueueSize: number } };
  socket.write("abc");
  await expect.poll(() => held.bytesWritten - held.writeQueueSize).toBe(3);
});
