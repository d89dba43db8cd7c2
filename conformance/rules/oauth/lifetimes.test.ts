import { beforeEach, describe, test } from "vitest";

import { expectProblem, me } from "../../harness/client/api.ts";
import {
  clientOf,
  exchange,
  expectError,
  needsClients,
  newCode,
  newGrant,
  refresh,
  type Tokens,
  tokensOf,
} from "../../harness/oauth/oauth-client.ts";
import { letTimePass } from "../../harness/server/tables.ts";
import { operatorOf } from "../../harness/server/target.ts";

// Time passes for what the database holds: codes, grants and refresh tokens. A second of slack for what passes by itself.

beforeEach(needsClients);

const day = 86_400;
const next = async ({ refresh_token }: Tokens): Promise<Tokens> => tokensOf(await refresh(clientOf("confidential"), refresh_token));
const dead = async ({ refresh_token }: Tokens): Promise<void> =>
  expectError(await refresh(clientOf("confidential"), refresh_token), "invalid_grant");

describe("a code", () => {
  test("is good for 60 seconds", async (context) => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    await letTimePass(operatorOf(context), 55);
    tokensOf(await exchange(client, code));
  });

  test("is invalid_grant after 60 seconds", async (context) => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    await letTimePass(operatorOf(context), 60);
    expectError(await exchange(client, code), "invalid_grant");
  });

  test("revokes its grant when it is used again, however old it is", async (context) => {
    const client = clientOf("confidential");
    const code = await newCode(client);
    const tokens = tokensOf(await exchange(client, code));
    await letTimePass(operatorOf(context), 600);
    expectError(await exchange(client, code), "invalid_grant");
    expectProblem(await me({ key: tokens.access_token }), 401, "token_revoked");
    await dead(tokens);
  });
});

describe("a confidential client's last refresh token", () => {
  test("can be repeated for 30 seconds", async (context) => {
    const first = await newGrant(clientOf("confidential"));
    await next(first);
    await letTimePass(operatorOf(context), 25);
    await next(await next(first));
  });

  test("revokes the grant when it is repeated after 30 seconds", async (context) => {
    const first = await newGrant(clientOf("confidential"));
    const second = await next(first);
    await letTimePass(operatorOf(context), 30);
    await dead(first);
    expectProblem(await me({ key: second.access_token }), 401, "token_revoked");
    await dead(second);
  });

  test("repeated twice within 30 seconds, is too old 30 seconds after its first use", async (context) => {
    const first = await newGrant(clientOf("confidential"));
    await next(first);
    await letTimePass(operatorOf(context), 20);
    const second = await next(first);
    await letTimePass(operatorOf(context), 20);
    await dead(first);
    await dead(second);
  });
});

describe("a refresh token", () => {
  test("is good for 90 days, and so is each successor", async (context) => {
    let tokens = await newGrant(clientOf("confidential"));
    for (let count = 0; count < 3; count += 1) {
      await letTimePass(operatorOf(context), 90 * day - 60);
      tokens = await next(tokens);
    }
  });

  test("is invalid_grant after 90 days", async (context) => {
    const tokens = await newGrant(clientOf("confidential"));
    await letTimePass(operatorOf(context), 90 * day);
    await dead(tokens);
  });

  test("is invalid_grant a year after the approval, however often it was refreshed", async (context) => {
    let tokens = await newGrant(clientOf("confidential"));
    for (let count = 0; count < 5; count += 1) {
      await letTimePass(operatorOf(context), 73 * day - 60);
      tokens = await next(tokens);
    }
    await letTimePass(operatorOf(context), 2 * day);
    await dead(tokens);
  });
});
