import { createPublicKey } from "node:crypto";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { send } from "../../suite/client/http-client.ts";
import { toolScopes } from "../../suite/client/mcp.ts";
import { clientOf, issuer, needsClients, newGrant } from "../../suite/client/oauth/oauth-client.ts";
import { operation, scopes } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { publicKeys } from "../../suite/servers/credentials.ts";
import { target } from "../../suite/values/target.ts";

type Metadata = Record<string, string | string[] | boolean>;

const serverPath = "/.well-known/oauth-authorization-server";
const metadata = async (): Promise<Metadata> => (await send({ path: serverPath, key: null })).body as Metadata;
const sorted = (words: unknown): string[] => [...(words as string[])].sort();

test("the server metadata is at the path of RFC 8414 3", () => expect(operation("getServerMetadata").path).toBe(serverPath));

test("the issuer is the base URL without a trailing slash", async () =>
  expect(await issuer(), "the base URL of the server is that of this run").toBe(target().url));

test("the endpoints of the server metadata are those of the contract, below the issuer", async () => {
  const { authorization_endpoint, token_endpoint, revocation_endpoint, jwks_uri } = await metadata();
  const base = await issuer();
  expect([authorization_endpoint, token_endpoint, revocation_endpoint, jwks_uri]).toEqual(
    ["authorize", "issueToken", "revokeToken", "getSigningKeys"].map((id) => `${base}${operation(id).path}`),
  );
});

test("the server metadata lists what is supported: code, S256, refresh tokens, iss in redirects, and nothing else", async () => {
  const { response_types_supported, response_modes_supported, grant_types_supported, ...others } = await metadata();
  expect(response_types_supported).toEqual(["code"]);
  expect(response_modes_supported).toEqual(["query"]);
  expect(sorted(grant_types_supported)).toEqual(["authorization_code", "refresh_token"]);
  expect(others.code_challenge_methods_supported).toEqual(["S256"]);
  expect(others.authorization_response_iss_parameter_supported).toBe(true);
  expect(others.client_id_metadata_document_supported).toBe(true);
  expect(sorted(others.scopes_supported)).toEqual([...scopes].sort());
  for (const endpoint of ["token", "revocation"])
    expect(sorted(others[`${endpoint}_endpoint_auth_methods_supported`])).toEqual(["client_secret_basic", "client_secret_post", "none"]);
});

test("the server metadata can be read by anyone, including applications in browsers", async () => {
  const { headers } = await send({
    path: serverPath,
    key: null,
    headers: { Origin: "https://spa.example" },
  });
  expect(headers["access-control-allow-origin"]).toBeOneOf(["*", "https://spa.example"]);
});

const resourcePath = "/.well-known/oauth-protected-resource/mcp";
const resourceMetadata = (): Promise<Reply> => send({ path: resourcePath, key: null, headers: { Origin: "https://spa.example" } });

test("the resource metadata is at the path of RFC 9728 3.1", () => expect(operation("getResourceMetadata").path).toBe(resourcePath));

test("the resource metadata names /mcp as resource and this server as the issuer of its tokens", async () => {
  const base = await issuer();
  expect((await resourceMetadata()).body).toMatchObject({
    resource: `${base}/mcp`,
    authorization_servers: [base],
    bearer_methods_supported: ["header"],
  });
});

test("the resource metadata names every scope that a tool needs, and no other", async () => {
  const { scopes_supported } = (await resourceMetadata()).body as { scopes_supported: string[] };
  expect(scopes_supported.sort()).toEqual(toolScopes);
});

test("the resource metadata can be read by anyone, including applications in browsers", async () =>
  expect((await resourceMetadata()).headers["access-control-allow-origin"]).toBeOneOf(["*", "https://spa.example"]));

const keysPath = "/.well-known/jwks.json";

describe("each key", () => {
  test("each signing key is a public key of P-256 for signatures, with an id of its own", async () => {
    const keys = await publicKeys();
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
      expect(createPublicKey({ key: { ...key }, format: "jwk" }).asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
  });
});

test("an access token can be verified with the published signing keys alone", async (context) => {
  needsClients(context);
  const { access_token } = await newGrant(clientOf("confidential"));
  const keys = createRemoteJWKSet(new URL(operation("getSigningKeys").path, target().url));
  const options = {
    issuer: await issuer(),
    audience: await issuer(),
    typ: "at+jwt",
    algorithms: ["ES256"],
    requiredClaims: ["exp", "jti", "sub"],
  };
  expect((await jwtVerify(access_token, keys, options)).payload.client_id).toBe(clientOf("confidential").id);
});

test("an access token says itself that it is valid for as long as expires_in says (RFC 6749 5.1, RFC 9068 2.2)", async (context) => {
  needsClients(context);
  const { access_token, expires_in } = await newGrant(clientOf("confidential"));
  const { iat = 0, exp = 0 } = decodeJwt(access_token);
  expect([exp - iat, Math.abs(iat - Date.now() / 1_000) < 60]).toEqual([expires_in, true]);
});

test("the signing keys can be read by anyone, including applications in browsers", async () => {
  const { headers } = await send({ path: keysPath, key: null, headers: { Origin: "https://spa.example" } });
  expect(headers["access-control-allow-origin"]).toBeOneOf(["*", "https://spa.example"]);
});
