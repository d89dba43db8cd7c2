import { beforeEach, describe, expect, test } from "vitest";

import { expectProblem, me } from "../../suite/client/api.ts";
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
  ways,
} from "../../suite/client/oauth/oauth-client.ts";
import { claimsOf } from "../../suite/servers/forged-tokens.ts";
import { target } from "../../suite/values/target.ts";

beforeEach(needsClients);

const base = (): string => target().url;
const mcp = (): string => `${target().url}/mcp`;

async function expectAudience({ access_token }: Tokens, audience: string): Promise<void> {
  expect(claimsOf(access_token).aud).toBe(audience);
  const reply = await me({ key: access_token });
  if (audience === base()) expect(reply.status, reply.text).toBe(200);
  else expectProblem(reply, 401, "invalid_token");
}

describe.each(ways)("resource (RFC 8707), as $as, client in $by", (how) => {
  const client = () => clientOf("confidential");

  test("a request without a resource, or with the base URL, gets tokens for the base URL that are good on /api/v1", async () => {
    await expectAudience(await newGrant(client(), {}, how), base());
    await expectAudience(await newGrant(client(), { resource: base() }, how), base());
    await expectAudience(tokensOf(await exchange(client(), { ...(await newCode(client())), resource: base() }, how)), base());
  });

  test("a request with the resource /mcp gets tokens that are refused on /api/v1, after a refresh too", async () => {
    const tokens = await newGrant(client(), { resource: mcp() }, how);
    await expectAudience(tokens, mcp());
    await expectAudience(tokensOf(await refresh(client(), tokens.refresh_token, {}, how)), mcp());
    await expectAudience(tokensOf(await exchange(client(), { ...(await newCode(client())), resource: mcp() }, how)), mcp());
  });

  test("a grant for /mcp gives no token for the base URL: invalid_target", async () => {
    const code = await newCode(client(), { resource: mcp() });
    expectError(await exchange(client(), { ...code, resource: base() }, how), "invalid_target");
    const { refresh_token } = await newGrant(client(), { resource: mcp() }, how);
    expectError(await refresh(client(), refresh_token, { resource: base() }, how), "invalid_target");
  });
});

test.each<[string, () => string]>([
  ["another site", () => "https://evil.example"],
  ["another path", () => `${base()}/api/v1`],
  ["more path", () => `${mcp()}/x`],
  ["another case", () => `${base()}/MCP`],
  ["another scheme", () => mcp().replace(/^http/, "ftp")],
  ["a query", () => `${mcp()}?x`],
  ["a fragment", () => `${mcp()}#x`],
  ["user information", () => mcp().replace("://", "://x@")],
  ["a host that only begins like ours", () => `${base()}.evil.example/mcp`],
  ["a relative address", () => "/mcp"],
  ["a word", () => "mcp"],
])("a resource that is %s is refused with invalid_target", async (_, resource) => {
  const client = clientOf("confidential");
  expectError(await exchange(client, { ...(await newCode(client)), resource: resource() }), "invalid_target");
  const { refresh_token } = await newGrant(client);
  for (const how of ways) expectError(await refresh(client, refresh_token, { resource: resource() }, how), "invalid_target");
});
