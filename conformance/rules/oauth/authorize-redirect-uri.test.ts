import { beforeEach, describe, expect, test } from "vitest";
import {
  approve,
  authorizationPath,
  expectErrorPage,
  requestAuthorization,
  webRedirectUri,
} from "../../suite/client/oauth/authorization.ts";
import {
  challengeOf,
  clientOf,
  exchange,
  expectError,
  needsClients,
  newVerifier,
  tokensOf,
} from "../../suite/client/oauth/oauth-client.ts";
import { addClient } from "../../suite/client/operator.ts";
import { remember } from "../../suite/values/redact.ts";
import { operatorOf } from "../../suite/values/target.ts";

beforeEach(needsClients);

describe("the redirect URI is a registered one, to the letter", () => {
  const variants = [
    "https://evil.example/callback",
    "https://client.example/callback/",
    "https://client.example/Callback",
    "https://CLIENT.example/callback",
    "HTTPS://client.example/callback",
    "http://client.example/callback",
    "https://client.example:443/callback",
    "https://client.example:8443/callback",
    "https://user@client.example/callback",
    "https://client.example@evil.example/callback",
    "https://client.example/callback#",
    "https://client.example/callback#x",
    "https://client.example/callback?",
    "https://client.example/callback?x=1",
    "https://client.example//callback",
    "https://client.example/x/../callback",
    "https://client.example/x/%2e%2e/callback",
    "https://client.example/%2E/callback",
    "https://client.example/%63allback",
    "https://client.example/callback%00",
    "https://client.example/callback%2f",
    "https://client.example/callback\\",
    "https://client.example\\@evil.example/callback",
    "https://client.example.evil.example/callback",
    "https://evil.example/https://client.example/callback",
    "https://client.example./callback",
    "https://xclient.example/callback",
    "https://client.example/",
    "https://client.example",
    "//client.example/callback",
    "/callback",
    "callback",
    " https://client.example/callback",
    "https://client.example/callback ",
    "https://client.example/callback\r\nSet-Cookie: x=y",
    "javascript:alert(1)//https://client.example/callback",
    "data:text/html,x",
    "urn:ietf:wg:oauth:2.0:oob",
    "https://client.example/callback,https://evil.example/",
    "https://client.example/callback https://evil.example/",
  ];

  test.each(variants)("an unregistered redirect_uri gets an error page and no redirect: %j", async (redirect_uri) => {
    expectErrorPage(await requestAuthorization(clientOf("confidential"), { redirect_uri }));
    expectErrorPage(await requestAuthorization(clientOf("confidential"), { redirect_uri, response_type: "wrong" }));
  });

  test.each([
    "http://127.0.0.1/",
    "http://127.0.0.1:4000/other",
    "http://127.0.0.1:4000/callback/",
    "https://127.0.0.1/callback",
    "https://127.0.0.1:4000/callback",
    "http://127.0.0.1:99999999/callback",
    "http://127.0.0.1:x/callback",
    "http://127.0.0.1:/callback?",
    "http://127.0.0.1:4000@evil.example/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.1:4000.evil.example/callback",
    "http://127.0.0.2:4000/callback",
    "http://2130706433:4000/callback",
    "http://0x7f.0.0.1:4000/callback",
    "http://localhost:4000/callback",
    "http://[::1]:4000/callback",
    "http://user@127.0.0.1:4000/callback",
  ])("only the port of a loopback redirect_uri may differ (RFC 8252 7.3): %s gets an error page", async (redirect_uri) =>
    expectErrorPage(await requestAuthorization(clientOf("public"), { redirect_uri })),
  );

  test.each(["http://127.0.0.1/callback", "http://127.0.0.1:1024/callback", "http://127.0.0.1:65535/callback"])(
    "a loopback redirect_uri may have any port (RFC 8252 7.3): %s",
    async (redirect_uri) => {
      const client = clientOf("public");
      const verifier = newVerifier();
      const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: "S256" };
      const location = await approve(authorizationPath(client, { redirect_uri, ...pkce }));
      expect(`${location.origin}${location.pathname}`).toBe(redirect_uri);
      const code = String(location.searchParams.get("code"));
      tokensOf(await exchange(client, { code, verifier, redirectUri: redirect_uri }));
    },
  );

  test("a request without redirect_uri uses the registered one, if the client has only one", async () => {
    const location = await approve(authorizationPath(clientOf("readOnly"), { redirect_uri: undefined }));
    expect(`${location.origin}${location.pathname}`).toBe(webRedirectUri);
    for (const redirect_uri of [undefined, ""]) expectErrorPage(await requestAuthorization(clientOf("confidential"), { redirect_uri }));
  });

  test("a redirect_uri that another client registered gets an error page", async () =>
    expectErrorPage(await requestAuthorization(clientOf("readOnly"), { redirect_uri: "http://127.0.0.1/callback" })));
});

test("codes and errors are added to the query that a registered redirect URI has (RFC 6749 3.1.2)", async (context) => {
  const uri = "https://client.example/callback?page=a%20b&empty=";
  const client = await addClient(operatorOf(context), { name: "With a query", redirectUris: [uri], scopes: "read:donations" });
  remember(client.secret);
  const location = await approve(authorizationPath(client));
  expect(location.href.startsWith(`${uri}&`)).toBe(true);
  tokensOf(await exchange(client, { code: String(location.searchParams.get("code")), redirectUri: uri }));
  const refused = await requestAuthorization(client, { scope: "nonsense" });
  expect(refused.location?.href.startsWith(`${uri}&`)).toBe(true);
  expect(refused.location?.searchParams.get("error")).toBe("invalid_scope");
});

test("a code for one redirect URI is refused with another", async () => {
  const client = clientOf("confidential");
  const location = await approve(authorizationPath(client, { redirect_uri: "http://127.0.0.1:4000/callback" }));
  expectError(await exchange(client, { code: String(location.searchParams.get("code")), redirectUri: webRedirectUri }), "invalid_grant");
});
