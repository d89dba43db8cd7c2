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
import { clientOf, needsClients, newGrant, revoke } from "../../suite/client/oauth/oauth-client.ts";
import { operations, scopes } from "../../suite/contract/contract.ts";
import { freshIdentifier, fullDonation } from "../../suite/values/donations.ts";

beforeEach(needsClients);

const guarded = operations.filter((operation) => operation.scopes !== null);
const filled = (path: string): string => path.replace(/\{[^}]*\}/g, "01932f6e-8a00-7000-8000-3f1e5a7c9b21");
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
    expect(challengeOf(reply, "Bearer")?.error).toBe("invalid_token");
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
    expect(challengeOf(reply, "Bearer")?.error).toBe("insufficient_scope");
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
