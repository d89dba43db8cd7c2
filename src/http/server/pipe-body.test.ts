import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { pipeBody } from "./pipe-body.ts";

/** Answers one request with the body. */
async function ask(body: Readable): Promise<{ message: IncomingMessage; failures: string[]; leave: () => void }> {
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
  const { message, failures } = await ask(
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
  const { message } = await ask(endless);
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
  const { failures, leave } = await ask(body);
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
  const { message, failures } = await ask(body);
  body.destroy(error);
  await new Promise((resolve) => message.once("close", resolve));
  expect(message.complete).toBe(false);
  await expect.poll(() => failures).toEqual(expected);
});
