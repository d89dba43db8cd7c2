import { beforeEach, describe, test } from "vitest";
import {
  clientOf,
  exchange,
  expectAccess,
  expectAccessRevoked,
  expectError,
  expectRefreshRefused,
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
} from "../../suite/client/oauth/oauth-client.ts";
import { forged, stolenKey } from "../../suite/servers/credentials.ts";
import { type Client, type ClientHolder, operatorOf } from "../../suite/values/target.ts";

beforeEach(needsClients);

describe.each<ClientHolder>(["confidential", "public"])("%s client", (holder) => {
  const client = (): Client => clientOf(holder);

  describe.each(ways)("as $as, client in $by", (how) => {
    test("revoking an access token ends it alone: the grant's others stay good", async () => {
      const first = await newGrant(client());
      const second = tokensOf(await refresh(client(), first.refresh_token));
      expectRevoked(await revoke(client(), first.access_token, {}, how));
      await expectAccessRevoked(first);
      await expectAccess(second);
      await expectAccess(tokensOf(await refresh(client(), second.refresh_token)));
    });

    test("revoking a refresh token revokes its grant", async () => {
      const first = await newGrant(client());
      const second = tokensOf(await refresh(client(), first.refresh_token));
      expectRevoked(await revoke(client(), second.refresh_token, {}, how));
      for (const tokens of [first, second]) await expectAccessRevoked(tokens);
      await expectRefreshRefused(client(), second);
    });

    test("revoking a token that was never issued is answered like a revocation", async () => {
      for (const token of ["nonsense", "namjai_r1_unknown", "eyJhbGciOiJFUzI1NiJ9.e30.x", "a".repeat(4000), "' or '1'='1", "..."])
        expectRevoked(await revoke(client(), token, {}, how));
    });

    test("revoking an unknown token of any length and any characters that a body can hold is answered like a revocation (RFC 7009 2.2)", async () => {
      for (const token of ["a".repeat(4_096), "a".repeat(4_097), "a".repeat(60_000), `namjai_r1_${"x".repeat(50_000)}`, "โทเคน\n\u0000😀"])
        expectRevoked(await revoke(client(), token, {}, how));
    });

    test("revoking a token again is answered like the first time", async () => {
      const tokens = await newGrant(client());
      for (const token of [tokens.access_token, tokens.access_token, tokens.refresh_token, tokens.refresh_token, tokens.access_token])
        expectRevoked(await revoke(client(), token, {}, how));
      await expectAccessRevoked(tokens);
    });

    test.each(["access_token", "refresh_token", "nonsense", ""])("revoking ignores token_type_hint: %j", async (token_type_hint) => {
      const tokens = await newGrant(client());
      expectRevoked(await revoke(client(), tokens.access_token, { token_type_hint }, how));
      await expectAccessRevoked(tokens);
      expectRevoked(await revoke(client(), tokens.refresh_token, { token_type_hint }, how));
      await expectRefreshRefused(client(), tokens);
    });

    test("revoking another client's token is refused with invalid_grant, and the token stays good", async () => {
      const tokens = await newGrant(clientOf("second"));
      for (const token of [tokens.access_token, tokens.refresh_token]) expectError(await revoke(client(), token, {}, how), "invalid_grant");
      await expectAccess(tokens);
      await expectAccess(tokensOf(await refresh(clientOf("second"), tokens.refresh_token)));
    });

    test("a revocation without a token is refused with invalid_request", async () => {
      for (const token of [undefined, ""]) expectError(await postAs(client(), "/oauth/revoke", { token }, how), "invalid_request");
    });
  });

  test("revoking one grant leaves another one of the client alone", async () => {
    const [first, second] = [await newGrant(client()), await newGrant(client())];
    expectRevoked(await revoke(client(), first.refresh_token));
    await expectAccessRevoked(first);
    await expectAccess(second);
    tokensOf(await refresh(client(), second.refresh_token));
  });

  test("revoking a refresh token that was used revokes its grant as well", async () => {
    const generations = [await newGrant(client())];
    for (let round = 0; round < 3; round += 1)
      generations.push(tokensOf(await refresh(client(), (generations.at(-1) as Tokens).refresh_token)));
    expectRevoked(await revoke(client(), (generations[1] as Tokens).refresh_token));
    for (const tokens of generations) await expectAccessRevoked(tokens);
    await expectRefreshRefused(client(), generations.at(-1) as Tokens);
  });

  test("revoking a token with fewer scopes ends it alone as well", async () => {
    const first = await newGrant(client());
    const second = tokensOf(await refresh(client(), first.refresh_token, { scope: "read:donations" }));
    expectRevoked(await revoke(client(), second.access_token));
    await expectAccessRevoked(second);
    await expectAccess(first);
  });

  test("revoking a token that was tampered with, or has a blank before or behind it, revokes nothing", async () => {
    const tokens = await newGrant(client());
    const { access_token, refresh_token } = tokens;
    const foreign = await forged(access_token, Buffer.from("secret"), { header: { alg: "HS256" } });
    const padded = [access_token, refresh_token].flatMap((token) => [` ${token}`, `${token} `]);
    for (const token of [`${access_token.slice(0, -9)}AAAAAAAAA`, `${refresh_token}x`, foreign, ...padded])
      expectRevoked(await revoke(client(), token));
    await expectAccess(tokens);
    tokensOf(await refresh(client(), refresh_token));
  });

  test("revoking an access token that has expired is answered like a revocation (RFC 7009 2.2)", async (context) => {
    const signingKey =
      (await stolenKey(operatorOf(context))) ?? context.skip("not applicable: the private keys are encrypted in the database");
    const { access_token } = await newGrant(client());
    const exp = Math.floor(Date.now() / 1000) - 60;
    expectRevoked(await revoke(client(), await forged(access_token, signingKey, { claims: { iat: exp - 3600, exp } })));
  });

  test("revoking a code has no effect: the code stays good", async () => {
    const code = await newCode(client());
    expectRevoked(await revoke(client(), code.code));
    tokensOf(await exchange(client(), code));
  });

  test("revoking a refresh token during its refresh ends the grant", async () => {
    for (let round = 0; round < 8; round += 1) {
      const tokens = await newGrant(client());
      const [refreshed, reply] = await Promise.all([refresh(client(), tokens.refresh_token), revoke(client(), tokens.refresh_token)]);
      expectRevoked(reply);
      const all = refreshed.status === 200 ? [tokens, tokensOf(refreshed)] : [tokens];
      for (const one of all) await expectAccessRevoked(one);
      for (const one of all) await expectRefreshRefused(client(), one);
    }
  });
});

test("a server that answered a revocation refuses the token from then on, however busy it is", async () => {
  const client = clientOf("confidential");
  const rounds = async (): Promise<void> => {
    let tokens = await newGrant(client);
    for (let round = 0; round < 25; round += 1) {
      expectRevoked(await revoke(client, tokens.access_token));
      for (let use = 0; use < 3; use += 1) await expectAccessRevoked(tokens);
      tokens = tokensOf(await refresh(client, tokens.refresh_token));
    }
  };
  await Promise.all(Array.from({ length: 8 }, rounds));
});
