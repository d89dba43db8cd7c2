import { expect, test } from "vitest";

import { send } from "../../suite/client/http-client.ts";
import { operation, scopes } from "../../suite/contract/contract.ts";
import { target } from "../../suite/values/target.ts";

type Metadata = Record<string, string | string[] | boolean>;

const metadata = async (): Promise<Metadata> =>
  (await send({ path: "/.well-known/oauth-authorization-server", key: null })).body as Metadata;
const sorted = (words: unknown): string[] => [...(words as string[])].sort();

test("the server metadata is at the path of RFC 8414 3", () =>
  expect(operation("getServerMetadata").path).toBe("/.well-known/oauth-authorization-server"));

test("the issuer is the base URL without a trailing slash", async () => expect((await metadata()).issuer).toBe(target().url));

test("the endpoints of the server metadata are those of the contract, below the issuer", async () => {
  const { authorization_endpoint, token_endpoint, revocation_endpoint, jwks_uri } = await metadata();
  expect([authorization_endpoint, token_endpoint, revocation_endpoint, jwks_uri]).toEqual(
    ["authorize", "issueToken", "revokeToken", "getSigningKeys"].map((id) => `${target().url}${operation(id).path}`),
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
    path: "/.well-known/oauth-authorization-server",
    key: null,
    headers: { Origin: "https://spa.example" },
  });
  expect(headers["access-control-allow-origin"]).toBeOneOf(["*", "https://spa.example"]);
});
