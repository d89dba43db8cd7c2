import { beforeEach, describe, expect, test } from "vitest";
import { me } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { authorizationPath, loggedIn, requestAuthorization } from "../../suite/client/oauth/authorization.ts";
import { expectError, issuer, needsClients, newGrant, post, scopesIn } from "../../suite/client/oauth/oauth-client.ts";
import { visit } from "../../suite/client/page-visitor.ts";
import { operation, scopes } from "../../suite/contract/contract.ts";
import { startProcess } from "../../suite/servers/start-server.ts";
import { type Client, operatorOf, target } from "../../suite/values/target.ts";

const redirectUri = "http://127.0.0.1/callback";
const register = (metadata: object, server?: string, headers?: Record<string, string>) =>
  post("/oauth/register", { redirect_uris: [redirectUri], ...metadata }, { server, headers });

type Registered = { client_id: string; client_name: string; redirect_uris: string[]; scope: string };

/** A client that has registered itself, as the rest of the suite knows clients. */
async function registered(metadata: object = {}): Promise<Client> {
  const reply = await register(metadata);
  expect(reply.status, reply.text).toBe(201);
  const { client_id: id, client_name: name, redirect_uris: redirectUris, scope } = reply.body as Registered;
  return { id, secret: null, name, redirectUris, scopes: scopesIn(scope) };
}

const endpoint = async (): Promise<unknown> => {
  const { body } = await send({ path: operation("getServerMetadata").path, key: null });
  return (body as { registration_endpoint?: unknown }).registration_endpoint;
};

beforeEach(async (context) => {
  if (target().foreign && (await endpoint()) === undefined) context.skip("not applicable: applications don't register themselves here");
});

test("the server metadata names the registration_endpoint", async () =>
  expect(await endpoint()).toBe(`${await issuer()}${operation("registerClient").path}`));

test("an application that registers itself is told what was registered: no secret, the two grants, code, and when", async () => {
  const before = Math.floor(Date.now() / 1_000) - 60;
  const asked = { client_name: "Assistant น้ำใจ", token_endpoint_auth_method: "client_secret_post", scope: "read:donations openid" };
  const { status, body } = await register(asked);
  expect([status, body]).toEqual([
    201,
    {
      client_id: expect.stringMatching(/^[\x21-\x7E]+$/),
      client_id_issued_at: expect.any(Number),
      client_name: asked.client_name,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "read:donations",
    },
  ]);
  const { client_id_issued_at } = body as { client_id_issued_at: number };
  expect([client_id_issued_at > before, client_id_issued_at < before + 86_400], "seconds since 1970").toEqual([true, true]);
});

test("an application that names no scope is registered for all, and one without a name gets the host of its redirect URI", async () => {
  const { scope, client_name } = (await register({})).body as { scope: string; client_name: string };
  expect([scopesIn(scope), client_name]).toEqual([[...scopes].sort(), "127.0.0.1"]);
});

test("an application's own name is registered without characters that change the direction of text, break the line, or show nothing", async () => {
  const nameOf = async (client_name: string) => ((await register({ client_name })).body as Registered).client_name;
  expect(await nameOf("\u202Eknab\u2066\n\nChecked by the bank")).toBe("knab Checked by the bank");
  expect(await nameOf("\u200B\u2060")).toBe("127.0.0.1");
});

test("an application that registers itself does not get a name that begins with an address and a dot, as the names of applications found at it do", async () => {
  for (const client_name of ["app.example · Assistant", "app.example\u200B•Assistant"])
    expect(((await register({ client_name })).body as Registered).client_name).toBe("127.0.0.1");
});

describe("refused registrations", () => {
  test.each([
    "http://client.example/callback",
    "http://127.0.0.1.client.example/callback",
    "http://0.0.0.0/callback",
    "http://[::ffff:127.0.0.1]/callback",
    "javascript:alert(1)",
    "com.example.app:/callback",
    "cursor://callback",
    "https://client.example/callback#part",
    "https://user@client.example/callback",
    "/callback",
  ])("the redirect URI %s is refused with invalid_redirect_uri, also beside a good one", async (uri) => {
    for (const redirect_uris of [[uri], [redirectUri, uri]]) expectError(await register({ redirect_uris }), "invalid_redirect_uri");
  });

  test.each<[string, object]>([
    ["grant_types without authorization_code", { grant_types: ["client_credentials"] }],
    ["response_types without code", { response_types: ["token"] }],
    ["no known scope", { scope: "openid" }],
  ])("%s is refused with invalid_client_metadata", async (_, metadata) => expectError(await register(metadata), "invalid_client_metadata"));

  test.each<[string, object]>([
    ["no redirect_uris", { redirect_uris: undefined }],
    ["an empty list of redirect_uris", { redirect_uris: [] }],
    ["a redirect URI that is no text", { redirect_uris: [1] }],
    ["redirect_uris that are null", { redirect_uris: null }],
    ["a client_name of 101 characters", { client_name: "x".repeat(101) }],
  ])("%s is refused with invalid_request", async (_, metadata) => expectError(await register(metadata), "invalid_request"));
});

describe("use", () => {
  test("an application that has registered itself gets tokens for a streamer who approves it, with PKCE and any loopback port, and stays unverified among the connected ones", async (context) => {
    needsClients(context);
    const client = await registered({ scope: "read:donations" });
    const { access_token, scope } = await newGrant(client, { redirectUri: "http://127.0.0.1:49152/callback" });
    expect([scope, (await me({ key: access_token })).status]).toEqual(["read:donations", 200]);
    const { reply } = await visit(await loggedIn(), "/oauth/connections");
    expect(reply.text).toMatch(/Unverified/);
  });

  test("the page on which streamers approve it says that it is unverified; errors are not sent to its redirect URI", async (context) => {
    needsClients(context);
    const client = await registered({ client_name: "Bank of Thailand" });
    const challenge = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
    const { reply } = await visit(await loggedIn(), authorizationPath(client, challenge));
    expect(reply.text).toMatch(/Unverified/);
    const { reply: refused, location } = await requestAuthorization(client);
    expect([refused.status, location]).toEqual([400, null]);
  });
});

describe("the operator's settings", () => {
  test("a network that has registered as many applications as the limit allows is refused with 429 and Retry-After, whatever Forwarded headers it sends", async (context) => {
    const limited = await startProcess(operatorOf(context), "registration-limited", { RATE_LIMITS: "client-registration=2/3600" });
    for (const [index, status] of [201, 201, 429].entries()) {
      const address = `192.0.2.${index}`;
      const headers = { "X-Forwarded-For": address, Forwarded: `for=${address}`, "X-Real-IP": address };
      const reply = await register({}, limited.url, headers);
      expect([reply.status, "retry-after" in reply.headers]).toEqual([status, status === 429]);
    }
    await limited.stop();
  });

  test("applications cannot register themselves with CLIENT_REGISTRATION=off, and the metadata names no endpoint", async (context) => {
    const off = await startProcess(operatorOf(context), "registration-off", { CLIENT_REGISTRATION: "off" });
    expectError(await register({}, off.url), "invalid_request");
    const metadata = await (await fetch(`${off.url}${operation("getServerMetadata").path}`)).json();
    expect(metadata).not.toHaveProperty("registration_endpoint");
    await off.stop();
  });
});
