import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { create, expectProblem, expectWithin, me, recorded, replayed } from "../../suite/client/api.ts";
import {
  clientOf,
  exchange,
  expectError,
  expectRevoked,
  newCode,
  newGrant,
  refresh,
  revoke,
  tokensOf,
} from "../../suite/client/oauth/oauth-client.ts";
import { cli } from "../../suite/client/operator.ts";
import { watchUses } from "../../suite/client/watch-uses.ts";
import { headerOf, publicKeys } from "../../suite/servers/credentials.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { fullDonation } from "../../suite/values/donations.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// The server under test and a second process on its database; a third process replaces the second when that is killed.

beforeEach(needsOwnProcess);

let second: Process | null = null;
beforeAll(async () => {
  const { operator } = target();
  second = operator && (await startProcess(operator, "second"));
});
afterAll(() => second?.stop());

const other = (): { server: string } => ({ server: second?.url ?? "" });
const statusOf = async (key: string, server?: string): Promise<number> => (await me({ key, server })).status;

/** Expects this process to refuse the key within a second, and from then on. */
async function expectRefusedSoon(key: string, server?: string): Promise<void> {
  await expectWithin(1000, () => statusOf(key, server), 401);
  expectProblem(await me({ key, server }), 401, "token_revoked");
}

describe("either process", () => {
  test("each process accepts the other's tokens, codes and refresh tokens", async () => {
    const client = clientOf("confidential");
    const { access_token, refresh_token } = tokensOf(await exchange(client, await newCode(client), other()));
    for (const server of [undefined, second?.url]) expect(await statusOf(access_token, server)).toBe(200);
    const here = tokensOf(await refresh(client, refresh_token));
    for (const server of [undefined, second?.url]) expect(await statusOf(here.access_token, server)).toBe(200);
    tokensOf(await refresh(client, here.refresh_token, {}, other()));
  });

  test("each process replays the other's donations by their idempotency keys", async () => {
    const { access_token: key } = await newGrant(clientOf("confidential"));
    const body = fullDonation();
    const donation = recorded(await create(body, { key }));
    expect(replayed(await create(body, { key, ...other() }))).toEqual(donation);
  });

  test("both processes publish the same keys", async () => expect(await publicKeys(second?.url)).toEqual(await publicKeys()));
});

describe("revocation between processes", () => {
  const [there, here] = [other, () => ({})];
  test.each([
    ["an access token, there", there, "access_token"],
    ["an access token, here", here, "access_token"],
    ["a grant, there", there, "refresh_token"],
    ["a grant, here", here, "refresh_token"],
  ] as const)("a revocation on one process is obeyed by the other within a second: %s", async (_, where, which) => {
    const client = clientOf("confidential");
    const tokens = await newGrant(client);
    for (const server of [undefined, second?.url]) expect(await statusOf(tokens.access_token, server)).toBe(200);
    const otherProcess = "server" in where() ? undefined : second?.url;
    expectRevoked(await revoke(client, tokens[which], {}, where()));
    expectProblem(await me({ key: tokens.access_token, ...where() }), 401, "token_revoked");
    await expectRefusedSoon(tokens.access_token, otherProcess);
  });

  test("a revocation on one process is obeyed by the other within a second, at whatever moment it happens", async () => {
    const client = clientOf("confidential");
    const grants = [];
    for (let count = 0; count < 8; count += 1) grants.push(await newGrant(client));
    const watched: Promise<void>[] = [];
    for (const { access_token: key } of grants) {
      expect(await statusOf(key)).toBe(200);
      const watch = watchUses(() => me({ key }));
      expectRevoked(await revoke(client, key, {}, other()));
      const revokedAt = Date.now();
      const refused = watch.expectRevoked(() => revokedAt);
      refused.catch(() => {}); // awaited below
      watched.push(refused);
      await sleep(425); // so that the eight fall on every part of any period up to 3.4 s
    }
    await Promise.all(watched);
  });

  test("a code that is replayed on the other process revokes its grant on both", async () => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    const { access_token } = tokensOf(await exchange(client, code));
    expect(await statusOf(access_token)).toBe(200);
    expectError(await exchange(client, code, other()), "invalid_grant");
    await expectRefusedSoon(access_token);
  });

  test("a code used on both processes at once: one use wins, and its grant dies on both", async () => {
    const client = clientOf("confidential");
    for (let round = 0; round < 5; round += 1) {
      const code = await newCode(client);
      const replies = await Promise.all([exchange(client, code), exchange(client, code, other())]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
      const winner = replies.find(({ status }) => status === 200);
      if (!winner) throw new Error("none won");
      for (const server of [undefined, second?.url]) await expectRefusedSoon(tokensOf(winner).access_token, server);
    }
  });

  test("a public client's refresh token used on both processes at once loses the grant on both", async () => {
    const client = clientOf("public");
    for (let round = 0; round < 5; round += 1) {
      const { access_token, refresh_token } = await newGrant(client);
      const replies = await Promise.all([refresh(client, refresh_token), refresh(client, refresh_token, {}, other())]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
      for (const server of [undefined, second?.url]) await expectRefusedSoon(access_token, server);
    }
  });
});

test("the signing key can be changed while both processes run: new tokens have the new one, old ones stay good", async (context) => {
  const old = await newGrant(clientOf("confidential"));
  const { kid } = JSON.parse(await cli(operatorOf(context), "signing-keys", "rotate"));
  for (const how of [{}, other()]) {
    await expectWithin(2000, async () => headerOf((await newGrant(clientOf("confidential"), {}, how)).access_token).kid, kid);
    const { access_token } = await newGrant(clientOf("confidential"), {}, how);
    for (const token of [access_token, old.access_token])
      for (const server of [undefined, second?.url]) expect(await statusOf(token, server)).toBe(200);
    const published = (await publicKeys(second?.url)).map((key) => key.kid);
    expect(published).toEqual(expect.arrayContaining([kid, headerOf(old.access_token).kid]));
  }
});

test("a token of a new signing key is good at a process that has not heard of the key yet", async (context) => {
  const operator = operatorOf(context);
  for (let round = 0; round < 2; round += 1) {
    await cli(operator, "signing-keys", "rotate");
    for (const [how, server] of [[{}, second?.url] as const, [other(), undefined] as const]) {
      const { access_token } = await newGrant(clientOf("confidential"), {}, how);
      expect(await statusOf(access_token, server)).toBe(200);
    }
  }
});

test("a process that was killed and started again accepts old tokens, and still refuses revoked ones", async (context) => {
  const operator = operatorOf(context);
  const client = clientOf("confidential");
  const good = tokensOf(await exchange(client, await newCode(client), other()));
  const revoked = tokensOf(await exchange(client, await newCode(client), other()));
  const session = await newGrant(client);
  expectRevoked(await revoke(client, revoked.access_token, {}, other()));
  await second?.kill();
  second = null;
  second = await startProcess(operator, "third");
  for (const { access_token } of [good, session]) expect(await statusOf(access_token, second.url)).toBe(200);
  expectProblem(await me({ key: revoked.access_token, server: second.url }), 401, "token_revoked");
  tokensOf(await refresh(client, good.refresh_token, {}, other()));
});
