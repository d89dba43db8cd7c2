import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect, verifyWebhook } from "./guides/donations-client.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const body = JSON.stringify({ type: "donation.created", timestamp: "2026-11-20T12:30:01.482Z", data: { donatorName: "สมชาย" } });

/** Headers as the official library signs them, `ageSeconds` ago. */
function signed({ ageSeconds = 0, by = secret } = {}): Headers {
  const at = new Date(Date.now() - ageSeconds * 1_000);
  const signature = new Webhook(by).sign("e1", at, body);
  return new Headers({
    "webhook-id": "e1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": signature,
  });
}

test("verifyWebhook returns the event that the official library has signed, also where another secret signs as well", () => {
  expect(verifyWebhook(secret, signed(), body)).toEqual(JSON.parse(body));
  const rotated = signed();
  rotated.set("webhook-signature", `v1,${Buffer.alloc(32).toString("base64")} ${rotated.get("webhook-signature")}`);
  expect(verifyWebhook(secret, rotated, body)).toEqual(JSON.parse(body));
});

test("verifyWebhook throws for another body, another secret, no headers, and a time stamp six minutes old", () => {
  expect(() => verifyWebhook(secret, signed(), `${body} `)).toThrow("no signature is right");
  expect(() => verifyWebhook(secret, signed({ by: `whsec_${Buffer.alloc(32, 8).toString("base64")}` }), body)).toThrow(
    "no signature is right",
  );
  expect(() => verifyWebhook(secret, new Headers(), body)).toThrow("too old");
  expect(() => verifyWebhook(secret, signed({ ageSeconds: 360 }), body)).toThrow("too old");
});

/** A server whose n-th connection is answered by the n-th function, and the addresses that were asked for. */
async function serve(...answers: ((response: ServerResponse) => void)[]) {
  const asked: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    answers[asked.length - 1]?.(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return { asked, client: connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: "k" }) };
}

const event = (id: string) => `id: ${id}\nevent: goal.reached\ndata: {"id":"${id}","type":"goal.reached"}\n\n`;

test("client.events goes on behind the last position when the connection ends, and throws when it is refused", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const { asked, client } = await serve(
    (response) => response.end(`:\nid: c0\n\n${event("c1")}${event("c2")}:\nid: c3\n\n`),
    (response) => response.writeHead(503).end(),
    (response) => response.end(event("c4")),
    (response) => response.writeHead(401).end("gone"),
  );
  const positions: string[] = [];
  const reading = async () => {
    for await (const { position, type } of client.events({ after: "start", types: ["goal.reached"] }))
      positions.push(`${position} ${type}`);
  };
  await expect(reading()).rejects.toThrow("gone");
  expect(positions).toEqual(["c1 goal.reached", "c2 goal.reached", "c4 goal.reached"]);
  expect(asked).toEqual(
    ["start", "c3", "c3", "c4"].map((after) => `/api/v1/events/stream?after=${after}&keepalive=15&types=goal.reached Bearer k`),
  );
});
