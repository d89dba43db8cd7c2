import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { challengeOf, create, expectProblem, me, problemOf } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { hasOurForm, secretLength, withAnotherSecret } from "../../suite/servers/key-form.ts";
import { donation } from "../../suite/values/donations.ts";
import { target } from "../../suite/values/target.ts";

const main = (): string => target().keys.main;
const withHeader = (Authorization: string): Promise<Reply> => me({ key: null, headers: { Authorization } });

test("a request without a credential is refused with missing_credentials, and a challenge with a parameter and without an error (RFC 6750 3, 3.1)", async () => {
  const reply = await me({ key: null });
  expectProblem(reply, 401, "missing_credentials");
  const challenge = challengeOf(reply, "Bearer");
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
    expect(challengeOf(reply, "Bearer")?.error).toBe("invalid_token");
  });
});

test.each(["access_token", "api_key", "key", "token"])("a key in the URL is never accepted: %s", async (parameter) => {
  expectProblem(await send({ path: `/api/v1/me?${parameter}=${main()}`, key: null }), 401, "missing_credentials");
  expectProblem(await me({ key: null, headers: { Cookie: `${parameter}=${main()}`, "X-Api-Key": main() } }), 401, "missing_credentials");
});

test("a key in the body is never accepted", async () =>
  expectProblem(await create(donation({ access_token: main() }), { key: null }), 401, "missing_credentials"));
