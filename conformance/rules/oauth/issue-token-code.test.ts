import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { holds } from "../../suite/client/holds.ts";
import { authorizationCode } from "../../suite/client/oauth/authorization.ts";
import {
  type CodeExchange,
  challengeOf,
  clientKinds,
  clientOf,
  encodings,
  exchange,
  expectAccess,
  expectAccessRevoked,
  expectError,
  expectGrantRevoked,
  needsClients,
  newCode,
  newGrant,
  newVerifier,
  refresh,
  tokensOf,
  ways,
} from "../../suite/client/oauth/oauth-client.ts";
import type { ClientHolder } from "../../suite/values/target.ts";

beforeEach(needsClients);

describe("a code is good once", () => {
  const replays: [string, (first: CodeExchange) => CodeExchange][] = [
    ["as it was", (first) => first],
    ["with another verifier", (first) => ({ ...first, verifier: "x".repeat(43) })],
    ["without a verifier", (first) => ({ ...first, verifier: undefined })],
    ["with another redirect URI", (first) => ({ ...first, redirectUri: "https://evil.example/" })],
  ];

  test.each(replays)("a code used again %s revokes the grant", async (_, change) => {
    for (const holder of clientKinds) {
      const client = clientOf(holder);
      const code = await newCode(client);
      const tokens = tokensOf(await exchange(client, code));
      expectError(await exchange(client, change(code)), "invalid_grant");
      await expectGrantRevoked(client, tokens);
    }
  });

  test("a code used again revokes refreshed tokens as well", async () => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    const first = tokensOf(await exchange(client, code));
    const second = tokensOf(await refresh(client, first.refresh_token));
    expectError(await exchange(client, code), "invalid_grant");
    await expectAccessRevoked(first);
    await expectGrantRevoked(client, second);
  });

  test("a code used again revokes no other grant", async () => {
    const client = clientOf("confidential");
    const other = await newGrant(client);
    const code = await newCode(client);
    for (const status of [200, 400]) expect((await exchange(client, code)).status).toBe(status);
    await expectAccess(other);
    tokensOf(await refresh(client, other.refresh_token));
  });

  test("a code used several times concurrently is exchanged exactly once, and its grant is revoked", () =>
    holds(
      fc.record({ holder: fc.constantFrom<ClientHolder>("confidential", "public"), times: fc.integer({ min: 2, max: 6 }) }),
      async ({ holder, times }) => {
        const client = clientOf(holder);
        const code = await newCode(client);
        const replies = await Promise.all(Array.from({ length: times }, (_, index) => exchange(client, code, ways[index % ways.length])));
        const [winner, ...others] = replies.filter(({ status }) => status === 200);
        expect(others).toEqual([]);
        for (const reply of replies.filter((one) => one !== winner)) expectError(reply, "invalid_grant");
        if (!winner) throw new Error("none won");
        await expectGrantRevoked(client, tokensOf(winner));
      },
      { runs: 12, concurrency: 3 },
    ));
});

const caseSwapped = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()));

test("a code that is nearly the right one is refused with invalid_grant, and the right one stays good", async () => {
  const client = clientOf("confidential");
  for (const how of ways) {
    const code = await newCode(client);
    const nearly = [caseSwapped(code.code), `${code.code} `, ` ${code.code}`, code.code.slice(0, -1), `${code.code}x`];
    for (const wrong of nearly.filter((one) => one !== code.code))
      expectError(await exchange(client, { ...code, code: wrong }, how), "invalid_grant");
    await expectAccess(tokensOf(await exchange(client, code, how)));
  }
});

describe("a code belongs to its client", () => {
  const holders: [ClientHolder, ClientHolder][] = [
    ["confidential", "second"],
    ["confidential", "public"],
    ["public", "confidential"],
  ];
  test.each(holders)("a code of the %s client is refused with invalid_grant for the %s client", async (owner, thief) => {
    for (const how of ways) expectError(await exchange(clientOf(thief), await newCode(clientOf(owner)), how), "invalid_grant");
  });

  test.each(holders)("a code of the %s client that the %s client has tried is still good for its own client", async (owner, thief) => {
    const code = await newCode(clientOf(owner));
    expectError(await exchange(clientOf(thief), code), "invalid_grant");
    await expectAccess(tokensOf(await exchange(clientOf(owner), code)));
  });
});

