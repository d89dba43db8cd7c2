import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, test } from "vitest";
import { expectProblem, me } from "../../suite/client/api.ts";
import {
  clientOf,
  exchange,
  expectError,
  expectGrantRevoked,
  expectRevoked,
  needsClients,
  newCode,
  newGrant,
  refresh,
  revoke,
  type Tokens,
  tokensOf,
} from "../../suite/client/oauth/oauth-client.ts";
import { letTimePass } from "../../suite/servers/tables.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// The lifetimes of codes, grants and refresh tokens, with time simulated in the database. One second of slack covers the time that really passes.
// Where the suite cannot reach the database, one rule waits for the two shortest.

beforeEach(needsClients);

const day = 86_400;
const refreshed = async ({ refresh_token }: Tokens): Promise<Tokens> => tokensOf(await refresh(clientOf("confidential"), refresh_token));
const expectRefreshRefused = async ({ refresh_token }: Tokens): Promise<void> =>
  expectError(await refresh(clientOf("confidential"), refresh_token), "invalid_grant");

test("61 real seconds after it was issued a code is refused with invalid_grant, and a client that repeats its last refresh token after 31 real seconds loses the grant", async (context) => {
  if (target().operator) context.skip("not applicable: other rules prove it with time simulated in the database");
  fullOnly(context, "it waits for 61 seconds");
  const client = clientOf("confidential");
  const [code, first] = [await newCode(client), await newGrant(client)];
  const second = await refreshed(first);
  await sleep(31_000);
  await expectRefreshRefused(first);
  await expectGrantRevoked(client, second);
  await sleep(30_000);
  expectError(await exchange(client, code), "invalid_grant");
});

describe("a code", () => {
  test("a code is good for 60 seconds", async (context) => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    await letTimePass(operatorOf(context), 55);
    tokensOf(await exchange(client, code));
  });

  test("a code is refused with invalid_grant after 60 seconds", async (context) => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    await letTimePass(operatorOf(context), 60);
    expectError(await exchange(client, code), "invalid_grant");
  });

  test("a code that is used again revokes its grant, however old it is", async (context) => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    const tokens = tokensOf(await exchange(client, code));
    await letTimePass(operatorOf(context), 600);
    expectError(await exchange(client, code), "invalid_grant");
    expectProblem(await me({ key: tokens.access_token }), 401, "token_revoked");
    await expectRefreshRefused(tokens);
  });
});

describe("a confidential client's last refresh token", () => {
  test("a confidential client can repeat its last refresh token for 30 seconds", async (context) => {
    const first = await newGrant(clientOf("confidential"));
    await refreshed(first);
    await letTimePass(operatorOf(context), 25);
    await refreshed(await refreshed(first));
  });

  test("a confidential client that repeats its last refresh token after 30 seconds loses the grant", async (context) => {
    const first = await newGrant(clientOf("confidential"));
    const second = await refreshed(first);
    await letTimePass(operatorOf(context), 30);
    await expectRefreshRefused(first);
    expectProblem(await me({ key: second.access_token }), 401, "token_revoked");
    await expectRefreshRefused(second);
  });

  test("a confidential client that repeated its last refresh token within 30 seconds cannot repeat it 30 seconds after its first use", async (context) => {
    const first = await newGrant(clientOf("confidential"));
    await refreshed(first);
    await letTimePass(operatorOf(context), 20);
    const second = await refreshed(first);
    await letTimePass(operatorOf(context), 20);
    await expectRefreshRefused(first);
    await expectRefreshRefused(second);
  });
});

describe("a refresh token", () => {
  test("a refresh token is good for 90 days, and so is each successor", async (context) => {
    let tokens = await newGrant(clientOf("confidential"));
    for (let count = 0; count < 3; count += 1) {
      await letTimePass(operatorOf(context), 90 * day - 60);
      tokens = await refreshed(tokens);
    }
  });

  test("a refresh token is refused with invalid_grant after 90 days", async (context) => {
    const tokens = await newGrant(clientOf("confidential"));
    await letTimePass(operatorOf(context), 90 * day);
    await expectRefreshRefused(tokens);
  });

  test("revoking a refresh token after its 90 days is answered like a revocation (RFC 7009 2.2)", async (context) => {
    const { refresh_token } = await newGrant(clientOf("confidential"));
    await letTimePass(operatorOf(context), 91 * day);
    expectRevoked(await revoke(clientOf("confidential"), refresh_token));
  });

  test("a refresh token is refused with invalid_grant a year after the approval, however often it was refreshed", async (context) => {
    let tokens = await newGrant(clientOf("confidential"));
    for (let count = 0; count < 5; count += 1) {
      await letTimePass(operatorOf(context), 73 * day - 60);
      tokens = await refreshed(tokens);
    }
    await letTimePass(operatorOf(context), 2 * day);
    await expectRefreshRefused(tokens);
  });
});
