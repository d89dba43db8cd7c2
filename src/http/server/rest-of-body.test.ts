import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./server.ts";
import { timeouts } from "./server-limits.ts";

const bytes = 5_000_000;

/** A connection to a server that answers 413 before it has read a body, and a request that closes the connection. */
async function sendHead(version: string) {
  const server = await listen((_request, response) => response.writeHead(413).end("too large"), { host: "127.0.0.1", port: 0 });
  const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(async () => {
    socket.destroy();
    await server.stop();
  });
  socket.write(`POST / ${version}\r\nHost: a\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`);
  return socket;
}

test.each(["HTTP/1.1", "HTTP/1.0"])(
  "a client of %s that reads only when it has sent its body gets the answer that came before",
  async (version) => {
    const socket = await sendHead(version);
    await sleep(100); // the answer has come
    const sent = once(socket, "finish"); // rejects when the connection is reset
    socket.end("x".repeat(bytes));
    await sent;
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 .*too large/s);
  },
);

test("a client that goes on sending for long after its last answer is cut", async () => {
  const usual = timeouts.refused;
  onTestFinished(() => void (timeouts.refused = usual));
  timeouts.refused = 500;
  const socket = await sendHead("HTTP/1.1");
  const closed = new Promise(
    (resolve) =>
      void socket
        .on("error", () => {})
        .once("close", resolve)
        .resume(),
  );
  const since = performance.now();
  const sending = setInterval(() => socket.write("x"), 50);
  onTestFinished(() => clearInterval(sending));
  await closed;
  expect(performance.now() - since).toBeGreaterThan(timeouts.refused - 100);
});
