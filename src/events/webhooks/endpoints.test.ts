import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { apiKeyStore, ensureApplication } from "../../auth/api-keys.ts";
import { makeSealer } from "../../db/secrets.ts";
import { useDatabase } from "../../db/testing.ts";
import { endpointStore, webhookApplications } from "./endpoints.ts";
import { newSecret } from "./request/send.ts";
import { useTestWebhooks } from "./testing.ts";

const setting = useTestWebhooks();
const dayMs = 86_400_000;

/** An endpoint, how its secret is rotated, and how many of some rotations at once replace it. */
async function setUp() {
  const { webhooks } = setting;
  const owner = await webhooks.owner();
  const { id } = await webhooks.endpoint(owner, "http://127.0.0.1:9/");
  const rotate = (replaces?: number | null) =>
    webhooks.endpoints.rotate(owner, id, { secret: newSecret(), until: webhooks.now() + dayMs, replaces });
  const atOnce = async (replaces: number | null) =>
    (await Promise.all(Array.from({ length: 4 }, () => rotate(replaces)))).filter((rotated) => rotated !== null);
  const lines = () => webhooks.knex("audit_log").where({ chain: owner.streamerId }).whereLike("entry", "%webhook.secret_rotated%");
  return { rotate, atOnce, lines };
}

test("one of several rotations at once that replace the same secret goes through", async () => {
  const { atOnce, lines } = await setUp();
  const first = await atOnce(null);
  expect(first).toHaveLength(1);
  expect(await atOnce(null)).toEqual([]);
  setting.webhooks.advance(1);
  expect(await atOnce(first[0]?.previousSecretUntil ?? 0)).toHaveLength(1);
  expect(await lines()).toHaveLength(2);
});

test("a secret whose previous one signs no longer is replaced as one that has none", async () => {
  const { rotate, atOnce } = await setUp();
  const until = (await rotate())?.previousSecretUntil ?? 0;
  setting.webhooks.advance(dayMs + 1);
  expect(await atOnce(until)).toEqual([]);
  expect(await atOnce(null)).toHaveLength(1);
});

test("a rotation that names no secret replaces whichever there is", async () => {
  const { rotate } = await setUp();
  for (let i = 0; i < 3; i += 1) expect(await rotate()).not.toBeNull();
});

const database = useDatabase();

async function newStreamer(): Promise<string> {
  const id = uuidv7();
  await database.knex("streamers").insert({ id });
  return id;
}

async function newEndpoint(streamerId: string, applicationId: string): Promise<string> {
  const endpoint = {
    id: uuidv7(),
    url: "https://hooks.test",
    description: "",
    types: ["goal.reached" as const],
    withImported: true,
    secret: Buffer.alloc(32),
  };
  await endpointStore(database.knex, makeSealer("a secret key"), Date.now).insert({ streamerId, applicationId }, endpoint, 10);
  return endpoint.id;
}

test("a streamer's own applications are listed with their live scopes, others only with an endpoint for this streamer", async () => {
  const [somchai, anong] = [await newStreamer(), await newStreamer()];
  const keys = apiKeyStore(database.knex, "namjai");
  const add = (application: string, scopes: readonly ("read:donations" | "read:alerts")[]) =>
    keys.create({ streamerId: somchai, application, name: "", scopes });
  await add("bot", ["read:donations"]);
  await add("bot", ["read:alerts"]);
  await add("revoked", ["read:alerts"]);
  const [, , last] = await keys.list(somchai);
  await keys.revoke(last?.id ?? "", somchai);
  const client = uuidv7();
  await database.knex("applications").insert({ id: client, streamer_id: null, name: "lamp" });
  const [mine] = [await newEndpoint(somchai, client), await newEndpoint(anong, client)];
  const bot = await newEndpoint(somchai, await ensureApplication(database.knex, somchai, "bot"));

  const found = await webhookApplications(database.knex, somchai);
  expect(found.map(({ id: _, scopes, ...others }) => ({ ...others, scopes: [...scopes].sort() }))).toEqual([
    { name: "bot", isOwn: true, scopes: ["read:alerts", "read:donations"], webhooks: [bot] },
    { name: "lamp", isOwn: false, scopes: [], webhooks: [mine] },
    { name: "revoked", isOwn: true, scopes: [], webhooks: [] },
  ]);
});
