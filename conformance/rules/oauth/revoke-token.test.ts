import { beforeEach, describe, expect, test } from "vitest";

import { expectProblem, me } from "../../harness/client/api.ts";
import { forged } from "../../harness/oauth/forged-tokens.ts";
import {
  clientOf,
  exchange,
  expectError,
  expectRevoked,
  needsClients,
  newCode,
  newGrant,
  postAs,
  refresh,
  revoke,
  type Tokens,
  tokensOf,
  ways,
} from "../../harness/oauth/oauth-client.ts";
import type { Client, ClientHolder } from "../../harness/server/target.ts";

beforeEach(needsClients);

const good = async ({ access_token }: Tokens): Promise<void> => expect((await me({ key: access_token })).status).toBe(200);
const revoked = async ({ access_token }: Tokens): Promise<void> => expectProblem(await me({ key: access_token }), 401, "token_revoked");
const dead = async (client: Client, { refresh_token }: Tokens): Promise<void> =>
  expectError(await refresh(client, refresh_token), "invalid_grant");

describe.each<ClientHolder>(["confidential", "public"])("%s client", (holder) => {
  const client = (): Client => clientOf(holder);

  describe.each(ways)("as $as, client in $by", (how) => {
    test("an access token goes alone: the grant's others stay good", async () => {
      const first = await newGrant(client());
      const second = tokensOf(await refresh(client(), first.refresh_token));
      expectRevoked(await revoke(client(), first.access_token, {}, how));
      await revoked(first);
      await good(second);
      await good(tokensOf(await refresh(client(), second.refresh_token)));
    });

    test("a refresh token takes its grant with it", async () => {
      const first = await newGrant(client());
      const second = tokensOf(await refresh(client(), first.refresh_token));
      expectRevoked(await revoke(client(), second.refresh_token, {}, how));
      for (const tokens of [first, second]) await revoked(tokens);
      await dead(client(), second);
    });

    test("a token that nobody has is as good as revoked", async () => {
      for (const token of ["nonsense", "namjai_r1_unknown", "eyJhbGciOiJFUzI1NiJ9.e30.x", "a".repeat(4000), "' or '1'='1", "..."])
        expectRevoked(await revoke(client(), token, {}, how));
    });

    test("an unknown token of any length and any characters that a body can hold is as good as revoked (RFC 7009 2.2)", async () => {
      for (const token of ["a".repeat(4_096), "a".repeat(4_097), "a".repeat(60_000), `namjai_r1_${"x".repeat(50_000)}`, "โทเคน\n\u0000😀"])
        expectRevoked(await revoke(client(), token, {}, how));
    });

    test("once more is as good as once", async () => {
      const tokens = await newGrant(client());
      for (const token of [tokens.access_token, tokens.access_token, tokens.refresh_token, tokens.refresh_token, tokens.access_token])
        expectRevoked(await revoke(client(), token, {}, how));
      await revoked(tokens);
    });

    test.each(["access_token", "refresh_token", "nonsense", ""])("a hint does not matter: %j", async (token_type_hint) => {
      const tokens = await newGrant(client());
      expectRevoked(await revoke(client(), tokens.access_token, { token_type_hint }, how));
      await revoked(tokens);
      expectRevoked(await revoke(client(), tokens.refresh_token, { token_type_hint }, how));
      await dead(client(), tokens);
    });

    test("another client's token is invalid_grant and stays", async () => {
      const tokens = await newGrant(clientOf("second"));
      for (const token of [tokens.access_token, tokens.refresh_token]) expectError(await revoke(client(), token, {}, how), "invalid_grant");
      await good(tokens);
      await good(tokensOf(await refresh(clientOf("second"), tokens.refresh_token)));
    });

    test("without a token it is invalid_request", async () => {
      for (const token of [undefined, ""]) expectError(await postAs(client(), "/oauth/revoke", { token }, how), "invalid_request");
    });
  });

  test("one grant's end is not another's", async () => {
    const [first, second] = [await newGrant(client()), await newGrant(client())];
    expectRevoked(await revoke(client(), first.refresh_token));
    await revoked(first);
    await good(second);
    tokensOf(await refresh(client(), second.refresh_token));
  });

  test("a narrowed token goes alone, too", async () => {
    const first = await newGrant(client());
    const second = tokensOf(await refresh(client(), first.refresh_token, { scope: "read:donations" }));
    expectRevoked(await revoke(client(), second.access_token));
    await revoked(second);
    await good(first);
  });

  test("a token that was tampered with revokes nothing", async () => {
    const tokens = await newGrant(client());
    const { access_token, refresh_token } = tokens;
    const foreign = await forged(access_token, Buffer.from("secret"), { header: { alg: "HS256" } });
    for (const token of [`${access_token.slice(0, -9)}AAAAAAAAA`, `${refresh_token}x`, foreign])
      expectRevoked(await revoke(client(), token));
    await good(tokens);
    tokensOf(await refresh(client(), refresh_token));
  });

  test("a code is no token: it stays good", async () => {
    const code = await newCode(client());
    expectRevoked(await revoke(client(), code.code));
    tokensOf(await exchange(client(), code));
  });

  test("a refresh token and its refresh at once: the grant is dead at the end", async () => {
    for (let round = 0; round < 8; round += 1) {
      const tokens = await newGrant(client());
      const [refreshed, reply] = await Promise.all([refresh(client(), tokens.refresh_token), revoke(client(), tokens.refresh_token)]);
      expectRevoked(reply);
      const all = refreshed.status === 200 ? [tokens, tokensOf(refreshed)] : [tokens];
      for (const one of all) await revoked(one);
      for (const one of all) await dead(client(), one);
    }
  });
});

test("what answered the revocation refuses the token from then on, however busy it is", async () => {
  const client = clientOf("confidential");
  const rounds = async (): Promise<void> => {
    let tokens = await newGrant(client);
    for (let round = 0; round < 25; round += 1) {
      expectRevoked(await revoke(client, tokens.access_token));
      for (let use = 0; use < 3; use += 1) await revoked(tokens);
      tokens = tokensOf(await refresh(client, tokens.refresh_token));
    }
  };
  await Promise.all(Array.from({ length: 8 }, rounds));
});
