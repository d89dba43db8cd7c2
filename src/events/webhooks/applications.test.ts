import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { apiKeyStore, ensureApplication } from "../../auth/api-keys.ts";
import { makeSealer } from "../../db/secrets.ts";
import { useDatabase } from "../../db/testing.ts";
import { endpointStore, webhookApplications } from "./endpoints.ts";

let knex: Knex;
useDatabase(async (database) => {
  knex = database.knex;
});

async function newStreamer(): Promise<string> {
  const id = uuidv7();
  await knex("streamers").insert({ id });
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
  await endpointStore(knex, makeSealer("a secret key"), Date.now).insert({ streamerId, applicationId }, endpoint, 10);
  return endpoint.id;
}

test("a streamer's own applications are listed with their live scopes, others only with an endpoint for this streamer", async () => {
  const [somchai, anong] = [await newStreamer(), await newStreamer()];
  const keys = apiKeyStore(knex, "namjai");
  const add = (application: string, scopes: readonly ("read:donations" | "read:alerts")[]) =>
    keys.create({ streamerId: somchai, application, name: "", scopes });
  await add("bot", ["read:donations"]);
  await add("bot", ["read:alerts"]);
  await add("revoked", ["read:alerts"]);
  const [, , last] = await keys.list(somchai);
  await keys.revoke(last?.id ?? "", somchai);
  const client = uuidv7();
  await knex("applications").insert({ id: client, streamer_id: null, name: "lamp" });
  const [mine] = [await newEndpoint(somchai, client), await newEndpoint(anong, client)];
  const bot = await newEndpoint(somchai, await ensureApplication(knex, somchai, "bot"));

  const found = await webhookApplications(knex, somchai);
  expect(found.map(({ id: _, scopes, ...others }) => ({ ...others, scopes: [...scopes].sort() }))).toEqual([
    { name: "bot", isOwn: true, scopes: ["read:alerts", "read:donations"], webhooks: [bot] },
    { name: "lamp", isOwn: false, scopes: [], webhooks: [mine] },
    { name: "revoked", isOwn: true, scopes: [], webhooks: [] },
  ]);
});
