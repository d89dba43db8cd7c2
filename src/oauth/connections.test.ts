import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { savePreferences } from "./accounts/self-service.ts";
import type { TestClient } from "./testing.ts";
import { type Browser, formTokenOf, type OAuthPagesFixture, openBrowser, openOAuthPagesFixture } from "./testing-pages.ts";

let fixture: OAuthPagesFixture;
let client: TestClient;
let browser: Browser;

beforeAll(async () => {
  fixture = await openOAuthPagesFixture();
});

afterAll(async () => fixture?.close());

beforeEach(async () => {
  client = await fixture.client({ name: "Stream Buddy" });
  browser = await fixture.loggedIn();
});

const path = "/oauth/connections";
const disconnecting = `${path}/disconnect`;
const live = async () =>
  (await fixture.database.knex("oauth_grants").where({ client_id: client.client_id }).whereNull("revoked_at")).length;

/** Lets the client in, up to its first tokens. */
async function connect(streamerId = fixture.somchai, scopes = ["read:donations"] as const): Promise<void> {
  const code = await fixture.approve(client, { streamerId, scopes });
  const found = await fixture.codes.find(code);
  await fixture.useCode(code, { grantId: found?.grant.id ?? "", resource: null });
}

test("a visitor who is not logged in is sent to log in, and comes back to the connections page", async () => {
  expect(await openBrowser(fixture.pages).visit(path)).toMatchObject({ status: 303, location: "/oauth/login?to=/oauth/connections" });
});

test("the connections page shows the streamer's applications with scopes in words, and no application of another streamer", async () => {
  await connect();
  const { html } = await browser.visit(path);
  for (const text of ["Stream Buddy", "See your donations", "somchai"]) expect(html).toContain(text);
  const hers = await (await fixture.loggedIn("malee")).visit(path);
  expect(hers.html).not.toContain("Stream Buddy");
});

test("the connections page says of an application that registered itself, and of no other, that it is unverified", async () => {
  await connect();
  expect((await browser.visit(path)).html).not.toContain("Unverified");
  await fixture.database.knex("oauth_clients").where({ id: client.client_id }).update({ self_registered: true });
  expect((await browser.visit(path)).html).toContain("Unverified: it registered itself");
});

test("the day since which an application is connected is that of the streamer's time zone", async () => {
  const { knex } = fixture.database;
  await connect(fixture.malee);
  await knex("oauth_grants").where({ client_id: client.client_id }).update({ created_at: "2026-11-20T18:30:00Z" });
  const hers = await fixture.loggedIn("malee");
  expect((await hers.visit(path)).html).toContain("Connected on 21 November 2026");
  await savePreferences(knex, fixture.malee, { timeZone: "America/New_York", language: "en" });
  const { html } = await hers.visit(path);
  for (const text of ["Connected on 20 November 2026", 'datetime="2026-11-20T18:30:00.000Z"']) expect(html).toContain(text);
});

test("an application that was approved twice is listed once, with all its scopes", async () => {
  client = await fixture.client({ name: "Twice" });
  await connect();
  await connect(fixture.somchai, ["write:donations"] as never);
  const { html } = await browser.visit(path);
  expect(html.match(/<h2><bdi>Twice/g)).toHaveLength(1);
  expect(html).toContain("Record new donations");
});

test("an application name that looks like markup is escaped in the connections page", async () => {
  client = await fixture.client({ name: `<script>alert("x")</script>` });
  await connect();
  expect((await browser.visit(path)).html).not.toContain("<script");
});

test("disconnecting an application revokes every grant of it for this streamer, and none of another streamer", async () => {
  await connect();
  await connect();
  await connect(fixture.malee);
  const answer = await browser.submit(await browser.visit(path), disconnecting, { client: client.client_id });
  expect(answer).toMatchObject({ status: 303, location: path });
  expect(await live()).toBe(1);
  expect((await browser.visit(path)).html).not.toContain(client.client_id);
});

test("disconnecting an application also revokes an approval whose code can still be exchanged", async () => {
  await connect();
  const code = await fixture.approve(client, { streamerId: fixture.somchai, scopes: ["read:donations"] });
  await browser.submit(await browser.visit(path), disconnecting, { client: client.client_id });
  expect(await fixture.codes.find(code)).toMatchObject({ state: "invalid" });
});

test("a streamer cannot disconnect another streamer's application", async () => {
  await connect();
  await connect(fixture.malee);
  const hers = await fixture.loggedIn("malee");
  await fixture.grants.connections(fixture.malee);
  const other = await fixture.client();
  await fixture.approve(other, { streamerId: fixture.somchai });
  await hers.submit(await hers.visit(path), disconnecting, { client: other.client_id });
  expect(await fixture.database.knex("oauth_grants").where({ client_id: other.client_id }).whereNotNull("revoked_at")).toEqual([]);
});

test.each([
  [
    "from another site",
    async () => browser.submit(await browser.visit(path), disconnecting, { client: client.client_id }, { origin: "https://evil.example" }),
    403,
  ],
  ["without a form token", async () => browser.send(disconnecting, { client: client.client_id }), 400],
  [
    "with another session's",
    async () => {
      const formToken = formTokenOf(await (await fixture.loggedIn()).visit(path), disconnecting);
      return browser.send(disconnecting, { client: client.client_id, formToken });
    },
    400,
  ],
])("a disconnect form %s disconnects nothing (CSRF)", async (_title, send, status) => {
  await connect();
  expect((await send()).status).toBe(status);
  expect(await live()).toBe(1);
});

test("logging out ends the session at once, also for copies of its cookie", async () => {
  const copy = openBrowser(fixture.pages);
  for (const [name, value] of browser.jar) copy.jar.set(name, value);
  expect((await copy.visit(path)).status).toBe(200);
  expect(await browser.submit(await browser.visit(path), "/oauth/logout")).toMatchObject({ status: 303, location: "/oauth/login" });
  expect([...browser.jar.keys()], "only that somebody logged in here is kept").toEqual(["__Host-namjai_browser"]);
  expect((await copy.visit(path)).status).toBe(303);
});

test("a form of another site logs nobody out", async () => {
  const page = await browser.visit(path);
  expect((await browser.submit(page, "/oauth/logout", {}, { origin: "https://evil.example" })).status).toBe(403);
  expect((await browser.send("/oauth/logout", {})).status).toBe(400);
  expect((await browser.visit(path)).status).toBe(200);
});
