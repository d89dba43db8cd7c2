import fc from "fast-check";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";

import { create, createRaw, expectProblem, get, list, me, problemOf } from "./harness/api.ts";
import { type Reply, send } from "./harness/client.ts";
import { donation } from "./harness/donations.ts";
import { holds } from "./harness/holds.ts";
import { addKey, cli } from "./harness/operator.ts";
import { keyOf, operatorOf, target } from "./harness/target.ts";

const main = (): string => target().keys.main;
const withHeader = (Authorization: string): Promise<Reply> => me({ key: null, headers: { Authorization } });

test("without a credential: missing_credentials, and a challenge without an error (RFC 6750 3.1)", async () => {
  const reply = await me({ key: null });
  expectProblem(reply, 401, "missing_credentials");
  expect(reply.headers["www-authenticate"]).toMatch(/^Bearer\b(?!.*error=)/);
});

test.each(["Basic dXNlcjpwYXNz", "Digest username=x", "Token abc", "ApiKey abc", "Bearer"])("another scheme than Bearer and a token: %s is missing_credentials (interface 5.1)", async (header) =>
  expectProblem(await withHeader(header), 401, "missing_credentials"));

test("a key without the scheme is missing_credentials (interface 5.1)", async () => expectProblem(await withHeader(main()), 401, "missing_credentials"));

test("the scheme's case does not matter (RFC 9110 11.1)", async () => {
  for (const scheme of ["bearer", "BEARER"]) expect((await withHeader(`${scheme} ${main()}`)).status).toBe(200);
});

const swap = (key: string, at: number, letter: string): string => key.slice(0, at) + (key[at] === letter ? "_" : letter) + key.slice(at + 1);

test("a key with one wrong character is invalid_token", () =>
  holds(fc.tuple(fc.nat(200), fc.constantFrom(..."0Aaz9")), async ([at, letter]) => expectProblem(await me({ key: swap(main(), at % main().length, letter) }), 401, "invalid_token")));

describe("not a key", () => {
  const ofKey: [string, (key: string) => string][] = [
    ["a key of another brand (interface 5.2)", (key) => key.replace(/^[a-z]+_/, "brand_")],
    ["a key of another version (interface 5.2)", (key) => key.replace("_v1_", "_v2_")],
    ["a key in capitals", (key) => key.toUpperCase()],
    ["a key cut short", (key) => key.slice(0, -1)],
    ["a key with something after it", (key) => `${key}0`],
    ["two characters of a key changed round", (key) => key.slice(0, -8) + [...key.slice(-8)].reverse().join("")],
    ["the prefix alone", (key) => key.slice(0, key.lastIndexOf("_") + 1)],
    ["a word", () => "null"],
    ["a JWT that nobody signed", () => "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.eyJzdWIiOiJ4IiwiZXhwIjo0MTAyNDQ0ODAwLCJzY29wZSI6IndyaXRlOmRvbmF0aW9ucyJ9."],
    ["8000 characters", () => "a".repeat(8000)],
  ];

  test.each(ofKey)("%s is invalid_token", async (_, change) => {
    const reply = await me({ key: change(main()) });
    expectProblem(reply, 401, "invalid_token");
    expect(reply.headers["www-authenticate"]).toMatch(/^Bearer .*error="invalid_token"/);
  });
});

test.each(["access_token", "api_key", "key", "token"])("a key in the URL is never accepted: %s", async (parameter) => {
  expectProblem(await send({ path: `/api/v1/me?${parameter}=${main()}`, key: null }), 401, "missing_credentials");
  expectProblem(await me({ key: null, headers: { Cookie: `${parameter}=${main()}`, "X-Api-Key": main() } }), 401, "missing_credentials");
});

test("a key in the body is never accepted", async () =>
  expectProblem(await create(donation({ access_token: main() }), { key: null }), 401, "missing_credentials"));

test("a revoked key is token_revoked within a second", async (context) => {
  const operator = operatorOf(context);
  const key = await addKey(operator, operator.handle, "read:donations");
  expect((await me({ key })).status).toBe(200);
  const entries = JSON.parse(await cli(operator, "keys", "list", "--streamer", operator.handle)) as { id: string; publicId: string }[];
  await cli(operator, "keys", "revoke", entries.find(({ publicId }) => key.includes(publicId))?.id ?? "");
  await sleep(1000);
  expectProblem(await me({ key }), 401, "token_revoked");
});

test("an expired key is token_expired", async (context) => {
  const operator = operatorOf(context);
  const key = await cli(operator, "keys", "create", "--streamer", operator.handle, "--scopes", "read:donations", "--expires", "2020-01-01T00:00:00Z");
  expectProblem(await me({ key }), 401, "token_expired");
});

test("a key expires while it is in use", async (context) => {
  const operator = operatorOf(context);
  const end = Date.now() + 2500;
  const key = await cli(operator, "keys", "create", "--streamer", operator.handle, "--scopes", "read:donations", "--expires", new Date(end).toISOString());
  if (Date.now() < end - 200) expect((await me({ key })).status).toBe(200);
  await sleep(Math.max(0, end - Date.now()) + 50);
  expectProblem(await me({ key }), 401, "token_expired");
});

describe("a stranger learns nothing of the schema", () => {
  const bodies: [string, string | Uint8Array, Record<string, string>][] = [
    ["an invalid body", '{"amount":"x","unknown":1}', {}],
    ["malformed JSON", "{", {}],
    ["invalid UTF-8", Uint8Array.of(0xff), {}],
    ["a body above 64 KiB", " ".repeat(70_000), {}],
    ["another content type", "x", { "Content-Type": "text/plain" }],
    ["a compressed body", "x", { "Content-Encoding": "gzip" }],
  ];

  test.each(bodies)("%s without a credential is 401", async (_, body, headers) =>
    expectProblem(await createRaw(body, { key: null, headers }), 401, "missing_credentials"));

  test.each(bodies)("%s with a bad credential is 401", async (_, body, headers) =>
    expectProblem(await createRaw(body, { key: "x", headers }), 401, "invalid_token"));

  test.for(bodies)("%s without the scope is 403", async ([, body, headers], context) =>
    expectProblem(await createRaw(body, { key: keyOf(context, "readOnly"), headers }), 403, "insufficient_scope"));

  test("unknown parameters, cursors and ids without a credential are 401", async () => {
    for (const reply of [await list({ unknown: 1, cursor: "x" }, { key: null }), await get("x", { key: null })]) expectProblem(reply, 401, "missing_credentials");
  });
});

test("a missing scope is named in requiredScopes and in the challenge (RFC 6750 3.1)", async (context) => {
  const reply = await create(donation(), { key: keyOf(context, "readOnly") });
  expectProblem(reply, 403, "insufficient_scope");
  expect(problemOf(reply).requiredScopes).toEqual(["write:donations"]);
  expect(reply.headers["www-authenticate"]).toMatch(/^Bearer .*error="insufficient_scope".*scope="write:donations"/);
});
