import { describe, expect, test } from "vitest";

import { expectProblem } from "../suite/client/api.ts";
import { send } from "../suite/client/http-client.ts";
import { operations } from "../suite/contract/contract.ts";
import type { Reply } from "../suite/contract/http-request.ts";
import { credentialOf, guarded, schemesOf } from "../suite/models/derive/hints.ts";

const filled = (path: string): string => path.replace(/\{[^}]*\}/g, "01932f6e-8a00-7000-8000-3f1e5a7c9b21");
const methodsOf = (path: string): string[] => operations.filter((one) => one.path === path).map(({ method }) => method);
const paths = [...new Set(operations.map(({ path }) => path))].map((path) => ({ path: filled(path), methods: methodsOf(path) }));
const listed = (header: string | string[] | undefined): string[] =>
  String(header ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean)
    .sort();
/** The methods that a path allows: HEAD wherever GET is, and OPTIONS. */
const allowed = (methods: string[]): string[] => [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();

test.each(paths)("a trailing slash is another path: $path/ is route_not_found", async ({ path, methods }) => {
  for (const method of methods) expectProblem(await send({ method, path: `${path}/`, key: null }), 404, "route_not_found");
});

test.each(paths)("$path refuses other methods with method_not_allowed, and Allow lists the right ones", async ({ path, methods }) => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"].filter((one) => !methods.includes(one))) {
    const reply = await send({ method, path, key: null });
    expectProblem(reply, 405, "method_not_allowed");
    expect(listed(reply.headers.allow), method).toEqual(allowed(methods));
  }
});

describe("HEAD", () => {
  const readable = operations.filter(({ method }) => method === "GET").map((operation) => ({ path: filled(operation.path), operation }));
  const compared = ({ status, headers }: Reply): unknown[] => [status, headers["content-type"], headers["www-authenticate"]];

  test.each(paths.filter(({ methods }) => !methods.includes("GET")))(
    "HEAD is refused with 405 and no body by $path, which has no GET",
    async ({ path, methods }) => {
      const reply = await send({ method: "HEAD", path, key: null });
      expect([reply.status, reply.text, listed(reply.headers.allow)]).toEqual([405, "", allowed(methods)]);
    },
  );

  test.each(readable)("$path answers HEAD like GET, without the body", async ({ path, operation }) => {
    const [key] = schemesOf(operation).flatMap((scheme) => credentialOf(scheme) ?? []);
    for (const one of guarded(operation) && key ? [key, null] : [null])
      expect(compared(await send({ method: "HEAD", path, key: one }))).toEqual(compared(await send({ path, key: one })));
  });
});

describe("OPTIONS", () => {
  const Origin = "https://example.com";
  const answersPage = (path: string): boolean =>
    operations.some((one) => filled(one.path) === path && one.responses["200"]?.content?.["text/html"] !== undefined);

  /** The headers that the contract names for the operations of the path, in lower case. */
  const headersOf = (path: string): string[] =>
    operations
      .filter((one) => filled(one.path) === path)
      .flatMap(({ parameters }) => parameters.filter((one) => one.in === "header").map(({ name }) => name.toLowerCase()));

  test.each(paths.filter(({ path }) => answersPage(path)))(
    "OPTIONS $path answers no CORS headers for a page, which no script of another site may request",
    async ({ path }) => {
      const reply = await send({ method: "OPTIONS", path, key: null, headers: { Origin, "Access-Control-Request-Method": "GET" } });
      expect(reply.status).toBeOneOf([200, 204]);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    },
  );

  test.each(paths.filter(({ path }) => !answersPage(path)))(
    "OPTIONS $path lists the allowed methods and headers, those of the contract among them, without a credential",
    async ({ path, methods }) => {
      const named = ["authorization", "content-type", ...headersOf(path)];
      const headers = { Origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": named.join(", ") };
      const reply = await send({ method: "OPTIONS", path, key: null, headers });
      expect(reply.status).toBeOneOf([200, 204]);
      expect(reply.headers["access-control-allow-origin"]).toBeOneOf(["*", Origin]);
      expect(listed(reply.headers["access-control-allow-methods"])).toEqual(expect.arrayContaining(methods));
      expect(listed(reply.headers["access-control-allow-headers"]?.toLowerCase())).toEqual(expect.arrayContaining(named));
    },
  );
});
