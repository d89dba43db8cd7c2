import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { loadContract } from "./contract/contract.ts";
import { resolveReferences } from "./contract/document.ts";
import { withDefault } from "./operations.ts";

type Schema = { default?: unknown; properties?: Record<string, Schema> };
type Operation = {
  operationId: string;
  parameters: { name: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

const document = resolveReferences<Document>(JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8")));
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

test("withDefault lists exactly the parameters and body members that have a default in the contract", () => {
  const parameters = operations.flatMap(({ parameters }) => parameters.map(({ name, schema }) => [name, schema] as const));
  const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
  const members = bodies.flatMap(({ schema }) => Object.entries(schema.properties ?? {}));
  const named = [...parameters, ...members].filter(([, schema]) => "default" in schema).map(([name]) => name);
  expect([...new Set(named)].sort()).toEqual([...withDefault].sort());
});

test("every operation fills its defaults in", async () => {
  const { operations } = await loadContract();
  const parameters = { query: {} as Record<string, unknown>, path: {}, header: {}, cookie: {} };
  const list = operations.find(({ id }) => id === "listDonations");
  expect(list?.checkParameters(parameters)).toBeNull();
  expect(parameters.query).toEqual({
    limit: 20,
    sort: "-createdAt",
    timezone: "Asia/Bangkok",
    source: ["external", "native"],
    status: "active",
  });
});

const taken = operations.map(({ operationId, parameters, requestBody }) => {
  const bodies = Object.values(requestBody?.content ?? {});
  return [`the schemas of what ${operationId} takes`, [...parameters, ...bodies].map(({ schema }) => schema)] as const;
});
const named = Object.entries(document.components.schemas).map(([name, schema]) => [`the schema ${name}`, [schema]] as const);

const ajv = new Ajv({ strict: false });

test.each([...taken, ...named])("%s: valid JSON Schema, which the server relies on", (_, schemas) => {
  for (const schema of schemas) expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
});

test("every validator of the contract compiles, in turns that leave other work its time", async () => {
  const { compileValidators } = await loadContract();
  let turns = 0;
  const count = setInterval(() => (turns += 1), 0);
  await compileValidators();
  clearInterval(count);
  expect(turns).toBeGreaterThan(5);
});
