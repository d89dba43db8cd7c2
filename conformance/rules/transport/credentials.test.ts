import fc from "fast-check";
import { beforeAll, describe, expect, type TestContext, test } from "vitest";
import { challengeOf, create, expectNone, expectProblem, type Me, me, problemOf } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import { cliAll, keyCall } from "../../suite/client/operator.ts";
import { operations, scopes as published } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { offline } from "../../suite/contract/offline-rules.ts";
import { filled } from "../../suite/contract/resources.ts";
import { type Need, needs, type Scope, scopeFaults, scopes } from "../../suite/contract/scopes.ts";
import { hasOurForm, secretLength, withAnotherSecret } from "../../suite/servers/credentials.ts";
import { donation } from "../../suite/values/donations.ts";
import { type Holder, keyOf, target } from "../../suite/values/target.ts";

const main = (): string => target().keys.main;
const withHeader = (Authorization: string): Promise<Reply> => me({ key: null, headers: { Authorization } });

test("a request without a credential is refused with missing_credentials, and a challenge with a parameter and without an error (RFC 6750 3, 3.1)", async () => {
  const reply = await me({ key: null });
  expectProblem(reply, 401, "missing_credentials");
  const challenge = challengeOf(reply);
  expect([Object.keys(challenge ?? {}).length > 0, challenge?.error]).toEqual([true, undefined]);
});

test.each(["Basic dXNlcjpwYXNz", "Digest username=x", "Token abc", "ApiKey abc"])(
  "an Authorization header of another scheme than Bearer is refused with missing_credentials (interface 5.1): %s",
  async (header) => expectProblem(await withHeader(header), 401, "missing_credentials"),
);

test("the scheme Bearer without a token is refused with 401, as a missing credential or as an invalid one (interface 5.1)", async () => {
  const reply = await withHeader("Bearer");
  expect([reply.status, problemOf(reply).code]).toBeOneOf([
    [401, "missing_credentials"],
    [401, "invalid_token"],
  ]);
});

test("a key without the scheme is refused with missing_credentials (interface 5.1)", async () =>
  expectProblem(await withHeader(main()), 401, "missing_credentials"));

test.each<[string, (key: string) => string]>([
  ["a word behind the key", (key) => `Bearer ${key} x`],
  ["a scheme that ends in Bearer", (key) => `XBearer ${key}`],
  ["a scheme that is as long as Bearer", (key) => `Apikey ${key}`],
  ["Bearer and the key behind a credential of Basic and a comma", (key) => `Basic eDp5, Bearer ${key}`],
])("an Authorization header with %s is refused with 401 (interface 5.1)", async (_, write) => {
  const reply = await withHeader(write(main()));
  expect(reply.status).toBe(401);
  expect(problemOf(reply).code, "the contract does not say how such a header is divided").toBeOneOf([
    "missing_credentials",
    "invalid_token",
  ]);
});

test("the scheme Bearer is accepted in any case (RFC 9110 11.1)", async () => {
  for (const scheme of ["bearer", "BEARER"]) expect((await withHeader(`${scheme} ${main()}`)).status).toBe(200);
});

test("any number of blanks may stand between Bearer and the token (RFC 6750 2.1, RFC 9110 11.4)", async () => {
  for (const count of [1, 2, 7]) expect((await withHeader(`Bearer${" ".repeat(count)}${main()}`)).status).toBe(200);
});

const swap = (key: string, at: number, letter: string): string =>
  key.slice(0, at) + (key[at] === letter ? "_" : letter) + key.slice(at + 1);

test("two Authorization headers are refused, whichever of them is valid and stands first (RFC 9110 5.3)", async () => {
  const both = [`Bearer ${main()}`, "Bearer x"];
  for (const Authorization of [both, both.toReversed(), [both[0], both[0]]]) {
    const reply = await me({ key: null, headers: { Authorization: Authorization as never } }); // node:http sends a list as two headers
    expect(reply.status, "the contract does not say which header counts").toBeOneOf([400, 401]);
  }
});

test("a key with one wrong character is refused with invalid_token", () =>
  holds(fc.tuple(fc.nat(200), fc.constantFrom(..."0Aaz9")), async ([at, letter]) =>
    expectProblem(await me({ key: swap(main(), at % main().length, letter) }), 401, "invalid_token"),
  ));

test("a key with another secret is refused with invalid_token, even with a valid checksum", async (context) => {
  if (!hasOurForm(main())) context.skip("not run: the keys of this server have a form of their own");
  for (let at = 0; at < secretLength; at += 1) expectProblem(await me({ key: withAnotherSecret(main(), at) }), 401, "invalid_token");
});

