import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadContract } from "./contract.ts";
import { withDefault } from "./operations.ts";

type Schema = { default?: unknown; properties?: Record<string, Schema>; $ref?: string };
type Document = {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { parameters?: Record<string, { name: string; schema: Schema }>; schemas: Record<string, Schema> };
};

const document: Document = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));

test("withDefault lists exactly the parameters and body members that have a default in the contract", () => {
  const text = JSON.stringify(document);
  const named = [...text.matchAll(/"name":"(\w+)","in":"query"(?:(?!"name":|"responses":).)*?"default":/g)].map(([, name]) => name);
  const bodies = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
  const members = bodies.flatMap(({ schema }) =>
    Object.entries(document.components.schemas[schema.$ref?.split("/").at(-1) ?? ""]?.properties ?? {}),
  );
  const inBodies = members.filter(([, schema]) => "default" in schema).map(([name]) => name);
  expect([...new Set([...named, ...inBodies])].sort()).toEqual([...withDefault].sort());
});

test("every operation fills its defaults in", async () => {
  const { operations } = await loadContract();
  const parameters = { query: {} as Record<string, unknown>, path: {}, header: {}, cookie: {} };
  const list = operations.find(({ id }) => id === "listDonations");
  expect(list?.checkParameters(parameters)).toBeNull();
  expect(parameters.query).toEqual({ limit: 20, sort: "-createdAt", timezone: "Asia/Bangkok" });
});
