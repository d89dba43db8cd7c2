import { afterAll, beforeAll, expect, test } from "vitest";
import { auditLines } from "../../audit/testing.ts";
import { deleteExpired } from "../open-oauth.ts";
import { ask, callback, type OAuthFixture, openOAuthFixture } from "../testing.ts";
import { noThrottle } from "./client-authentication.ts";
import { registerClient } from "./register-client.ts";

let fixture: OAuthFixture;
let registered = 0;
beforeAll(async () => {
  fixture = await openOAuthFixture();
});
afterAll(() => fixture?.close());

/** The id of a client that has registered itself. */
async function register(name = " Assistant "): Promise<string> {
  const deps = { isOn: true, clients: fixture.clients, throttle: noThrottle, onRegistered: () => void (registered += 1) };
  const { body } = await ask(registerClient(deps), { redirect_uris: [callback], client_name: name });
  return String(body?.client_id);
}

const expire = (id: string) =>
  fixture.database
    .knex("oauth_clients")
    .where({ id })
    .whereNotNull("expires_at")
    .update({ expires_at: new Date(0) });

test("a client that registered itself is public, listed as such, counted, and a line of the operator's audit log", async () => {
  const id = await register();
  expect(await fixture.clients.find(id)).toMatchObject({ name: "Assistant", public: true, selfRegistered: true, registeredBy: null });
  const entry = (await fixture.clients.list()).find((one) => one.id === id);
  expect(entry).toMatchObject({ selfRegistered: true, expiresAt: expect.any(Date) });
  expect(registered).toBe(1);
  expect((await auditLines(fixture.database.knex, "operator")).at(-1)).toMatchObject({
    action: "client.created",
    target: id,
    details: { selfRegistered: true, hosts: [new URL(callback).host] },
  });
});

test.each([
  ["\u202Eknab \u2066x", "knab x"],
  ["Bank\n\nChecked\0", "Bank Checked"],
  [`B${"\u0301".repeat(60)}ank`, `B${"\u0301".repeat(3)}ank`],
  ["\u200B\u2060 ", new URL(callback).host],
  ["ผู้ช่วย 🎉", "ผู้ช่วย 🎉"],
  ["bank.example · Bank", new URL(callback).host],
])("the name %j that an application gives itself is registered as %j", async (name, registered) =>
  expect(await fixture.clients.find(await register(name))).toMatchObject({ name: registered }),
);

test("a client that no streamer has approved is unknown after a day, and deleted with its application", async () => {
  const { knex } = fixture.database;
  const id = await register();
  const client = await fixture.clients.find(id);
  await expire(id);
  expect(await fixture.clients.find(id)).toBeNull();
  expect(await fixture.refreshTokens.findWithClient(id, undefined)).toBeNull();
  await deleteExpired(knex);
  expect([await knex("oauth_clients").where({ id }), await knex("applications").where({ id: client?.applicationId })]).toEqual([[], []]);
});

test("a client that a streamer has approved stays", async () => {
  const id = await register();
  await fixture.clients.keep(id);
  await expire(id);
  await deleteExpired(fixture.database.knex);
  expect(await fixture.clients.find(id)).toMatchObject({ selfRegistered: true });
});
