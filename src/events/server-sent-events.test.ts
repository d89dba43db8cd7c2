import { connect } from "node:net";
import { pipeline } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../http/server/server.ts";
import { toServerSentEvents } from "./subscriptions.ts";
import { openTestSubscriptions, request } from "./testing-subscriptions.ts";

/** Serves streams of 3,000 events of 10 kB each, which are more than the system keeps for a connection. */
async function serve() {
  const { subscriptions, state, happen } = openTestSubscriptions();
  state.text = "x".repeat(10_000);
  happen(3_000);
  const server = await listen(
    ({ headers }, response) => {
      const after = Number(headers["last-event-id"] ?? 0);
      pipeline(toServerSentEvents(subscriptions.open({ ...request, after })), response, () => {});
    },
    { host: "127.0.0.1", port: 0, stalledMs: 300 },
  );
  onTestFinished(server.stop);
  return { port: server.port, count: subscriptions.count };
}

/** A client of HTTP/1.0, whose answer has no chunks, so that its text is that of the stream. */
function follow(port: number, after = 0) {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("error", () => {}).on("data", (chunk) => (text += String(chunk)));
  socket.write(`GET / HTTP/1.0\r\nHost: h\r\nLast-Event-ID: ${after}\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return {
    socket,
    closed: new Promise((resolve) => socket.once("close", resolve)),
    /** The ids of events that came whole. */
    ids: () => [...text.matchAll(/id: (\d+)\nevent: .*\ndata: .*\n\n/g)].map(([, id]) => Number(id)),
  };
}

const patient = { timeout: 60_000 };

test("a client that takes nothing of its stream is cut, and goes on after the last id that it got", async () => {
  const { port, count } = await serve();
  const { socket, closed, ids } = follow(port);
  await expect.poll(() => ids().length, patient).toBeGreaterThan(0);
  socket.pause();
  await expect.poll(count, patient).toBe(0);
  socket.resume();
  await closed;
  const got = ids();
  expect(got).toEqual(Array.from({ length: got.length }, (_, index) => index + 1));
  expect(got.length).toBeLessThan(3_000);
  const again = follow(port, got.length);
  await expect.poll(() => again.ids()[0], patient).toBe(got.length + 1);
});

test("subscriptions that read a long log make two pages in a turn of the event loop, all together", async () => {
  const { subscriptions, happen } = openTestSubscriptions();
  happen(1_000);
  const all = Array.from({ length: 50 }, () => subscriptions.open(request));
  let pages = 0;
  const reading = all.map(async (subscription) => {
    for await (const { events } of subscription.pages) {
      if (events.length > 0) pages += 1;
      if (events.at(-1)?.cursor === "1000") return;
    }
  });
  for (let before = 0; pages < 500; before = pages) {
    await nextTurn();
    expect(pages - before).toBeLessThanOrEqual(4); // the test's own turn may begin before that of the pages or after it
  }
  await Promise.all(reading);
});
