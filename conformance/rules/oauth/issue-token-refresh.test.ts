import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { holds } from "../../suite/client/holds.ts";
import {
  clientKinds,
  clientOf,
  expectError,
  expectGrantAlive,
  expectGrantRevoked,
  expectRefreshRefused,
  needsClients,
  newCode,
  newGrant,
  refresh,
  refreshed,
  type Tokens,
  tokensOf,
  ways,
} from "../../suite/client/oauth/oauth-client.ts";
import { claimsOf } from "../../suite/servers/credentials.ts";
import type { ClientHolder } from "../../suite/values/target.ts";

beforeEach(needsClients);

describe("a refresh token is replaced by every use", () => {
  test.each(clientKinds)(
    "each successor of a refresh token is good, and its access token has the claims of the first: %s client",
    async (holder) => {
      let tokens = await newGrant(clientOf(holder));
      const { iat: _, exp: __, jti, ...claims } = claimsOf(tokens.access_token);
      const seen = new Set<unknown>();
      const ids = new Set<unknown>([jti]);
      for (const how of ways) {
        seen.add(tokens.refresh_token);
        tokens = tokensOf(await refresh(clientOf(holder), tokens.refresh_token, {}, how));
        const { iat, exp, jti: id, ...same } = claimsOf(tokens.access_token);
        expect(same).toEqual(claims);
        expect([Number(exp) - Number(iat), ids.has(id)]).toEqual([tokens.expires_in, false]);
        ids.add(id);
      }
      expect(seen.has(tokens.refresh_token)).toBe(false);
    },
  );

  test("a public client that uses a refresh token twice loses the grant", async () => {
    const client = clientOf("public");
    const first = await newGrant(client);
    const second = await refreshed(client, first);
    await expectRefreshRefused(client, first);
    await expectGrantRevoked(client, first, second);
  });

  test("a confidential client that uses an older refresh token than the last loses the grant", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const second = await refreshed(client, first);
    const third = await refreshed(client, second);
    await expectRefreshRefused(client, first);
    await expectGrantRevoked(client, first, second, third);
  });

  test("a grant that is revoked for a reused refresh token takes no other grant with it", async () => {
    const client = clientOf("public");
    const [doomed, other] = [await newGrant(client), await newGrant(client)];
    await refreshed(client, doomed);
    await expectRefreshRefused(client, doomed);
    await expectGrantAlive(client, other);
  });
});

describe("a confidential client whose answer was lost", () => {
  test("a confidential client may repeat its last refresh token: it gets a new successor, and the unused one dies", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const lost = await refreshed(client, first);
    const second = await refreshed(client, first);
    await expectRefreshRefused(client, lost);
    await expectGrantAlive(client, second);
  });

  test("a confidential client may repeat its last refresh token several times, and only the last successor is good", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const successors = [];
    for (let count = 0; count < 4; count += 1) successors.push(await refreshed(client, first));
    const last = successors.pop() as Tokens;
    for (const lost of successors) await expectRefreshRefused(client, lost);
    await expectGrantAlive(client, last);
  });

  test("a confidential client that repeats a refresh token whose successor was used loses the grant", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const second = await refreshed(client, await refreshed(client, first));
    await expectRefreshRefused(client, first);
    await expectGrantRevoked(client, second);
  });
});

describe("concurrent uses of a refresh token", () => {
  test("a confidential client that uses a refresh token several times concurrently has at most one live refresh token at the end", () =>
    holds(
      fc.integer({ min: 2, max: 6 }),
      async (times) => {
        const client = clientOf("confidential");
        const first = await newGrant(client);
        const replies = await Promise.all(Array.from({ length: times }, (_, at) => refresh(client, first.refresh_token, {}, ways[at % 4])));
        const successors = replies.filter(({ status }) => status === 200).map(tokensOf);
        for (const reply of replies.filter(({ status }) => status !== 200)) expectError(reply, "invalid_grant");
        expect(successors.length).toBeGreaterThan(0);
        const uses = [];
        for (const { refresh_token } of successors) uses.push((await refresh(client, refresh_token)).status);
        expect(uses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
      },
      { runs: 12, concurrency: 3 },
    ));

  test("a public client that uses a refresh token several times concurrently loses the grant, and exactly one answer holds tokens", () =>
    holds(
      fc.integer({ min: 2, max: 6 }),
      async (times) => {
        const client = clientOf("public");
        const first = await newGrant(client);
        const replies = await Promise.all(Array.from({ length: times }, () => refresh(client, first.refresh_token)));
        const successors = replies.filter(({ status }) => status === 200).map(tokensOf);
        expect(successors.length).toBe(1);
        await expectGrantRevoked(client, first, ...successors);
      },
      { runs: 12, concurrency: 3 },
    ));
});

describe("a refresh token belongs to its client", () => {
  test.each<[ClientHolder, ClientHolder]>([
    ["confidential", "second"],
    ["confidential", "public"],
    ["public", "confidential"],
  ])("a refresh token of the %s client is refused with invalid_grant for the %s client, and stays good", async (owner, thief) => {
    const tokens = await newGrant(clientOf(owner));
    for (const how of ways) expectError(await refresh(clientOf(thief), tokens.refresh_token, {}, how), "invalid_grant");
    await expectGrantAlive(clientOf(owner), tokens);
  });

  test("a used refresh token is refused with invalid_grant for another client, and its grant lives on", async () => {
    const first = await newGrant(clientOf("public"));
    const second = await refreshed(clientOf("public"), first);
    await expectRefreshRefused(clientOf("second"), first);
    await expectGrantAlive(clientOf("public"), second);
  });
});

test("a text that is no refresh token, or only nearly one, is refused with invalid_grant, and the right one stays good", async () => {
  const client = clientOf("confidential");
  const tokens = await newGrant(client);
  const { access_token, refresh_token } = tokens;
  const { code } = await newCode(client);
  const nearly = [refresh_token.toUpperCase(), `${refresh_token}x`, refresh_token.slice(0, -1), `${refresh_token} `, ` ${refresh_token}`];
  for (const token of ["nonsense", access_token, code, ...nearly]) expectError(await refresh(client, token), "invalid_grant");
  await expectGrantAlive(client, tokens);
});
