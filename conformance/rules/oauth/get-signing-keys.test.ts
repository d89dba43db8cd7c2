import { createPublicKey } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";

import { send } from "../../suite/client/http-client.ts";
import { clientOf, needsClients, newGrant } from "../../suite/client/oauth/oauth-client.ts";
import { operation } from "../../suite/contract/contract.ts";
import { publicKeys } from "../../suite/servers/forged-tokens.ts";
import { target } from "../../suite/values/target.ts";

const path = "/.well-known/jwks.json";

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
    issuer: target().url,
    audience: target().url,
    typ: "at+jwt",
    algorithms: ["ES256"],
    requiredClaims: ["exp", "jti", "sub"],
  };
  expect((await jwtVerify(access_token, keys, options)).payload.client_id).toBe(clientOf("confidential").id);
});

test("the signing keys can be read by anyone, including applications in browsers", async () => {
  const { headers } = await send({ path, key: null, headers: { Origin: "https://spa.example" } });
  expect(headers["access-control-allow-origin"]).toBeOneOf(["*", "https://spa.example"]);
});
