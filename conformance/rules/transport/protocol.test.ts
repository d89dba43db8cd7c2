import { describe, expect, test } from "vitest";

import { create, createRaw, expectProblem, get, list, me, pageOf, queryText, recorded, recordSome } from "../../suite/client/api.ts";
import { send, sendUnchecked } from "../../suite/client/http-client.ts";
import { apiOperations, operations } from "../../suite/contract/contract.ts";
import { lengthsOf } from "../../suite/contract/interface.ts";
import { filled } from "../../suite/contract/resources.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { target } from "../../suite/values/target.ts";

const listed = (header: string | string[] | undefined): string[] =>
  String(header ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean)
    .sort();
describe("404 comes before the credential", () => {
  test.each([
    "/api/v1",
    "/api/v1/",
    "/api/v1/unknown",
    "/api/v2/donations",
    "/api/v1/Donations",
    "/API/v1/donations",
    "//api/v1/donations",
    "/api/v1//donations",
    "/api/v1/donations/a/b",
    "/api/v1/me/x",
    "/api/v1/%64onations/x/y",
  ])("an unknown path is refused with route_not_found before the credential is checked: %s", async (path) =>
    expectProblem(await send({ path, key: null }), 404, "route_not_found"),
  );
});

describe("paths and methods are taken as they are sent", () => {
  test.for(["/api/v1/me.json", "/api/v1/me;x=1", "/api/v1/me%20", "/api/v1/donations.json"])(
    "a path with something behind it is another path: %s is refused with route_not_found",
    async (path, context) => {
      if (target().foreign) context.skip("not applicable: what a framework takes for the end of a path is a matter of the server");
      expectProblem(await send({ path }), 404, "route_not_found");
    },
  );

  test.each(["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])("the header %s does not change the method", async (name) => {
    const path = filled("/api/v1/donations/{donationId}");
    expectProblem(await send({ method: "POST", path, headers: { [name]: "GET" } }), 405, "method_not_allowed");
  });
});

describe("OPTIONS", () => {
  const Origin = "https://example.com";
  /** The headers of answers that the contract names, but for those that every script may read (Fetch 3.3.3). */
  const answeredHeaders = [
    ...new Set(
      apiOperations
        .flatMap(({ responses }) => Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)))
        .map((name) => name.toLowerCase()),
    ),
  ].filter((name) => !["cache-control", "content-language", "content-type"].includes(name));

  test.for(["/nope", "/studio/nope"])(
    "a browser that opens the unknown address %s is shown a page, a program gets JSON",
    async (path, context) => {
      if (target().foreign) context.skip("not applicable: what is outside of /api is a matter of the server");
      const headers = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8", "Accept-Language": "en" };
      const shown = await sendUnchecked({ path, key: null, headers });
      expect([shown.status, shown.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
      expect(shown.text).toContain("Page not found");
      expectProblem(await sendUnchecked({ path, key: null }), 404, "route_not_found");
    },
  );

  test("OPTIONS on an unknown path is refused with route_not_found", async () =>
    expectProblem(await send({ method: "OPTIONS", path: "/api/v1/unknown", key: null, headers: { Origin } }), 404, "route_not_found"));

  test("answers and errors let browsers read them and the headers that the contract names", async () => {
    const headers = { Origin };
    const replies = [
      ...[await me({ headers }), await me({ headers, key: null }), await me({ headers, method: "PUT" })],
      ...[
        await list({ limit: 0 }, { headers }),
        await get("x", { headers }),
        await create({}, { headers }),
        await createRaw("{", { headers }),
      ],
      ...[
        await createRaw("{}", { headers: { ...headers, "Content-Type": "text/plain" } }),
        await createRaw(" ".repeat(70_000), { headers }),
      ],
    ];
    for (const reply of replies) {
      expect(reply.headers["access-control-allow-origin"]).toBeOneOf(["*", Origin]);
      expect(listed(reply.headers["access-control-expose-headers"]?.toLowerCase())).toEqual(expect.arrayContaining(answeredHeaders));
    }
  });
});

describe("X-Request-Id", () => {
  const sent = async (id: string): Promise<unknown> => (await me({ headers: { "X-Request-Id": id } })).headers["x-request-id"];
  test.each(["0b6f2a54-7c1d-4e0b-9a35-5d2f8c41e7a9", "order-1001.retry_2", "a", "x".repeat(128)])(
    "a well-formed X-Request-Id is echoed: %s",
    async (id) => expect(await sent(id)).toBe(id),
  );
  test.each(["", "x".repeat(129), "two words", '"><script>', "{}", "\u00fc"])(
    "an X-Request-Id that is not well-formed is replaced: %j",
    async (id) => {
      expect(await sent(id)).not.toBe(id);
    },
  );
  test("a well-formed X-Request-Id is echoed when a donation is recorded, and when it is repeated", async () => {
    const once = donation({ skipAlert: true, idempotencyKey: freshKey() });
    for (const id of ["order-1001", "order-1002"])
      expect((await create(once, { headers: { "X-Request-Id": id } })).headers["x-request-id"]).toBe(id);
  });
  test.each(operations)("a well-formed X-Request-Id is echoed when $id refuses a request", async ({ method, path }) => {
    const reply = await send({ method, path: filled(path), key: null, headers: { "X-Request-Id": "order-1003" } });
    expect(reply.headers["x-request-id"]).toBe("order-1003");
  });
  test("the server's own X-Request-Ids are unique", async () => {
    const ids = (await Promise.all(Array.from({ length: 20 }, () => me()))).map(({ headers }) => headers["x-request-id"]);
    expect(new Set(ids).size).toBe(20);
  });
});

test.each(apiOperations)(
  "$id is not to be stored by caches, unless the contract says for how long",
  async ({ method, path, responses }) => {
    const [kept = "no-store"] = (responses["200"]?.headers?.["Cache-Control"]?.schema.enum ?? []) as string[];
    const reply = await send({ method, path: filled(path) });
    expect(reply.headers["cache-control"]).toBe(reply.status === 200 ? kept : "no-store");
    expect((await send({ method, path: filled(path), key: null })).headers["cache-control"]).toBe("no-store");
  },
);

test("a donation is recorded whose client waits for 100 Continue before it sends the body (RFC 9110 10.1.1)", async (context) => {
  const body = donation({ message: "a".repeat(lengthsOf("message").max) });
  const reply = await create(body, { headers: { Expect: "100-continue" } });
  if (reply.status === 417 && target().foreign) context.skip("not applicable: this server meets no expectations (RFC 9110 15.5.18)");
  recorded(reply);
});

test("header lines above the server's limit are refused with headers_too_large", async (context) => {
  const reply = await me({ headers: { "X-Large": "x".repeat(60_000) } });
  if (target().foreign && reply.status === 200) context.skip("not applicable: the limit of this server is above 60,000 bytes");
  expectProblem(reply, 431, "headers_too_large");
});

test("header lines of 4 KiB are accepted", async () => expect((await me({ headers: { "X-Large": "x".repeat(4096) } })).status).toBe(200));

test("a list for a client that accepts gzip and br is, decoded, the list that any other client gets (RFC 9110 12.5.3)", async () => {
  const { identifier } = await recordSome(12);
  const path = `/api/v1/donations${queryText({ identifier })}`;
  const headers = { Authorization: `Bearer ${target().keys.main}`, "Accept-Encoding": "gzip, br" };
  const compressed = await fetch(target().url + path, { headers }); // decodes what Content-Encoding names
  expect([compressed.status, await compressed.json()]).toEqual([200, pageOf(await send({ path }))]);
});
