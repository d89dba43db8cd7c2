import { describe, expect, test } from "vitest";

import { create, get, list, me, problemOf } from "../../harness/client/api.ts";
import { send } from "../../harness/client/http-client.ts";
import { donation } from "../../harness/generators/donations.ts";

describe("problems (RFC 9457)", () => {
  test.each([
    ["400", () => create(donation({ amount: 0 }))],
    ["401", () => me({ key: null })],
    ["404 of an operation", () => get("x")],
    ["404 of no operation", () => send({ path: "/api/v1/unknown?secret=1" })],
    ["405", () => send({ method: "PUT", path: "/api/v1/me?secret=1" })],
  ])("problem %s: its members say what the status line and the request say", async (_, ask) => {
    const reply = await ask();
    const { status, instance, requestId, type, title, detail } = problemOf(reply);
    expect([status, requestId]).toEqual([reply.status, reply.headers["x-request-id"]]);
    expect(instance).toMatch(/^\/api\/v1\/[a-z/]+$/);
    for (const words of [type, title, detail]) expect(words).not.toBe("");
  });

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
