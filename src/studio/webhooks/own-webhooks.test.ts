import { expect, test } from "vitest";
import type { Fault } from "../../http/problem.ts";
import type { StreamerCall, StreamerClient } from "../streamer-client.ts";
import { ownWebhooks } from "./own-webhooks.ts";
import { webhook } from "./testing-webhooks.ts";

const applications = [
  { id: "bot's", name: "bot", isOwn: true, scopes: ["read:donations"], webhooks: ["w1"] },
  { id: "idle", name: "idle", isOwn: true, scopes: ["read:alerts"], webhooks: [] },
  { id: "past", name: "past", isOwn: true, scopes: [], webhooks: [] },
  { id: "lamp's", name: "lamp", isOwn: false, scopes: ["read:alerts"], webhooks: ["w2"] },
] as const;

const clientOf = (call: (id: string, call: StreamerCall) => Promise<unknown>) =>
  ({ call: (_: string, id: string, sent: StreamerCall) => call(id, sent) }) as unknown as StreamerClient;

function openFake() {
  const calls: unknown[] = [];
  const client = clientOf(async (id, { as, ...call }) => {
    calls.push([id, as?.id, as?.scopes, call]);
    return { body: { data: id === "listWebhooks" ? [webhook()] : webhook() } };
  });
  const rotate = async (...call: unknown[]) => {
    calls.push(["rotate", ...call]);
    return null;
  };
  return { calls, webhooks: ownWebhooks(client, { findRefusals: () => [], rotate }, async () => applications) };
}

test("the studio acts on an endpoint in the name of its application, with the scopes of its keys", async () => {
  const { calls, webhooks } = openFake();
  await webhooks.change("somchai", "w1", { enabled: false });
  await webhooks.redeliver("somchai", "w1", "e1");
  await webhooks.recover("somchai", "w1", "2026-11-20T12:30:00.000Z");
  await webhooks.create("somchai", "idle", { url: "https://hooks.test" });
  expect(calls).toEqual([
    ["updateWebhook", "bot's", ["read:donations"], { path: { webhookId: "w1" }, body: { enabled: false } }],
    ["redeliverWebhook", "bot's", ["read:donations"], { path: { webhookId: "w1", deliveryId: "e1" } }],
    ["recoverWebhook", "bot's", ["read:donations"], { path: { webhookId: "w1" }, body: { since: "2026-11-20T12:30:00.000Z" } }],
    ["createWebhook", "idle", ["read:alerts"], { body: { url: "https://hooks.test" } }],
  ]);
});

test("a secret is rotated in the name of the endpoint's application, in place of the one that the streamer knows", async () => {
  const { calls, webhooks } = openFake();
  await webhooks.rotate("somchai", "w1", null);
  await webhooks.rotate("somchai", "w1", "2026-11-22T03:00:00.250Z");
  const owner = { streamerId: "somchai", applicationId: "bot's" };
  expect(calls).toEqual([
    ["rotate", owner, "w1", null],
    ["rotate", owner, "w1", Date.UTC(2026, 10, 22, 3, 0, 0, 250)],
  ]);
});

test("endpoints of somebody else's application are listed and can't be reached otherwise", async () => {
  const { calls, webhooks } = openFake();
  const listed = await webhooks.list("somchai");
  expect(listed.map(({ application, webhooks: found }) => [application.name, found.length])).toEqual([
    ["bot", 1],
    ["idle", 0],
    ["lamp", 1],
  ]);
  calls.length = 0;
  const refused = { code: "webhook_not_found" };
  await expect(webhooks.find("somchai", "w2")).rejects.toMatchObject(refused);
  await expect(webhooks.remove("somchai", "w2")).rejects.toMatchObject(refused);
  await expect(webhooks.rotate("somchai", "w3", null)).rejects.toMatchObject(refused);
  await expect(webhooks.create("somchai", "lamp's", {})).rejects.toMatchObject(refused);
  expect(calls).toEqual([]);
});

test("an endpoint's refusals are named together with the faults of the contract", async () => {
  const url: Fault = { pointer: "/url", code: "invalid_format", message: "must be public" };
  const asked: unknown[] = [];
  const client = clientOf(async (id, { as: _, ...call }) => {
    asked.push([id, call]);
    throw new Error("refused");
  });
  const findRefusals = (scopes: readonly string[], body: object) => (scopes.length === 1 && "url" in body ? [url] : []);
  const webhooks = ownWebhooks(client, { findRefusals, rotate: async () => null }, async () => applications);
  await expect(webhooks.create("somchai", "idle", { url: "x" })).rejects.toThrow("refused");
  await expect(webhooks.change("somchai", "w1", { url: "x" })).rejects.toThrow("refused");
  expect(asked).toEqual([
    ["createWebhook", { body: { url: "x" }, faults: [url] }],
    ["updateWebhook", { path: { webhookId: "w1" }, body: { url: "x" }, faults: [url] }],
  ]);
});
