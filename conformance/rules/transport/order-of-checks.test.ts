import { describe, expect, test } from "vitest";

import { challengeOf, create, createRaw, expectFaults, expectProblem, get, list, problemOf } from "../../suite/client/api.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

// The documented order of checks: route, method, credential, scope, content type, size, JSON, schema, idempotency.

describe("a stranger learns nothing of the schema", () => {
  const bodies: [string, string | Uint8Array, Record<string, string>][] = [
    ["an invalid body", '{"amount":"x","unknown":1}', {}],
    ["malformed JSON", "{", {}],
    ["invalid UTF-8", Uint8Array.of(0xff), {}],
    ["a body above 64 KiB", " ".repeat(70_000), {}],
    ["another content type", "x", { "Content-Type": "text/plain" }],
    ["a compressed body", "x", { "Content-Encoding": "gzip" }],
  ];

  test.each(bodies)("a request with %s and no credential is refused with 401", async (_, body, headers) =>
    expectProblem(await createRaw(body, { key: null, headers }), 401, "missing_credentials"),
  );

  test.each(bodies)("a request with %s and a bad credential is refused with 401", async (_, body, headers) =>
    expectProblem(await createRaw(body, { key: "x", headers }), 401, "invalid_token"),
  );

  test.for(bodies)("a request with %s and without the scope is refused with 403", async ([, body, headers], context) =>
    expectProblem(await createRaw(body, { key: keyOf(context, "readOnly"), headers }), 403, "insufficient_scope"),
  );

  test("unknown parameters, cursors and ids without a credential are refused with 401", async () => {
    for (const reply of [await list({ unknown: 1, cursor: "x" }, { key: null }), await get("x", { key: null })])
      expectProblem(reply, 401, "missing_credentials");
  });
});

test("a missing scope is named in requiredScopes and in the challenge (RFC 6750 3.1)", async (context) => {
  const reply = await create(donation(), { key: keyOf(context, "readOnly") });
  expectProblem(reply, 403, "insufficient_scope");
  expect(problemOf(reply).requiredScopes).toEqual(["write:donations"]);
  expect(challengeOf(reply, "Bearer")).toMatchObject({ error: "insufficient_scope", scope: "write:donations" });
});

describe("several broken rules: the first in order is answered", () => {
  test("the content type is checked before the size", async () =>
    expectProblem(await createRaw(" ".repeat(70_000), { headers: { "Content-Type": "text/plain" } }), 415, "unsupported_media_type"));

  test("the size is checked before the JSON", async () => expectProblem(await createRaw("{".repeat(70_000)), 413, "payload_too_large"));

  test("the JSON is checked before the schema", async () => expectProblem(await createRaw('{"amount":"x"'), 400, "malformed_json"));

  test("the schema is checked before the idempotency key", async () => {
    const idempotencyKey = freshKey();
    await create(donation({ idempotencyKey }));
    expectFaults(await create(donation({ idempotencyKey, amount: 0 })), "/amount out_of_range");
  });
});
