import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";

import { expectProblem, me } from "../../harness/client/api.ts";
import { holds } from "../../harness/generators/holds.ts";
import {
  clientOf,
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

const holders: ClientHolder[] = ["confidential", "public"];
const again = async (client: Client, { refresh_token }: Tokens): Promise<Tokens> => tokensOf(await refresh(client, refresh_token));
const refused = async (client: Client, { refresh_token }: Tokens): Promise<void> =>
  expectError(await refresh(client, refresh_token), "invalid_grant");

async function expectDead(client: Client, ...all: Tokens[]): Promise<void> {
  for (const { access_token } of all) expectProblem(await me({ key: access_token }), 401, "token_revoked");
  for (const tokens of all) await refused(client, tokens);
}

async function expectAlive(client: Client, tokens: Tokens): Promise<void> {
  expect((await me({ key: tokens.access_token })).status).toBe(200);
  await again(client, tokens);
}

describe("a refresh token is replaced by every use", () => {
  test.each(holders)("its successor is good, and the next, and the next: %s client", async (holder) => {
    let tokens = await newGrant(clientOf(holder));
    const seen = new Set<string>();
    for (const how of ways) {
      seen.add(tokens.refresh_token);
      tokens = tokensOf(await refresh(clientOf(holder), tokens.refresh_token, {}, how));
    }
    expect(seen.has(tokens.refresh_token)).toBe(false);
  });

  test("a public client that uses one twice loses the grant", async () => {
    const client = clientOf("public");
    const first = await newGrant(client);
    const second = await again(client, first);
    await refused(client, first);
    await expectDead(client, first, second);
  });

  test("a confidential client that uses an older one than the last loses the grant", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const second = await again(client, first);
    const third = await again(client, second);
    await refused(client, first);
    await expectDead(client, first, second, third);
  });

  test("a grant that dies takes no other with it", async () => {
    const client = clientOf("public");
    const [doomed, other] = [await newGrant(client), await newGrant(client)];
    await again(client, doomed);
    await refused(client, doomed);
    await expectAlive(client, other);
  });
});

describe("a confidential client whose answer was lost", () => {
  test("may repeat the last one: it gets a new successor, and the unused one dies", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const lost = await again(client, first);
    const second = await again(client, first);
    await refused(client, lost);
    await expectAlive(client, second);
  });

  test("may repeat it several times, and only the last successor is good", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const successors = [];
    for (let count = 0; count < 4; count += 1) successors.push(await again(client, first));
    const last = successors.pop() as Tokens;
    for (const lost of successors) await refused(client, lost);
    await expectAlive(client, last);
  });

  test("loses the grant when the successor was used", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const second = await again(client, await again(client, first));
    await refused(client, first);
    await expectDead(client, second);
  });
});

describe("at once", () => {
  test("a confidential client that uses one several times has at the end at most one live refresh token", () =>
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
      { runs: 12, atOnce: 3 },
    ));

  test("a public client that uses one several times loses the grant, and exactly one answer held tokens", () =>
    holds(
      fc.integer({ min: 2, max: 6 }),
      async (times) => {
        const client = clientOf("public");
        const first = await newGrant(client);
        const replies = await Promise.all(Array.from({ length: times }, () => refresh(client, first.refresh_token)));
        const successors = replies.filter(({ status }) => status === 200).map(tokensOf);
        expect(successors.length).toBe(1);
        await expectDead(client, first, ...successors);
      },
      { runs: 12, atOnce: 3 },
    ));
});

describe("a refresh token belongs to its client", () => {
  test.each<[ClientHolder, ClientHolder]>([
    ["confidential", "second"],
    ["confidential", "public"],
    ["public", "confidential"],
  ])("one of %s is invalid_grant for %s, and stays good", async (owner, thief) => {
    const tokens = await newGrant(clientOf(owner));
    for (const how of ways) expectError(await refresh(clientOf(thief), tokens.refresh_token, {}, how), "invalid_grant");
    await expectAlive(clientOf(owner), tokens);
  });

  test("one that was used is invalid_grant for another, and its grant lives on", async () => {
    const first = await newGrant(clientOf("public"));
    const second = await again(clientOf("public"), first);
    await refused(clientOf("second"), first);
    await expectAlive(clientOf("public"), second);
  });
});

test("what is no refresh token is invalid_grant", async () => {
  const client = clientOf("confidential");
  const { access_token, refresh_token } = await newGrant(client);
  const { code } = await newCode(client);
  for (const token of ["nonsense", access_token, code, refresh_token.toUpperCase(), `${refresh_token}x`, refresh_token.slice(0, -1)])
    expectError(await refresh(client, token), "invalid_grant");
});
