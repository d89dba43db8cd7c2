import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import {
  challengeOf,
  create,
  expectProblem,
  get,
  listAll,
  type Me,
  me,
  problemOf,
  readDonation,
  recorded,
  replayed,
} from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
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
import { operations, scopes } from "../../suite/contract/contract.ts";
import { filled } from "../../suite/contract/resources.ts";
import { letTimePass } from "../../suite/servers/database.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { freshIdentifier, fullDonation } from "../../suite/values/donations.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

const guarded = operations.filter((operation) => operation.scopes !== null);
const readMe = async (key?: string): Promise<Me> => ((await me({ key })).body as { data: Me }).data;
const tokenFor = async (...given: Parameters<typeof newGrant>): Promise<string> => (await newGrant(...given)).access_token;

describe.each(guarded)("$id takes access tokens like keys", ({ method, path, scopes: required }) => {
  test("an access token with the scopes of the operation is let through", async () => {
    const key = await tokenFor(clientOf("confidential"), { scopes: required?.join(" ") || scopes[0] });
    expect((await send({ method, path: filled(path), key })).status).not.toBeOneOf([401, 403]);
  });

  test("a revoked access token is refused with 401", async () => {
    const key = await tokenFor(clientOf("confidential"));
    await revoke(clientOf("confidential"), key);
    const reply = await send({ method, path: filled(path), key });
    expectProblem(reply, 401, "token_revoked");
    expect(challengeOf(reply)?.error).toBe("invalid_token");
  });
});

const scoped = guarded.filter((operation) => operation.scopes?.length);

describe.each(scoped)("$id takes access tokens like keys", ({ method, path, scopes: required, security }) => {
  test("an access token without the scopes of the operation is refused with 403, and they are named", async () => {
    const sufficient = security.flatMap(({ Credential = [] }) => Credential);
    const key = await tokenFor(clientOf("confidential"), { scopes: scopes.filter((scope) => !sufficient.includes(scope)).join(" ") });
    const reply = await send({ method, path: filled(path), key });
    expectProblem(reply, 403, "insufficient_scope");
    expect(problemOf(reply).requiredScopes).toEqual(required);
    expect(challengeOf(reply)?.error).toBe("insufficient_scope");
  });
});

describe("a token acts for its streamer and its client", () => {
  test("getMe names the streamer and the application of an access token", async () => {
    const key = await tokenFor(clientOf("confidential"), { scopes: "read:donations" });
    const [ours, keys] = [await readMe(key), await readMe()];
    expect(ours).toMatchObject({ credential: "access_token", streamer: keys.streamer, scopes: ["read:donations"] });
    expect(ours.application).toMatchObject({ name: clientOf("confidential").name });
    expect(ours.application.id).not.toBe(keys.application.id);
  });

  test("access tokens of two clients are two applications, those of two grants of one client are one", async () => {
    const [first, again, second] = await Promise.all(
      (["confidential", "confidential", "second"] as const).map(async (holder) => readMe(await tokenFor(clientOf(holder)))),
    );
    expect(again?.application).toEqual(first?.application);
    expect(second?.application.id).not.toBe(first?.application.id);
  });

  test("a streamer's API key reads what an access token recorded, and the other way round", async () => {
    const key = await tokenFor(clientOf("confidential"));
    const donation = recorded(await create(fullDonation(), { key }));
    expect(readDonation(await get(donation.id))).toEqual({ ...donation, idempotencyKey: null });
    const other = recorded(await create(fullDonation()));
    expect(readDonation(await get(other.id, { key }))).toEqual({ ...other, idempotencyKey: null });
  });

  test("an access token reads no donations of another streamer", async () => {
    const identifier = freshIdentifier();
    const { id } = recorded(await create({ ...fullDonation(), identifier }));
    const key = await tokenFor(clientOf("confidential"), { handle: "other" });
    expectProblem(await get(id, { key }), 404, "donation_not_found");
    expect(await listAll({ identifier }, { key })).toEqual([]);
    expect((await readMe(key)).streamer.id).not.toBe((await readMe()).streamer.id);
  });
});

describe("an idempotency key belongs to the application", () => {
  test("another grant of the client, and a refreshed token, share the client's idempotency keys", async () => {
    const body = fullDonation();
    const client = clientOf("confidential");
    const donation = recorded(await create(body, { key: await tokenFor(client) }));
    expect(replayed(await create(body, { key: await tokenFor(client) }))).toEqual(donation);
  });

  test("another client, and an API key, have idempotency keys of their own: each records anew and reads null", async () => {
    const body = fullDonation();
    const tokens = await Promise.all((["confidential", "second", "public"] as const).map((holder) => tokenFor(clientOf(holder))));
    const all = [];
    for (const key of [...tokens, undefined]) all.push(recorded(await create(body, { key })));
    expect(new Set(all.map(({ id }) => id)).size).toBe(4);
    for (const { id } of all.slice(1)) expect(readDonation(await get(id, { key: tokens[0] })).idempotencyKey).toBeNull();
    expect(readDonation(await get(all[0]?.id ?? "", { key: tokens[0] })).idempotencyKey).toBe(body.idempotencyKey);
  });

  test("one client acting for two streamers has idempotency keys for each", async () => {
    const body = fullDonation();
    const client = clientOf("confidential");
    const ours = recorded(await create(body, { key: await tokenFor(client) }));
    expect(recorded(await create(body, { key: await tokenFor(client, { handle: "other" }) })).id).not.toBe(ours.id);
  });

  test("one client that uses a key for two streamers at the same moment records a donation of its own for each", async () => {
    const client = clientOf("confidential");
    const keys = [await tokenFor(client), await tokenFor(client, { handle: "other" })];
    await holdsForEach(
      Array.from({ length: 24 }, fullDonation),
      async (body) => {
        const [ours, theirs] = await Promise.all(keys.map(async (key) => recorded(await create(body, { key }))));
        expect(readDonation(await get(ours?.id ?? "", { key: keys[0] }))).toEqual(ours);
        expect(readDonation(await get(theirs?.id ?? "", { key: keys[1] }))).toEqual(theirs);
        expect(theirs?.id).not.toBe(ours?.id);
      },
      8,
    );
  });
});

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
