import { afterAll, beforeAll, expect, test } from "vitest";
import { baseUrl, callback, granted, pkce, type TestClient } from "./testing.ts";
import { type OAuthPagesFixture, openBrowser, openOAuthPagesFixture } from "./testing-pages.ts";

let fixture: OAuthPagesFixture;
let confidential: TestClient;
let app: TestClient;
let several: TestClient;

beforeAll(async () => {
  fixture = await openOAuthPagesFixture();
  confidential = await fixture.client({ name: "Stream Buddy" });
  app = await fixture.client({ name: "Phone app", public: true, redirectUris: ["http://127.0.0.1/callback"] });
  several = await fixture.client({ redirectUris: [callback, "https://client.example/other"] });
});

afterAll(async () => fixture?.close());

const { challenge } = pkce();
const good = () => ({ response_type: "code", client_id: confidential.client_id, redirect_uri: callback });
const proof = { code_challenge: challenge, code_challenge_method: "S256" };

/** Asks, as a stranger unless told otherwise. An undefined parameter is left out. */
async function ask(query: Record<string, string | undefined>, browser = openBrowser(fixture.pages)) {
  const sent = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return browser.visit(`/oauth/authorize?${new URLSearchParams(sent)}`);
}

test("a visitor who is not logged in is shown the login page, with the application's name", async () => {
  const page = await ask(good());
  expect(page.status).toBe(200);
  expect(page.html).toMatch(/<h1>.*Stream Buddy/);
  expect(page.html).toContain('action="/oauth/login"');
  expect(page.html).not.toContain('action="/oauth/consent"');
});

test("the consent page shows the application, the redirect host, the scopes in words and the logged-in streamer", async () => {
  const page = await ask({ ...good(), scope: "read:donations" }, await fixture.loggedIn());
  expect(page.status).toBe(200);
  for (const text of ["Stream Buddy", "client.example", "somchai", "See your donations"]) expect(page.html).toContain(text);
  expect(page.html).not.toContain("Record new donations");
});

test("form-action of the login page allows the client's origin, and form-action of the consent page any redirect of the client's scheme", async () => {
  const loopback = { ...good(), client_id: app.client_id, redirect_uri: "http://127.0.0.1:5000/callback", ...proof };
  expect((await ask(good())).policy).toContain("form-action 'self' https://client.example;");
  expect((await ask(loopback)).policy).toContain("form-action 'self' http://127.0.0.1:5000;");
  expect((await ask(good(), await fixture.loggedIn())).policy).toContain("form-action 'self' https:;");
  expect((await ask(loopback, await fixture.loggedIn())).policy).toContain("form-action 'self' http:;");
});

test("a client name that looks like markup is escaped in the consent page", async () => {
  const name = `<script>alert("x")</script><img src=x onerror='alert(1)'>&amp;`;
  const client = await fixture.client({ name });
  for (const browser of [openBrowser(fixture.pages), await fixture.loggedIn()]) {
    const { html } = await ask({ ...good(), client_id: client.client_id }, browser);
    expect(html).not.toMatch(/<script|<img/);
    expect(html).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;amp;");
  }
});

test("redirect host, handle and every sent parameter are escaped in the consent page", async () => {
  const evil = `"><script>alert(1)</script>`;
  for (const browser of [openBrowser(fixture.pages), await fixture.loggedIn()])
    expect((await ask({ ...good(), state: evil, resource: undefined }, browser)).html).not.toContain("<script");
});

const refusals: [string, () => Record<string, string | undefined>][] = [
  ["no client", () => ({ ...good(), client_id: undefined })],
  ["an unknown client", () => ({ ...good(), client_id: "nobody" })],
  ["a client in another case", () => ({ ...good(), client_id: confidential.client_id.toUpperCase() })],
  ["another client's redirect URI", () => ({ ...good(), redirect_uri: "https://client.example/other" })],
  ["a foreign redirect URI", () => ({ ...good(), redirect_uri: "https://evil.example/callback" })],
  ["no redirect URI where there are several", () => ({ ...good(), client_id: several.client_id, redirect_uri: undefined })],
  ["a redirect URI with another slash", () => ({ ...good(), redirect_uri: `${callback}/` })],
  ["a script as redirect URI", () => ({ ...good(), redirect_uri: "javascript:alert(1)" })],
];

test.each(refusals)(
  "a request with %s gets an error page and never a redirect, whatever else is wrong (RFC 6749 4.1.2.1)",
  async (_title, query) => {
    for (const request of [query(), { ...query(), response_type: "token", scope: "nonsense" }]) {
      const page = await ask(request);
      expect(page).toMatchObject({ status: 400, location: "", cookies: [] });
      expect(page.html).toContain("<h1>");
      expect(page.html).not.toContain("evil.example");
    }
  },
);

test("an authorization request of a removed client gets the page for an unknown client", async () => {
  const client = await fixture.client();
  await fixture.clients.remove(client.client_id, fixture.denials);
  expect((await ask({ ...good(), client_id: client.client_id })).status).toBe(400);
});

