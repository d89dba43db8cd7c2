import { describe, expect, test } from "vitest";
import { challengeOf, create, createRaw, expectFaults, expectProblem, get, list, me, problemOf, recorded } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { operations } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

type Options = { headers: Record<string, string> };

/** Requests that are refused, each with another status or in another place of the server. */
const refused: [what: string, path: string, ask: (options: Options) => Promise<Reply>][] = [
  ["400 of a broken rule", "/api/v1/donations", (options) => create(donation({ amount: 0 }), options)],
  ["400 of a body that is no JSON", "/api/v1/donations", (options) => createRaw("{", options)],
  ["401", "/api/v1/me", (options) => me({ ...options, key: null })],
  ["404 of an operation", "/api/v1/donations/x", (options) => get("x", options)],
  ["404 of no operation", "/api/v1/unknown", (options) => send({ path: "/api/v1/unknown?secret=1", ...options })],
  ["405", "/api/v1/me", (options) => send({ method: "PUT", path: "/api/v1/me?secret=1", ...options })],
  ["413", "/api/v1/donations", (options) => createRaw(" ".repeat(65_537), options)],
  ["415", "/api/v1/donations", ({ headers }) => createRaw("{}", { headers: { ...headers, "Content-Type": "text/plain" } })],
  ["422", "/api/v1/donations", reuseKey],
];

/** Sends another donation with a key that was used. */
async function reuseKey(options: Options): Promise<Reply> {
  const used = donation({ skipAlert: true, idempotencyKey: freshKey(), amount: 1 });
  recorded(await create(used));
  return create({ ...used, amount: 2 }, options);
}

describe("problems (RFC 9457)", () => {
  test.each(refused)("problem %s: its members say what the status line and the request say", async (_, path, ask) => {
    const sent = "order-1001";
    const reply = await ask({ headers: { "X-Request-Id": sent } });
    const { status, instance, requestId, type, title, detail } = problemOf(reply);
    expect([status, instance, requestId, reply.headers["x-request-id"]]).toEqual([reply.status, path, sent, sent]);
    for (const words of [type, title, detail]) expect(words).not.toBe("");
  });

  test.each(refused)("problem %s: its type is an absolute URL that ends with its code (RFC 9457 3.1.1)", async (_, _path, ask) => {
    const { type, code } = problemOf(await ask({ headers: {} }));
    expect(type).toMatch(new RegExp(`^https?://.*#${code}$`));
  });

  test.each(refused)(
    "problem %s has the type application/json where Accept names only that, else application/problem+json",
    async (_, _path, ask) => {
      for (const type of ["application/json", "application/problem+json"])
        expect((await ask({ headers: { Accept: type } })).headers["content-type"]?.split(";")[0]).toBe(type);
    },
  );

  const types = async (accept: string | null): Promise<unknown> =>
    (await me({ key: null, headers: accept === null ? {} : { Accept: accept } })).headers["content-type"];

  test.each([null, "*/*", "text/html", "application/problem+json", "application/json, application/problem+json", "application/json, */*"])(
    "a problem for Accept: %s has the type application/problem+json",
    async (accept) => expect(await types(accept)).toMatch(/^application\/problem\+json/),
  );

  test.each([
    "application/json;q=0",
    "application/json; Q=0.000",
    "application/json;q=0, text/html",
    "application/json, text/html;q=0.001",
  ])(
    "a problem for Accept: %s, whose only JSON is refused or one of several types, has the type application/problem+json (RFC 9110 12.4.2)",
    async (accept) => expect(await types(accept)).toMatch(/^application\/problem\+json/),
  );

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/json;q=0.1",
    "application/json, application/problem+json;q=0",
    "application/json, */*;q=0.0",
  ])("a problem for Accept: %s, which accepts only JSON, has the type application/json", async (accept) =>
    expect(await types(accept)).toMatch(/^application\/json/),
  );
});

test.each(["text/html", "application/xml", "image/png"])("a successful answer is JSON whatever Accept says: %s", async (Accept) => {
  const reply = await list({ limit: 1 }, { headers: { Accept } });
  expect([reply.status, reply.headers["content-type"]]).toEqual([200, expect.stringMatching(/^application\/json/)]);
});

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
  expect(challengeOf(reply)).toMatchObject({ error: "insufficient_scope", scope: "write:donations" });
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

// A body of 64 KiB that breaks the contract in thousands of places must not cost the server thousands of faults. The server's own tests
// check that its validator stops early; these rules check that the answer is bounded.

const size = 65_000;
const mostFaults = 100;

const repeated = (item: string): string => Array.from({ length: Math.floor(size / (item.length + 1)) }, () => item).join(",");
const members = Array.from({ length: 6_000 }, (_, index) => `"x${index}":1`).join(",");
const bodies = {
  "32,000 numbers in an array of text": `{"blockedWords":[${repeated("1")}]}`,
  "20,000 objects in an array of text": `{"blockedWords":[${repeated("{}")}]}`,
  "6,000 unknown members": `{${members}}`,
  "6,000 unknown members of a member": `{"goal":{${members}}}`,
};

const cases = ["updateAlertSettings", "createDonation"].flatMap((id) => Object.entries(bodies).map(([name, body]) => ({ id, name, body })));

test.each(cases)("$id refuses a body with $name and names at most 100 faults", async ({ id, body }) => {
  const operation = operations.find((one) => one.id === id);
  const { path = "", method = "" } = operation ?? {};
  const problem = problemOf(await send({ path, method, headers: { "Content-Type": "application/json" }, body }));
  expect(problem.code).toBe("validation_failed");
  expect(problem.errors?.length).toBeGreaterThan(0);
  expect(problem.errors?.length).toBeLessThanOrEqual(mostFaults);
});
