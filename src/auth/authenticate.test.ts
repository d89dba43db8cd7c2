import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { signAccessToken } from "./access-token.ts";
import { type AuthenticatorDeps, makeAuthenticators } from "./authenticate.ts";
import type { SigningKeys } from "./signing-keys.ts";

const baseUrl = "https://donations.example";
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

const newToken = (audience: string) => {
  const claims = {
    iss: baseUrl,
    aud: audience,
    sub: "streamer",
    client_id: "client",
    application_id: "application",
    scope: "read:donations",
  };
  const key = { kid: "1", privateKey } as never;
  return signAccessToken({ current: () => key } as unknown as SigningKeys, { ...claims, grant_id: "grant", jti: "token" });
};

function authenticators(denied: ReadonlySet<string> = new Set()) {
  const deps = {
    brand: "namjai",
    baseUrl,
    signingKeys: { findPublicKey: async () => publicKey as never },
    denials: { has: (id: string) => denied.has(id) },
    changes: () => ({ version: () => 1, isUpToDate: () => true }),
  };
  return makeAuthenticators(deps as unknown as AuthenticatorDeps);
}

test("a token that was accepted is proven, so that no limit of its address refuses it", async () => {
  const { authenticatorFor } = authenticators();
  const [header, { verify, likelihood }] = [`Bearer ${await newToken(baseUrl)}`, authenticatorFor(baseUrl)];
  expect(likelihood(header)).toBe("plausible");
  await verify(header);
  expect(likelihood(header)).toBe("proven");
});

test("a no-break space behind a token is part of it, so it is refused", async () => {
  const { verify } = authenticators().authenticatorFor(baseUrl);
  await expect(verify(`Bearer ${await newToken(baseUrl)}\u00a0`)).rejects.toMatchObject({ code: "invalid_token" });
});

test("a token for another resource, or of a revoked grant, is not proven: its failures count for its address", async () => {
  const cases = [
    { audience: `${baseUrl}/mcp`, denied: [], code: "invalid_token" },
    { audience: baseUrl, denied: ["grant"], code: "token_revoked" },
  ];
  for (const { audience, denied, code } of cases) {
    const { verify, likelihood } = authenticators(new Set(denied)).authenticatorFor(baseUrl);
    const header = `Bearer ${await newToken(audience)}`;
    await expect(verify(header)).rejects.toMatchObject({ code });
    expect(likelihood(header)).toBe("plausible");
  }
});

test("a credential of another kind than the operation accepts is not proven, however often it was accepted elsewhere", async () => {
  const { authenticatorFor, overlayAuthenticator } = authenticators();
  const header = `Bearer ${await newToken(baseUrl)}`;
  await authenticatorFor(baseUrl).verify(header);
  expect(overlayAuthenticator.likelihood(header)).toBe("plausible");
});
