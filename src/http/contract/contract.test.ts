import { readFileSync } from "node:fs";
import { OpenAPIRouter } from "openapi-backend";
import { expect, test } from "vitest";
import { costInLoops } from "../../base/testing-cost.ts";
import { matcher } from "./contract.ts";
import { resolveReferences } from "./published.ts";

const definition = resolveReferences(JSON.parse(readFileSync(new URL("../../../generated/openapi.json", import.meta.url), "utf8")));
const router = new OpenAPIRouter({ definition, ignoreTrailingSlashes: false });
const operations = router.getOperations().map(({ method, path, operationId }) => ({ method: method.toUpperCase(), path, operationId }));
const match = matcher(operations);

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const filled = operations.map(({ path }) => path.replaceAll(/\{\w+\}/g, "01a1"));
const paths = filled.flatMap((path) => [
  path,
  `${path}/`,
  `${path}/x`,
  `/${path}`,
  path.slice(0, -1),
  path.toUpperCase(),
  path.replace("01a1", ""),
]);

const exactPaths = new Set(operations.map(({ path }) => path).filter((path) => !path.includes("{")));

test.each(methods)(
  "%s finds the same operation as openapi-backend's router, whatever the path, but a template for no exact path",
  (method) => {
    const found = (path: string) => match(method, path).operation?.operationId;
    const theirs = (path: string) => {
      const operation = router.matchOperation({ method: method === "HEAD" ? "get" : method, path, headers: {} });
      return exactPaths.has(path) && operation?.path !== path ? undefined : operation?.operationId;
    };
    const asked = ["/", "//", "/api/v1", "/x", ...operations.map(({ path }) => path), ...paths];
    expect(asked.map((path) => [path, found(path)])).toEqual(asked.map((path) => [path, theirs(path)]));
  },
);

test("the template with the most literal text is chosen among several", () => {
  const two = matcher([
    { method: "GET", path: "/{all}/{of}" },
    { method: "GET", path: "/things/{id}" },
  ]);
  expect(two("GET", "/things/1").operation?.path).toBe("/things/{id}");
});

test("an exact path allows its own methods, and other paths those of all matching templates", () => {
  const some = matcher([
    { method: "GET", path: "/things/{id}" },
    { method: "DELETE", path: "/things/{id}" },
    { method: "POST", path: "/things/all" },
  ]);
  expect(some("PUT", "/things/1")).toEqual({ operation: null, allow: ["GET", "HEAD", "DELETE", "OPTIONS"] });
  for (const method of ["PUT", "GET", "DELETE"])
    expect(some(method, "/things/all")).toEqual({ operation: null, allow: ["POST", "OPTIONS"] });
  expect(some("PUT", "/others")).toEqual({ operation: null, allow: [] });
});

test("a path of thousands of segments is compared without delay", () => {
  const path = "/a".repeat(8_000);
  const compare = () => {
    for (let round = 0; round < 100; round += 1) expect(match("GET", path)).toEqual({ operation: null, allow: [] });
  };
  expect(costInLoops(compare)).toBeLessThan(4);
});