test.each(["nonsense", "namjai_r1_x", "' or '1'='1", "a".repeat(4000)].map((code) => ({ code })))(
  "an unknown code is refused with invalid_grant: $code",
  async ({ code }) => {
    for (const how of ways) expectError(await exchange(clientOf("confidential"), { code, verifier: "x".repeat(43) }, how), "invalid_grant");
  },
);

test("an access token or refresh token is refused as a code", async () => {
  const { access_token, refresh_token } = await newGrant(clientOf("confidential"));
  for (const code of [access_token, refresh_token]) expectError(await exchange(clientOf("confidential"), { code }), "invalid_grant");
});

describe("the redirect URI is that of the authorization request, to the letter", () => {
  const variants: [string, (uri: string) => string][] = [
    ["another registered one", () => "http://127.0.0.1/callback"],
    ["another path", (uri) => `${uri}/`],
    ["another case of the path", (uri) => uri.replace("callback", "Callback")],
    ["another case of the host", (uri) => uri.replace("client", "CLIENT")],
    ["another case of the scheme", (uri) => uri.replace("https", "HTTPS")],
    ["a port", (uri) => uri.replace(".example/", ".example:443/")],
    ["user information", (uri) => uri.replace("://", "://user@")],
    ["a fragment", (uri) => `${uri}#`],
    ["a query", (uri) => `${uri}?`],
    ["an encoded letter", (uri) => uri.replace("callback", "%63allback")],
    ["dots", (uri) => uri.replace("/callback", "/x/../callback")],
    ["encoded dots", (uri) => uri.replace("/callback", "/x/%2e%2e/callback")],
    ["another site", () => "https://evil.example/callback"],
    ["something that is no URI", () => "nonsense"],
  ];

  test.each(variants)(
    "an exchange is refused with invalid_grant when its redirect_uri is not the authorization request's: %s",
    async (_, change) => {
      const client = clientOf("confidential");
      const code = await newCode(client);
      expectError(await exchange(client, { ...code, redirectUri: change(client.redirectUris[0] ?? "") }), "invalid_grant");
    },
  );

  test("an exchange without the redirect_uri of the authorization request is refused with invalid_grant", async () => {
    const client = clientOf("confidential");
    for (const as of ["json", "form"] as const)
      expectError(await exchange({ ...client, redirectUris: [] }, await newCode(client), { as }), "invalid_grant");
  });

  test("a loopback redirect_uri with another port than in the authorization request is refused with invalid_grant", async () => {
    const client = clientOf("public");
    const code = await newCode(client, { redirectUri: "http://127.0.0.1:40001/callback" });
    expectError(await exchange(client, { ...code, redirectUri: "http://127.0.0.1:40002/callback" }), "invalid_grant");
    tokensOf(await exchange(client, await newCode(client, { redirectUri: "http://127.0.0.1:40003/callback" })));
  });

  test("a redirect_uri that the authorization request left out may be left out again", async () => {
    const client = clientOf("readOnly");
    const code = await authorizationCode({ client: { ...client, redirectUris: [] } });
    tokensOf(await exchange({ ...client, redirectUris: [] }, { code }));
  });

  test("an exchange with another redirect_uri than the registered one, which the authorization request left out, is refused with invalid_grant", async () => {
    const client = clientOf("readOnly");
    const code = await authorizationCode({ client: { ...client, redirectUris: [] } });
    for (const redirectUri of ["https://evil.example/callback", `${client.redirectUris[0]}/`])
      expectError(await exchange(client, { code, redirectUri }), "invalid_grant");
  });
});

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
const lengths = fc.oneof(fc.constantFrom(43, 128), fc.integer({ min: 43, max: 128 }));

/** Any verifier that RFC 7636 4.1 allows. */
const verifiers = lengths.chain((length) => fc.string({ unit: fc.constantFrom(...letters), minLength: length, maxLength: length }));

