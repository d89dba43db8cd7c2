import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { ApiError, connect, verifyWebhook } from "./guides/donations-client.ts";

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

test("verifyWebhook resolves to the event that the official library has signed, also where another secret signs as well", async () => {
  expect(await verifyWebhook(secret, signed(), body)).toEqual(JSON.parse(body));
  const rotated = signed();
  rotated.set("webhook-signature", `v1,${Buffer.alloc(32).toString("base64")} x ${rotated.get("webhook-signature")}`);
  expect(await verifyWebhook(secret, rotated, body)).toEqual(JSON.parse(body));
});

test("verifyWebhook rejects another body, another secret, no headers, and a time stamp six minutes old", async () => {
  const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
  await expect(verifyWebhook(secret, signed(), `${body} `)).rejects.toThrow("no signature is right");
  await expect(verifyWebhook(secret, signed({ by: other }), body)).rejects.toThrow("no signature is right");
  await expect(verifyWebhook(secret, new Headers(), body)).rejects.toThrow("too old");
  await expect(verifyWebhook(secret, signed({ ageSeconds: 360 }), body)).rejects.toThrow("too old");
});

/** A server whose n-th connection is answered by the n-th function, and the addresses that were asked for. */
async function serve(...answers: ((response: ServerResponse) => void)[]) {
  const asked: string[] = [];
  const bodies: { idempotencyKey?: string }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    const place = asked.length - 1;
    bodies[place] = JSON.parse((await request.toArray()).join("") || "{}");
    answers[place]?.(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return { asked, bodies, client: connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: "k" }) };
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
  await expect(reading()).rejects.toThrow("was answered 401, not by this API");
  expect(positions).toEqual(["c1 goal.reached", "c2 goal.reached", "c4 goal.reached"]);
  expect(asked).toEqual(
    ["start", "c3", "c3", "c4"].map((after) => `/api/v1/events/stream?after=${after}&keepalive=15&types=goal.reached Bearer k`),
  );
});

test("client.events connects again when a server takes the connection and says nothing for thirty seconds", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers().restoreAllMocks());
  const { asked, client } = await serve(
    () => {},
    (response) => response.end(event("c1")),
  );
  const next = client.events({ after: "start" }).next();
  await expect.poll(() => asked.length).toBe(1);
  await vi.advanceTimersByTimeAsync(29_000);
  const connections = async () => {
    await vi.advanceTimersByTimeAsync(1_000);
    return asked.length;
  };
  await expect.poll(connections, { timeout: 5_000 }).toBe(2);
  expect((await next).value).toMatchObject({ position: "c1" });
});

const donation = { donatorName: "สมชาย", amount: 50 };
const json = (status: number, body: object) => (response: ServerResponse) =>
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));

test("client.record sends a donation with one idempotency key until it is answered", async () => {
  const { bodies, client } = await serve(
    (response) => response.destroy(),
    (response) => response.writeHead(503, { "Retry-After": "0.01" }).end(),
    json(201, { data: { id: "d1" } }),
  );
  expect(await client.record(donation)).toEqual({ id: "d1" });
  expect(new Set(bodies.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(bodies).toHaveLength(3);
  expect(bodies[0]?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
});

test("client.record rejects with the class of the problem's code, which names its faults, and keeps a key that it was given", async () => {
  const errors = [{ pointer: "/amount", code: "out_of_range", message: "must be greater than 0" }];
  const problem = { title: "Broken", status: 400, detail: "One rule is broken.", code: "validation_failed", requestId: "r1", errors };
  const { bodies, client } = await serve(json(400, problem));
  const error = await client.record({ ...donation, idempotencyKey: "mine" }).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(ApiError.of("validation_failed"));
  expect(error).not.toBeInstanceOf(ApiError.of("rate_limited"));
  expect(error).toMatchObject({ code: "validation_failed", problem: { errors } });
  expect(String(error)).toBe("ApiError: One rule is broken. /amount must be greater than 0. (request r1)");
  expect(bodies[0]?.idempotencyKey).toBe("mine");
});

test("client.items goes through all pages of a list, and sends what was lost again", async () => {
  const page = (ids: string[], nextCursor: string | null) => json(200, { data: ids.map((id) => ({ id })), pagination: { nextCursor } });
  const { asked, client } = await serve(page(["a", "b"], "c1"), (response) => response.destroy(), page(["c"], null));
  const ids: string[] = [];
  for await (const { id } of client.items("/api/v1/donations", { sort: "createdAt" })) ids.push(id);
  expect(ids).toEqual(["a", "b", "c"]);
  const next = "/api/v1/donations?sort=createdAt&cursor=c1 Bearer k";
  expect(asked).toEqual(["/api/v1/donations?sort=createdAt Bearer k", next, next]);
});
