import { once } from "node:events";
import { createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import Koa, { type Context } from "koa";
import { expect, onTestFinished, test } from "vitest";
import { listenerOf, pipeBody } from "./koa-listener.ts";

const answers: Record<string, (ctx: Context) => void> = {
  "/text": (ctx) => void (ctx.body = "ก text"),
  "/bytes": (ctx) => void (ctx.body = Buffer.from("bytes")),
  "/large": (ctx) => void (ctx.body = Buffer.alloc(300_000, "large")),
  "/empty": (ctx) => void (ctx.body = ""),
  "/stream": (ctx) => void (ctx.body = Readable.from(["a", "b"])),
  "/created": (ctx) => {
    ctx.status = 201;
    ctx.body = "made";
  },
  "/no-content": (ctx) => {
    ctx.type = "application/json";
    ctx.body = "no body may follow this status";
    ctx.status = 204;
  },
  "/not-modified": (ctx) => void (ctx.status = 304),
  "/failed": () => {
    throw Object.assign(new Error("not for you"), { status: 418 });
  },
};

/** Middleware around the answers, one of which waits. */
function application(): Koa {
  const koa = new Koa();
  koa.on("error", () => {});
  return koa
    .use(async (ctx, next) => {
      await next();
      ctx.set("X-Seen", String(ctx.status));
    })
    .use((ctx, next) => (ctx.path === "/last" ? next() : answers[ctx.path]?.(ctx)))
    .use((ctx) => void (ctx.body = "the last middleware"));
}

async function ask(listener: RequestListener, method: string, path: string) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method });
  const { date: _date, ...headers } = Object.fromEntries(reply.headers);
  const answer = { status: reply.status, headers, body: await reply.text() };
  server.close();
  return answer;
}

test.each(["GET", "HEAD"].flatMap((method) => [...Object.keys(answers), "/last"].map((path) => [method, path])))(
  "listenerOf answers %s %s as koa.callback() does",
  async (method, path) => {
    const answer = await ask(listenerOf(application()), method as string, path as string);
    expect(answer).toEqual(await ask(application().callback(), method as string, path as string));
  },
);

test("a stream that fails ends the connection and is reported to the application", async () => {
  const koa = new Koa();
  const failures: string[] = [];
  koa.on("error", (error: Error) => failures.push(error.message));
  koa.use((ctx) => {
    const failing = async function* () {
      yield "begun";
      throw new Error("the rest is lost");
    };
    ctx.body = Readable.from(failing());
  });
  await expect(ask(listenerOf(koa), "GET", "/")).rejects.toThrow();
  expect(failures).toEqual(["the rest is lost"]);
});

test("the listener has handled a request before its stream has ended", async () => {
  const koa = new Koa();
  const stream = new Readable({ read() {} });
  koa.use((ctx) => void (ctx.body = stream));
  const handle = listenerOf(koa);
  let isHandled = false;
  const answer = ask(
    (request, response) => {
      handle(request, response).then(() => {
        isHandled = true;
        stream.push(null);
      });
    },
    "GET",
    "/",
  );
  await answer;
  expect(isHandled).toBe(true);
});

/** Answers one request with the body. */
async function sendBody(body: Readable): Promise<{ message: IncomingMessage; failures: string[]; leave: () => void }> {
  const failures: string[] = [];
  const server = createServer((_, response) => pipeBody(body, response, (error) => failures.push(error.message))).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  const outgoing = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { agent: false });
  const [message] = (await once(outgoing, "response")) as [IncomingMessage];
  message.on("error", () => {});
  return { message, failures, leave: () => void outgoing.destroy() };
}

/** A stream that begins and is then pushed to by the test. */
function begun(): Readable {
  const stream = new Readable({ read() {} });
  stream.push("begun");
  return stream;
}

test("all of a stream is sent, however long it is", async () => {
  const { message, failures } = await sendBody(
    Readable.from(
      Array.from({ length: 1_000 }, () => "x".repeat(5_000)),
      { objectMode: false },
    ),
  );
  expect((await text(message)).length).toBe(5_000_000);
  expect(failures).toEqual([]);
});

test("a stream is read no faster than its client reads", async () => {
  let made = 0;
  const endless = new Readable({
    read() {
      made += 1;
      this.push(Buffer.alloc(65_536));
    },
  });
  const { message } = await sendBody(endless);
  message.pause();
  let before = -1;
  while (before !== made) {
    before = made;
    await pause(100);
  }
  expect(made).toBeGreaterThan(0);
});

test("a client that disconnects ends the stream, and is one failure", async () => {
  const body = begun();
  const { failures, leave } = await sendBody(body);
  leave();
  await once(body, "close");
  await expect.poll(() => failures).toEqual(["the connection was closed before the end of the answer"]);
  expect(body.destroyed).toBe(true);
});

test.each([
  ["with an error", new Error("lost"), ["lost"]],
  ["without one", undefined, ["the connection was closed before the end of the answer"]],
])("a stream that is destroyed %s ends the connection before the end of the answer", async (_, error, expected) => {
  const body = begun();
  const { message, failures } = await sendBody(body);
  body.destroy(error);
  await new Promise((resolve) => message.once("close", resolve));
  expect(message.complete).toBe(false);
  await expect.poll(() => failures).toEqual(expected);
});