/** The verifier with one letter changed. */
const mistaken = (verifier: string, at: number, letter: string): string => {
  const index = at % verifier.length;
  return verifier.slice(0, index) + (verifier[index] === letter ? "~".replace(letter, "A") : letter) + verifier.slice(index + 1);
};

test("any PKCE verifier works with its own challenge, and with no other (RFC 7636)", () =>
  holds(
    fc.record({ verifier: verifiers, at: fc.nat(127), letter: fc.constantFrom(...letters), holder: fc.constantFrom(...clientKinds) }),
    async ({ verifier, at, letter, holder }) => {
      const client = clientOf(holder);
      const other = mistaken(verifier, at, letter);
      const code = await authorizationCode({ client, challenge: challengeOf(other) });
      expectError(await exchange(client, { code, verifier }), "invalid_grant");
      const own = await authorizationCode({ client, challenge: challengeOf(verifier) });
      tokensOf(await exchange(client, { code: own, verifier }));
    },
    { runs: 30, concurrency: 8 },
  ));

describe.each(clientKinds)("PKCE of the %s client", (holder) => {
  test.each(encodings)("an exchange without the verifier of its challenge is refused with invalid_grant: %s", async (as) => {
    const client = clientOf(holder);
    for (const verifier of [undefined, ""]) {
      const code = await authorizationCode({ client, challenge: challengeOf(newVerifier()) });
      expectError(await exchange(client, { code, verifier }, { as }), "invalid_grant");
    }
  });

  test("the challenge itself is refused as a verifier: plain is not supported", async () => {
    const client = clientOf(holder);
    const challenge = challengeOf(newVerifier());
    const code = await authorizationCode({ client, challenge });
    expectError(await exchange(client, { code, code_verifier: challenge, code_challenge_method: "plain" }), "invalid_grant");
  });

  test.each<[string, (verifier: string) => string]>([
    ["in capitals", (verifier) => verifier.toUpperCase()],
    ["cut short", (verifier) => verifier.slice(0, -1)],
    ["with a blank behind it", (verifier) => `${verifier} `],
    ["padded", (verifier) => `${verifier}=`],
    ["twice", (verifier) => verifier + verifier],
  ])("the right verifier %s is refused with invalid_grant", async (_, change) => {
    const client = clientOf(holder);
    const verifier = `a${newVerifier(60)}`;
    const code = await authorizationCode({ client, challenge: challengeOf(verifier) });
    expectError(await exchange(client, { code, verifier: change(verifier) }), "invalid_grant");
  });
});

test("a code that was sent with a wrong verifier is still good with its own, or used up without tokens", async () => {
  for (const holder of clientKinds) {
    const [client, verifier] = [clientOf(holder), newVerifier()];
    const code = await authorizationCode({ client, challenge: challengeOf(verifier) });
    for (const wrong of [newVerifier(), undefined]) expectError(await exchange(client, { code, verifier: wrong }), "invalid_grant");
    const reply = await exchange(client, { code, verifier });
    if (reply.status === 200) tokensOf(reply);
    else expectError(reply, "invalid_grant"); // single use: a server may use a code up before it looks at the verifier
  }
});

test.each(encodings)("a verifier without a challenge is refused with invalid_grant: %s", async (as) => {
  const client = clientOf("confidential");
  const code = await authorizationCode({ client });
  expectError(await exchange(client, { code, verifier: newVerifier() }, { as }), "invalid_grant");
});

test.each(encodings)("a confidential client needs neither challenge nor verifier: %s", async (as) => {
  const client = clientOf("confidential");
  tokensOf(await exchange(client, { code: await authorizationCode({ client }) }, { as }));
});

test.each<[string, string]>([
  ["42 characters", "a".repeat(42)],
  ["129 characters", "a".repeat(129)],
  ["a character that is not allowed", `${"a".repeat(43)}+`],
])("a verifier of %s is refused, even with its own challenge (RFC 7636 4.1)", async (_, verifier) => {
  const client = clientOf("public");
  const code = await authorizationCode({ client, challenge: challengeOf(verifier) });
  expectError(await exchange(client, { code, verifier }), "invalid_grant");
});
