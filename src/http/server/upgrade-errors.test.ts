import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
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