describe("texts that are no key", () => {
  const ofKey: [string, (key: string) => string][] = [
    ["a key of another brand (interface 5.2)", (key) => key.replace(/^[a-z]+_/, "brand_")],
    ["a key of another version (interface 5.2)", (key) => key.replace("_v1_", "_v2_")],
    ["a key in capitals", (key) => key.toUpperCase()],
    ["a key cut short", (key) => key.slice(0, -1)],
    ["a key with something after it", (key) => `${key}0`],
    ["two characters of a key changed round", (key) => key.slice(0, -8) + [...key.slice(-8)].reverse().join("")],
    ["the prefix alone", (key) => key.slice(0, key.lastIndexOf("_") + 1)],
    ["a word", () => "null"],
    [
      "a JWT that nobody signed",
      () => "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.eyJzdWIiOiJ4IiwiZXhwIjo0MTAyNDQ0ODAwLCJzY29wZSI6IndyaXRlOmRvbmF0aW9ucyJ9.",
    ],
    ["8000 characters", () => "a".repeat(8000)],
  ];

  test.each(ofKey)("a credential that is %s is refused with invalid_token", async (_, change) => {
    const reply = await me({ key: change(main()) });
    expectProblem(reply, 401, "invalid_token");
    expect(challengeOf(reply)?.error).toBe("invalid_token");
  });
});

test.each(["access_token", "api_key", "key", "token"])("a key in the URL is never accepted: %s", async (parameter) => {
  expectProblem(await send({ path: `/api/v1/me?${parameter}=${main()}`, key: null }), 401, "missing_credentials");
  expectProblem(await me({ key: null, headers: { Cookie: `${parameter}=${main()}`, "X-Api-Key": main() } }), 401, "missing_credentials");
});

test("a key in the body is never accepted", async () =>
  expectProblem(await create(donation({ access_token: main() }), { key: null }), 401, "missing_credentials"));

// Compares the contract with a second, hand-written table: only that can notice a valid scope at the wrong operation.

const isScope = (need: Need | undefined): need is Scope => scopes.some((scope) => scope === need);
const needing = operations.flatMap((operation) => {
  const need = needs[operation.id];
  return isScope(need) ? [{ id: operation.id, operation, need }] : [];
});

let keys: Partial<Record<Scope, string | null>> = {};

beforeAll(async () => {
  const { operator, keys: given } = target();
  const known = { "read:donations": given.readOnly, "write:donations": given.writeOnly };
  const others = scopes.filter((scope) => !(scope in known));
  const calls = operator ? others.map((scope) => keyCall(operator.handle, scope)) : [];
  const made = operator ? await cliAll(operator, calls) : [];
  keys = { ...known, ...Object.fromEntries(others.map((scope, index) => [scope, made[index] ?? null])) };
});

/** A key with this scope alone. */
const keyWith = (context: TestContext, scope: Scope): string =>
  keys[scope] ?? context.skip(`not run: this run has no key with the scope ${scope} alone`);

test("every operation needs exactly the scope that the suite's own table demands", offline, () => expectNone(scopeFaults(operations)));

test("the scopes of the contract are those of the suite's own table", offline, () =>
  expect([...published].sort()).toEqual([...scopes].sort()),
);

// A refusal of the unknown parameter proves that the credential was let through, without any effect.
test.for(needing)("$id lets a key through whose only scope is $need", async ({ operation: { method, path }, need }, context) => {
  const reply = await send({ method, path: `${filled(path)}?unknown=1`, key: keyWith(context, need) });
  expect(reply.status, reply.text).not.toBeOneOf([401, 403]);
});

test.for(needing)(
  "$id refuses keys without $need, whatever other scope they have",
  async ({ operation: { method, path, security }, need }, context) => {
    const sufficient = [need, ...security.flatMap(({ Credential = [] }) => Credential)];
    for (const scope of scopes.filter((one) => !sufficient.includes(one))) {
      const reply = await send({ method, path: `${filled(path)}?unknown=1`, key: keyWith(context, scope) });
      expectProblem(reply, 403, "insufficient_scope");
      expect(problemOf(reply).requiredScopes).toEqual([need]);
    }
  },
);

const readMe = async (key: string): Promise<Me> => ((await me({ key })).body as { data: Me }).data;

test("a key with both donation scopes is an API key and has them", async () => {
  const { credential, scopes } = await readMe(target().keys.main);
  expect(credential).toBe("api_key");
  expect(scopes).toEqual(expect.arrayContaining(["write:donations", "read:donations"]));
});

test.for<[Holder, string]>([
  ["readOnly", "read:donations"],
  ["writeOnly", "write:donations"],
])("a %s key has %s alone, and getMe accepts it", async ([holder, scope], context) => {
  expect((await readMe(keyOf(context, holder))).scopes).toEqual([scope]);
});

test("keys of one streamer name the same streamer, keys of two streamers different ones", async (context) => {
  const [main, readOnly, other] = await Promise.all([
    readMe(target().keys.main),
    readMe(keyOf(context, "readOnly")),
    readMe(keyOf(context, "other")),
  ]);
  expect(readOnly.streamer).toEqual(main.streamer);
  expect(other.streamer.id).not.toBe(main.streamer.id);
});

test("each key names its own application", async (context) => {
  const [main, second] = await Promise.all([readMe(target().keys.main), readMe(keyOf(context, "secondApplication"))]);
  expect(second.streamer).toEqual(main.streamer);
  expect(second.application.id).not.toBe(main.application.id);
});
