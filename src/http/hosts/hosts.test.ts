import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { createServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { authority, certificate, privateKey } from "../testing-tls.ts";
import type { HostOptions } from "./host-answer.ts";
import { openHost } from "./hosts.ts";

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function open(port: number, options: Partial<HostOptions> = {}) {
  const bytes = { headers: 16_384, kept: 1_024, drained: 65_536, received: 131_072 };
  const timeouts = { connectMs: 5_000, wholeMs: 15_000 };
  const common = { url: `https://hooks.test:${port}/`, owner: "a", timeouts, bytes, trusted: [authority] };
  const host = openHost({ ...common, ...options }, async () => ["127.0.0.1"]);
  onTestFinished(host.close);
  return host;
}

const get = { method: "GET", headers: {} } as const;

test("a host whose certificates are longer than 32 KiB is sent nothing", async () => {
  const server = createServer({ cert: [certificate, ...Array(100).fill(authority)].join("\n"), key: privateKey });
  server.on("tlsClientError", () => {});
  await expect(open(await listen(server)).send(get)).rejects.toMatchObject({ code: "HANDSHAKE_TOO_LONG" });
});

test("an answer with an informational answer before it is the host's own, with its status, type and text", async () => {
  const answer = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno";
  const server = createServer({ cert: certificate, key: privateKey }, (socket) => socket.once("data", () => socket.end(answer)));
  expect(await open(await listen(server)).send(get)).toEqual({
    ...{ status: 404, contentType: "text/plain", retryAfter: undefined, text: "no", cutOff: null },
  });
});

test.each([
  ["nothing", ""],
  ["half a ServerHello", "\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03"],
])("a host that answers the handshake with %s is given up after the time for a connection", async (_, bytes) => {
  const server = createTcpServer((socket) => void socket.on("error", () => {}).write(Buffer.from(bytes, "latin1")));
  const sent = open(await listen(server), { timeouts: { connectMs: 500, wholeMs: 15_000 } }).send(get);
  await expect(sent).rejects.toThrow("No connection within 0.5 seconds.");
});
