import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { baseUrl, callback, granted, pkce, type TestClient } from "./testing.ts";
import {
  type Browser,
  formTokenOf,
  logIn,
  type OAuthPagesFixture,
  openBrowser,
  openOAuthPagesFixture,
  type Seen,
} from "./testing-pages.ts";

let fixture: OAuthPagesFixture;
let client: TestClient;
let browser: Browser;
let page: Seen;

beforeAll(async () => {
  fixture = await openOAuthPagesFixture();
});

afterAll(async () => fixture?.close());

beforeEach(async () => {
  client = await fixture.client();
  browser = await fixture.loggedIn();
  page = await browser.visit(request());
});

const state = "a b&c=ก";
const { challenge } = pkce();
const request = (changes: Record<string, string> = {}) =>
  `/oauth/authorize?${new URLSearchParams({ response_type: "code", client_id: client.client_id, redirect_uri: callback, state, ...changes })}`;
const decide = (decision: string, shown = page) => browser.submit(shown, "/oauth/consent", { decision });
const grants = () => fixture.database.knex("oauth_grants").where({ client_id: client.client_id }).select();

test("an approval redirects back with code, state and iss, and the code stands for what the page showed", async () => {
  const shown = await browser.visit(
    request({ scope: "read:donations", code_challenge: challenge, code_challenge_method: "S256", resource: `${baseUrl}/mcp` }),
  );
  const { status, location } = await decide("approve", shown);
  expect(status).toBe(303);
  const answer = new URL(location);
  expect(answer.origin + answer.pathname).toBe(callback);
  expect([...answer.searchParams.keys()]).toEqual(["code", "state", "iss"]);
  expect(answer.searchParams.get("state")).toBe(state);
  expect(answer.searchParams.get("iss")).toBe(baseUrl);
  expect(await fixture.codes.find(answer.searchParams.get("code") ?? "")).toMatchObject({
    state: "valid",
    redirectUri: callback,
    codeChallenge: challenge,
    grant: { clientId: client.client_id, streamerId: fixture.somchai, scopes: ["read:donations"], resource: `${baseUrl}/mcp` },
  });
});

test("an approval of a request without redirect URI, challenge, resource and scope grants all registered scopes and records no value for the others", async () => {
  const shown = await browser.visit(`/oauth/authorize?response_type=code&client_id=${client.client_id}`);
  const { location } = await decide("approve", shown);
  const { searchParams } = new URL(location);
  expect(searchParams.has("state")).toBe(false);
  expect(await fixture.codes.find(searchParams.get("code") ?? "")).toMatchObject({
    redirectUri: null,
    codeChallenge: null,
    grant: { scopes: granted, resource: null },
  });
});

test("the consent page says who registered a client, and that nobody checked it; of a client of the operator it says nothing", async () => {
  const settings = { name: "Lamp", public: true, redirectUris: [callback], scopes: granted };
  const { clientId } = await fixture.clients.create(settings, fixture.malee);
  const shown = await browser.visit(request({ client_id: clientId, code_challenge: challenge, code_challenge_method: "S256" }));
  expect(shown.html).toContain("Registered by <strong><bdi>malee</bdi></strong>, not checked by Namjai.");
  expect(page.html).not.toContain("Registered by");
});

test("a denial redirects back with access_denied, state and iss, and grants nothing", async () => {
  const { status, location } = await decide("deny");
  expect(status).toBe(303);
  expect(Object.fromEntries(new URL(location).searchParams)).toEqual({
    error: "access_denied",
    error_description: expect.any(String),
    state,
    iss: baseUrl,
  });
  expect(await grants()).toEqual([]);
});

test.each(["", "Approve", "yes", "deny,approve"])("the decision %j approves nothing and is answered with 400", async (decision) => {
  expect(await decide(decision)).toMatchObject({ status: 400, location: "" });
  expect(await grants()).toEqual([]);
});