const errors: [string, string, () => Record<string, string | undefined>][] = [
  ["no response_type", "invalid_request", () => ({ response_type: undefined })],
  ["the implicit flow", "unsupported_response_type", () => ({ response_type: "token" })],
  ["a hybrid flow", "unsupported_response_type", () => ({ response_type: "code id_token" })],
  ["response_type in another case", "unsupported_response_type", () => ({ response_type: "Code" })],
  ["an unknown scope", "invalid_scope", () => ({ scope: "admin" })],
  ["a scope in another case", "invalid_scope", () => ({ scope: "Read:donations" })],
  ["a scope beyond the client's", "invalid_scope", () => ({ scope: "write:alerts" })],
  ["a scope of blanks", "invalid_scope", () => ({ scope: "  " })],
  ["scopes joined by a tab", "invalid_scope", () => ({ scope: "read:donations\twrite:donations" })],
  ["a plain challenge", "invalid_request", () => ({ code_challenge: challenge, code_challenge_method: "plain" })],
  ["a challenge without method, which means plain", "invalid_request", () => ({ code_challenge: challenge })],
  ["the method in another case", "invalid_request", () => ({ code_challenge: challenge, code_challenge_method: "s256" })],
  ["a method without challenge", "invalid_request", () => ({ code_challenge_method: "S256" })],
  ["a challenge of 42 characters", "invalid_request", () => ({ ...proof, code_challenge: challenge.slice(1) })],
  ["a challenge of 44 characters", "invalid_request", () => ({ ...proof, code_challenge: `${challenge}A` })],
  ["a padded challenge", "invalid_request", () => ({ ...proof, code_challenge: `${challenge.slice(1)}=` })],
  ["a challenge in plain base64", "invalid_request", () => ({ ...proof, code_challenge: `${challenge.slice(1)}+` })],
  ["a challenge and a line break", "invalid_request", () => ({ ...proof, code_challenge: `${challenge}\n` })],
  ["another resource", "invalid_target", () => ({ resource: "https://other.example" })],
  ["a part of the API as resource", "invalid_target", () => ({ resource: `${baseUrl}/api/v1` })],
  ["/mcp with a slash", "invalid_target", () => ({ resource: `${baseUrl}/mcp/` })],
];

test.each(errors)(
  "a request with %s is redirected back with %s, state and iss (RFC 6749 4.1.2.1, RFC 9207)",
  async (_title, error, changes) => {
    const state = "a b&c=ก";
    for (const browser of [openBrowser(fixture.pages), await fixture.loggedIn()]) {
      const { status, location, html } = await ask({ ...good(), state, ...changes() }, browser);
      expect({ status, html }).toEqual({ status: 303, html: "" });
      const answer = new URL(location);
      expect(answer.origin + answer.pathname).toBe(callback);
      expect(Object.fromEntries(answer.searchParams)).toEqual({
        error,
        error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/),
        state,
        iss: baseUrl,
      });
    }
  },
);

test("an invalid request of a client that a streamer registered gets a page and no redirect (RFC 9700 4.11.2), and one without PKCE is invalid (RFC 9700 2.1.1)", async () => {
  const settings = { name: "Phish", public: false, redirectUris: ["https://phish.example/"], scopes: granted };
  const { clientId } = await fixture.clients.create(settings, fixture.malee);
  const request = { response_type: "code", client_id: clientId, redirect_uri: "https://phish.example/" };
  const browser = await fixture.loggedIn();
  for (const changes of [{}, { ...proof, response_type: "token" }]) {
    const page = await ask({ ...request, ...changes }, browser);
    expect(page).toMatchObject({ status: 400, location: "" });
  }
  expect((await ask({ ...request, ...proof }, browser)).status).toBe(200);
});

test("an invalid request of a client that is known by its document only gets a page and no redirect (RFC 9700 4.11.2)", async () => {
  const id = "https://stranger.example/client.json";
  await fixture.clients.upsert({
    id,
    name: "Stranger",
    public: true,
    redirectUris: ["https://phish.example/"],
    scopes: granted,
    registeredBy: null,
    selfRegistered: false,
  });
  const request = { response_type: "code", client_id: id, redirect_uri: "https://phish.example/" };
  for (const browser of [openBrowser(fixture.pages), await fixture.loggedIn()]) {
    for (const [, , changes] of errors) {
      const page = await ask({ ...request, ...changes() }, browser);
      expect(page).toMatchObject({ status: 400, location: "", cookies: [] });
    }
    expect((await ask({ ...request, ...proof }, browser)).status).toBe(200);
  }
});

test("a request of a public client without a code_challenge is invalid_request", async () => {
  const request = { ...good(), client_id: app.client_id, redirect_uri: "http://127.0.0.1:5000/callback" };
  const { location } = await ask(request);
  expect(location).toMatch(/^http:\/\/127\.0\.0\.1:5000\/callback\?error=invalid_request&/);
  expect((await ask({ ...request, ...proof })).status).toBe(200);
});

test("an error is sent to the only registered redirect URI when the request names none, and without state when it had none", async () => {
  const { location } = await ask({ ...good(), redirect_uri: undefined, response_type: "token" });
  expect(location.startsWith(`${callback}?error=`)).toBe(true);
  expect(new URL(location).searchParams.has("state")).toBe(false);
});

test.each([
  ["no redirect URI where one is registered", { redirect_uri: undefined }],
  ["a challenge from a confidential client", proof],
  ["the base URL as resource", { resource: baseUrl }],
  ["the base URL with a slash", { resource: `${baseUrl}/` }],
  ["/mcp as resource", { resource: `${baseUrl}/mcp` }],
  ["a scope twice, and extra blanks", { scope: " read:donations  read:donations " }],
  ["all scopes in another order", { scope: [...granted].reverse().join(" ") }],
  ["a very long state", { state: "x".repeat(8_000) }],
])("an authorization request with %s is accepted", async (_title, changes) => {
  expect((await ask({ ...good(), ...changes }, await fixture.loggedIn())).status).toBe(200);
});

test("an authorization request without scope asks for all scopes that the client registered", async () => {
  const { html } = await ask(good(), await fixture.loggedIn());
  expect(html.match(/<li>/g)).toHaveLength(granted.length);
});
