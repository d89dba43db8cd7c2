import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";

import { expectProblem, me } from "./harness/api.ts";
import { type Reply, send } from "./harness/client.ts";
import { apiOperations, pathMethods } from "./harness/contract.ts";

const filled = (path: string): string => path.replace(/\{[^}]*\}/g, "01932f6e-8a00-7000-8000-3f1e5a7c9b21");
const paths = [...pathMethods].map(([path, methods]) => ({ path: filled(path), methods }));
const listed = (header: string | string[] | undefined): string[] =>
  String(header ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean)
    .sort();
/** What a path answers to: HEAD wherever GET is, and OPTIONS. */
const allowed = (methods: string[]): string[] => [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();

describe("404 and 405 come before the credential", () => {
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
  ])("an unknown path is route_not_found: %s", async (path) => expectProblem(await send({ path, key: null }), 404, "route_not_found"));

  test.each(paths)("a trailing slash is another path: $path/ is route_not_found", async ({ path, methods }) => {
    for (const method of methods) expectProblem(await send({ method, path: `${path}/` }), 404, "route_not_found");
  });

  test.each(paths)("$path: other methods are method_not_allowed, and Allow lists the right ones", async ({ path, methods }) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"].filter((one) => !methods.includes(one))) {
      const reply = await send({ method, path, key: null });
      expectProblem(reply, 405, "method_not_allowed");
      expect(listed(reply.headers.allow)).toEqual(allowed(methods));
    }
  });
});

describe("HEAD", () => {
  const readable = paths.filter(({ methods }) => methods.includes("GET"));
  const compared = ({ status, headers }: Reply): unknown[] => [status, headers["content-type"], headers["www-authenticate"]];

  test.each(readable)("$path answers HEAD like GET, without the body", async ({ path }) => {
    for (const key of [undefined, null])
      expect(compared(await send({ method: "HEAD", path, key }))).toEqual(compared(await send({ path, key })));
  });
});

describe("OPTIONS", () => {
  const Origin = "https://example.com";

  test.each(paths)("$path tells browsers which methods and headers it takes, without a credential", async ({ path, methods }) => {
    const headers = { Origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization, content-type" };
    const reply = await send({ method: "OPTIONS", path, key: null, headers });
    expect(reply.status).toBeOneOf([200, 204]);
    expect(reply.headers["access-control-allow-origin"]).toBeOneOf(["*", Origin]);
    expect(listed(reply.headers["access-control-allow-methods"])).toEqual(expect.arrayContaining(methods));
    expect(listed(reply.headers["access-control-allow-headers"]?.toLowerCase())).toEqual(
      expect.arrayContaining(["authorization", "content-type"]),
    );
  });

  test("an unknown path is route_not_found", async () =>
    expectProblem(await send({ method: "OPTIONS", path: "/api/v1/unknown", key: null, headers: { Origin } }), 404, "route_not_found"));

  test("answers and errors let browsers read them and the headers that the contract names", async () => {
    for (const reply of [await me({ headers: { Origin } }), await me({ headers: { Origin }, key: null })]) {
      expect(reply.headers["access-control-allow-origin"]).toBeOneOf(["*", Origin]);
      expect(listed(reply.headers["access-control-expose-headers"]?.toLowerCase())).toEqual(
        expect.arrayContaining(["idempotent-replayed", "location", "retry-after", "x-request-id"]),
      );
    }
  });
});

describe("X-Request-Id", () => {
  const sent = async (id: string): Promise<unknown> => (await me({ headers: { "X-Request-Id": id } })).headers["x-request-id"];
  test.each([randomUUID(), "order-1001.retry_2", "a", "x".repeat(128)])("a well-formed one is echoed: %s", async (id) =>
    expect(await sent(id)).toBe(id),
  );
  test.each(["", "x".repeat(129), "two words", '"><script>', "{}", "\u00fc"])("anything else is replaced: %j", async (id) => {
    expect(await sent(id)).not.toBe(id);
  });
  test("none is like another", async () => {
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

test("header lines above the server's limit are headers_too_large", async () =>
  expectProblem(await me({ headers: { "X-Large": "x".repeat(60_000) } }), 431, "headers_too_large"));

test("header lines of 4 KiB are taken", async () => expect((await me({ headers: { "X-Large": "x".repeat(4096) } })).status).toBe(200));