test.each([
  ["from another site", { origin: "https://evil.example" }, 403],
  ["from an unnamed origin", { origin: "null" }, 403],
  ["without the session cookie", { cookie: undefined }, 400],
])("a consent form %s approves nothing (CSRF)", async (_title, changes, status) => {
  const answer = await browser.submit(page, "/oauth/consent", { decision: "approve" }, changes);
  expect(answer).toMatchObject({ status, location: "" });
  expect(await grants()).toEqual([]);
});

test.each([
  ["none", async () => ({})],
  [
    "one of another session of the same streamer",
    async () => ({ formToken: formTokenOf(await (await fixture.loggedIn()).visit(request()), "/oauth/consent") }),
  ],
  [
    "one of another streamer",
    async () => ({ formToken: formTokenOf(await (await fixture.loggedIn("malee")).visit(request()), "/oauth/consent") }),
  ],
  ["one of another form", async () => ({ formToken: formTokenOf(page, "/oauth/logout") })],
  ["one that was changed", async () => ({ formToken: changed(formTokenOf(page, "/oauth/consent")) })],
])("a consent form whose form token is %s approves nothing", async (_title, fields) => {
  const answer = await browser.send("/oauth/consent", { decision: "approve", ...(await fields()) });
  expect(answer).toMatchObject({ status: 400, location: "" });
  expect(await grants()).toEqual([]);
});

test("a form token from before the login approves nothing after it", async () => {
  const stranger = openBrowser(fixture.pages);
  const asked = await stranger.visit(request());
  const sealed = formTokenOf(asked, "/oauth/login");
  await logIn(stranger, asked);
  expect(await stranger.send("/oauth/consent", { decision: "approve", formToken: sealed })).toMatchObject({ status: 400 });
});

test("a consent page that is still open after logout approves nothing", async () => {
  await browser.submit(page, "/oauth/logout");
  expect(await decide("approve")).toMatchObject({ status: 400, location: "" });
});

test("the consent form of an expired session approves nothing", async () => {
  await fixture.database.knex("sessions").update({ expires_at: "-infinity" });
  expect(await decide("approve")).toMatchObject({ status: 400, location: "" });
  expect(await grants()).toEqual([]);
});

test("a consent form that was open for more than ten minutes approves nothing", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await decide("approve")).toMatchObject({ status: 400, location: "" });
});

test("additional fields of the consent form do not change what is approved", async () => {
  const fields = { decision: "approve", redirect_uri: "https://evil.example/", scope: "write:alerts", state: "other", client_id: "other" };
  const { location } = await browser.submit(page, "/oauth/consent", fields);
  expect(location.startsWith(`${callback}?code=`)).toBe(true);
  expect(new URL(location).searchParams.get("state")).toBe(state);
});

test("a client that was removed while the consent page was open gets no code and no redirect", async () => {
  await fixture.clients.remove(client.client_id, fixture.denials);
  expect(await decide("approve")).toMatchObject({ status: 400, location: "" });
  expect(await grants()).toEqual([]);
});

test("no code goes to a redirect URI that the client took back while the consent page was open, whether or not the request named it", async () => {
  const shown = [page, await browser.visit(request().replace(/&redirect_uri=[^&]*/, ""))];
  const other = ["https://client.example/other"];
  await fixture.database.knex("oauth_clients").where({ id: client.client_id }).update({ redirect_uris: other });
  for (const one of shown) expect(await decide("approve", one)).toMatchObject({ status: 400, location: "" });
  expect(await grants()).toEqual([]);
});

test("a loopback client is answered on the port of its request (RFC 8252 7.3)", async () => {
  client = await fixture.client({ public: true, redirectUris: ["http://127.0.0.1/callback"] });
  const redirect_uri = "http://127.0.0.1:51004/callback";
  const shown = await browser.visit(request({ redirect_uri, code_challenge: challenge, code_challenge_method: "S256" }));
  const { location } = await decide("approve", shown);
  expect(location.startsWith(`${redirect_uri}?code=`)).toBe(true);
  expect(await fixture.codes.find(new URL(location).searchParams.get("code") ?? "")).toMatchObject({ redirectUri: redirect_uri });
});

/** The token with another first character. */
function changed(token: string): string {
  return (token.startsWith("A") ? "B" : "A") + token.slice(1);
}
