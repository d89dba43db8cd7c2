import fc from "fast-check";
import { beforeEach, describe, test } from "vitest";
import { holds } from "../../suite/client/holds.ts";
import { authorizationCode } from "../../suite/client/oauth/authorization.ts";
import {
  challengeOf,
  clientKinds,
  clientOf,
  encodings,
  exchange,
  expectError,
  needsClients,
  newVerifier,
  tokensOf,
} from "../../suite/client/oauth/oauth-client.ts";

beforeEach(needsClients);

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
