import { describe, expect, test } from "vitest";

import { create, createRaw, get, list, me, problemOf, recorded } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";

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
