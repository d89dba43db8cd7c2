import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";

import { expectProblem, me } from "../../harness/client/api.ts";
import { holds } from "../../harness/generators/holds.ts";
import { authorizationCode } from "../../harness/oauth/authorization.ts";
import {
  type CodeExchange,
  clientOf,
  exchange,
  expectError,
  needsClients,
  newCode,
  newGrant,
  refresh,
  type Tokens,
  tokensOf,
  ways,
} from "../../harness/oauth/oauth-client.ts";
import type { Client, ClientHolder } from "../../harness/server/target.ts";

beforeEach(needsClients);

/** Nothing of the grant is good any more. */
async function expectDead(client: Client, { access_token, refresh_token }: Tokens): Promise<void> {
  expectProblem(await me({ key: access_token }), 401, "token_revoked");
  expectError(await refresh(client, refresh_token), "invalid_grant");
}

describe("a code is good once", () => {
  const replays: [string, (first: CodeExchange) => CodeExchange][] = [
    ["as it was", (first) => first],
    ["with another verifier", (first) => ({ ...first, verifier: "x".repeat(43) })],
    ["without a verifier", (first) => ({ ...first, verifier: undefined })],
    ["with another redirect URI", (first) => ({ ...first, redirectUri: "https://evil.example/" })],
  ];

  test.each(replays)("used again, %s, it revokes the grant", async (_, change) => {
    for (const holder of ["confidential", "public"] as ClientHolder[]) {
      const client = clientOf(holder);
      const code = await newCode(client);
      const tokens = tokensOf(await exchange(client, code));
      expectError(await exchange(client, change(code)), "invalid_grant");
      await expectDead(client, tokens);
    }
  });

  test("used again, it revokes what came of a refresh, too", async () => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    const first = tokensOf(await exchange(client, code));
    const second = tokensOf(await refresh(client, first.refresh_token));
    expectError(await exchange(client, code), "invalid_grant");
    expectProblem(await me({ key: first.access_token }), 401, "token_revoked");
    await expectDead(client, second);
  });

  test("used again, it revokes no other grant", async () => {
    const client = clientOf("confidential");
    const other = await newGrant(client);
    const code = await newCode(client);
    for (const status of [200, 400]) expect((await exchange(client, code)).status).toBe(status);
    expect((await me({ key: other.access_token })).status).toBe(200);
    tokensOf(await refresh(client, other.refresh_token));
  });

  test("of several uses at once exactly one wins, and its grant dies", () =>
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
        await expectDead(client, tokensOf(winner));
      },
      { runs: 12, atOnce: 3 },
    ));
});

describe("a code belongs to its client", () => {
  const holders: [ClientHolder, ClientHolder][] = [
    ["confidential", "second"],
    ["confidential", "public"],
    ["public", "confidential"],
  ];
  test.each(holders)("one of %s is invalid_grant for %s", async (owner, thief) => {
    for (const how of ways) expectError(await exchange(clientOf(thief), await newCode(clientOf(owner)), how), "invalid_grant");
  });
});

test.each(["nonsense", "namjai_r1_x", "' or '1'='1", "a".repeat(4000)])("an unknown code is invalid_grant: %s", async (code) => {
  for (const how of ways) expectError(await exchange(clientOf("confidential"), { code, verifier: "x".repeat(43) }, how), "invalid_grant");
});

test("a token is no code", async () => {
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

  test.each(variants)("%s is invalid_grant", async (_, change) => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    expectError(await exchange(client, { ...code, redirectUri: change(client.redirectUris[0] ?? "") }), "invalid_grant");
  });

  test("none is invalid_grant", async () => {
    const client = clientOf("confidential");
    for (const as of ["json", "form"] as const)
      expectError(await exchange({ ...client, redirectUris: [] }, await newCode(client), { as }), "invalid_grant");
  });

  test("another port of a loopback address than asked for is invalid_grant", async () => {
    const client = clientOf("public");
    const code = await newCode(client, { redirectUri: "http://127.0.0.1:40001/callback" });
    expectError(await exchange(client, { ...code, redirectUri: "http://127.0.0.1:40002/callback" }), "invalid_grant");
    tokensOf(await exchange(client, await newCode(client, { redirectUri: "http://127.0.0.1:40003/callback" })));
  });

  test("one that was left out need not be named", async () => {
    const client = clientOf("readOnly");
    const code = await authorizationCode({ client: { ...client, redirectUris: [] } });
    tokensOf(await exchange({ ...client, redirectUris: [] }, { code }));
  });
});
