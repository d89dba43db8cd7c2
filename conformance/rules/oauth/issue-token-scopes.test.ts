import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { create, expectProblem, me } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import {
  clientOf,
  encodings,
  exchange,
  expectAccess,
  expectError,
  needsClients,
  newCode,
  newGrant,
  refresh,
  scopesIn,
  type Tokens,
  tokensOf,
  ways,
} from "../../suite/client/oauth/oauth-client.ts";
import { scopes } from "../../suite/contract/contract.ts";
import { claimsOf } from "../../suite/servers/forged-tokens.ts";
import { donation } from "../../suite/values/donations.ts";

beforeEach(needsClients);

/** Expects these scopes in the answer, in the token and in getMe. */
async function expectScopes({ scope, access_token }: Tokens, expected: readonly string[]): Promise<void> {
  const { data } = (await me({ key: access_token })).body as { data: { scopes: string[] } };
  for (const found of [scopesIn(scope), scopesIn(claimsOf(access_token).scope), [...data.scopes].sort()])
    expect(found).toEqual([...expected].sort());
}

test("a grant has the scopes that the streamer approved, any of the client's", () =>
  holds(
    fc.shuffledSubarray(scopes, { minLength: 1 }),
    async (asked) => expectScopes(await newGrant(clientOf("confidential"), { scopes: asked.join(" ") }), asked),
    { runs: 10, concurrency: 4 },
  ));

test("a grant requested without a scope has the client's registered ones", async () => {
  await expectScopes(await newGrant(clientOf("confidential")), scopes);
  await expectScopes(await newGrant(clientOf("readOnly")), ["read:donations"]);
});

test("a request for more scopes than the client has is approved for those it has, and the answer says which (RFC 6749 3.3)", async () => {
  for (const asked of ["read:donations write:donations", "offline_access read:donations"])
    await expectScopes(await newGrant(clientOf("readOnly"), { scopes: asked }), ["read:donations"]);
});

test("an exchange of a code with more scopes than were approved grants no more, or is refused with invalid_scope", async () => {
  const client = clientOf("confidential");
  for (const how of ways) {
    const code = await newCode(client, { scopes: "read:donations" });
    const reply = await exchange(client, { ...code, scope: "read:donations write:donations" }, how);
    if (reply.status === 200) await expectScopes(tokensOf(reply), ["read:donations"]);
    else expectError(reply, "invalid_scope");
  }
});

describe("a refresh", () => {
  test("a refresh may ask for fewer scopes, and the next refresh has all of the grant's again", () =>
    holds(
      fc.record({
        granted: fc.subarray(scopes, { minLength: 1 }),
        pick: fc.array(fc.nat(3), { minLength: 1 }),
        how: fc.constantFrom(...ways),
      }),
      async ({ granted, pick, how }) => {
        const client = clientOf("confidential");
        const asked = [...new Set(pick.map((index) => granted[index % granted.length] ?? ""))];
        const first = await newGrant(client, { scopes: granted.join(" ") });
        const narrow = tokensOf(await refresh(client, first.refresh_token, { scope: asked.join(" ") }, how));
        await expectScopes(narrow, asked);
        await expectScopes(tokensOf(await refresh(client, narrow.refresh_token, {}, how)), granted);
      },
      { runs: 15, concurrency: 4 },
    ));

  test("a refreshed token with fewer scopes cannot use the others", async () => {
    const client = clientOf("confidential");
    const { refresh_token } = await newGrant(client, { scopes: "read:donations write:donations" });
    const { access_token } = tokensOf(await refresh(client, refresh_token, { scope: "read:donations" }));
    expectProblem(await create(donation(), { key: access_token }), 403, "insufficient_scope");
  });

  test.each([
    "write:donations",
    "read:donations write:donations",
    "admin",
    "read:donations admin",
    "READ:DONATIONS",
    "read:donations,write:donations",
    "read:donations\twrite:donations",
    "*",
  ])("a refresh for more scopes than the grant has is refused with invalid_scope, and uses up nothing: %j", async (scope) => {
    const client = clientOf("confidential");
    const { refresh_token, access_token } = await newGrant(client, { scopes: "read:donations" });
    for (const how of ways) expectError(await refresh(client, refresh_token, { scope }, how), "invalid_scope");
    await expectScopes(tokensOf(await refresh(client, refresh_token)), ["read:donations"]);
    await expectAccess({ access_token });
  });

  test.each(encodings)("a refresh for more scopes uses up nothing of a public client either: %s", async (as) => {
    const client = clientOf("public");
    const { refresh_token } = await newGrant(client, { scopes: "read:donations" });
    expectError(await refresh(client, refresh_token, { scope: "write:donations" }, { as }), "invalid_scope");
    tokensOf(await refresh(client, refresh_token, {}, { as }));
  });

  test("a refresh for the same scopes twice or in another order is one for the same scopes", async () => {
    const client = clientOf("confidential");
    const { refresh_token } = await newGrant(client, { scopes: "read:donations write:donations" });
    const { scope } = tokensOf(await refresh(client, refresh_token, { scope: "write:donations read:donations write:donations" }));
    expect(scopesIn(scope)).toEqual(["read:donations", "write:donations"]);
  });
});
