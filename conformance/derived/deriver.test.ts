import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { contract, type Operation, operations, operationsIn, type Schema } from "../suite/contract/contract.ts";
import { type Inputs, inputsOf } from "../suite/contract/inputs.ts";
import { keywords, shapeOf, validate } from "../suite/contract/shape.ts";
import { hasSources } from "../suite/contract/sources.ts";
import { type Case, type Cases, casesOf, edgeName } from "../suite/models/derive/cases.ts";
import { excludedOperations } from "../suite/models/derive/rule.ts";
import { target } from "../suite/values/target.ts";

// Tests the deriver on small contracts: a change of a contract is tried without a change of the suite.

const hints = { members: {}, subjects: {} };

type Body = { [member: string]: Schema };

const bodyOf = (properties: Body, others: Schema = {}): Schema => ({
  type: "object",
  required: ["name"],
  additionalProperties: false,
  ...others,
  properties: { name: { type: "string", minLength: 1, maxLength: 5 }, ...properties },
});

const operationNode = (id: string, schema: Schema, parameters: Schema[] = []): Schema => ({
  operationId: id,
  parameters,
  security: [{ Credential: [] }],
  requestBody: { required: true, content: { "application/json": { schema } } },
  responses: { "200": {} },
});

/** A contract of one operation, and of others where they are given. */
const contractOf = (body: Schema, others: Schema = {}, schemas: Schema = {}): Schema => ({
  paths: { "/api/v1/things": { post: operationNode("createThing", body) }, ...others },
  components: { schemas },
});

const inputsIn = (document: Schema, id = "createThing"): Inputs => {
  const operation = operationsIn(document).find((one) => one.id === id);
  if (!operation) throw new Error(`no operation ${id}`);
  return inputsOf(operation, document);
};

const derived = (inputs: Inputs, seed = target().seed) => casesOf(inputs, keywords, { seed, hints });
const known = new Map<string, Cases>();

/** All derived cases of an operation of the published contract. */
function published(operation: Operation): Cases {
  const cases = known.get(operation.id) ?? derived(inputsOf(operation));
  known.set(operation.id, cases);
  return cases;
}

const verdicts = (cases: Case[], field: string): Record<string, boolean> =>
  Object.fromEntries(cases.filter((one) => one.field === field).map((one) => [one.edge, one.broken.length === 0]));

describe("an edit of the contract", () => {
  test("a new optional member of the contract is tried on both sides of its bound", () => {
    expect(verdicts(derived(inputsIn(contractOf(bodyOf({})))).cases, "/note")).toEqual({});
    const { cases, missed } = derived(inputsIn(contractOf(bodyOf({ note: { type: "string", maxLength: 3 } }))));
    expect(missed).toEqual([]);
    expect(verdicts(cases, "/note")).toMatchObject({
      "left out: accepted": true,
      "there: accepted": true,
      "maxLength 3: last accepted": true,
      "maxLength 3: first refused": false,
      "maxLength 3, beyond the BMP: last accepted": true,
      "null: refused": false,
      "integer: refused": false,
    });
    const bodies = cases.filter(({ field, edge }) => field === "/note" && edge.startsWith("maxLength 3,")).map(({ parts }) => parts.body);
    expect(bodies.map((body) => [...JSON.parse(body ?? "").note].length)).toEqual([3, 4, 8]);
  });

  test("a changed bound of the contract moves both neighbours that are tried", () => {
    const { cases } = derived(inputsIn(contractOf(bodyOf({ price: { type: "number", exclusiveMinimum: 0, maximum: 49.5 } }))));
    const sent = (edge: string): number[] =>
      cases.filter((one) => one.edge === edge).map(({ parts }) => JSON.parse(parts.body ?? "").price);
    expect([sent("maximum 49.5: last accepted"), sent("maximum 49.5: first refused")]).toEqual([[49.5], [49.50000000000001]]);
    expect([sent("exclusiveMinimum 0: last accepted"), sent("exclusiveMinimum 0: first refused")]).toEqual([[5e-324], [0]]);
  });

  test("a new operation of the contract is tried: its path, query, headers and body", () => {
    const parameters = [
      { name: "thingId", in: "path", required: true, schema: { type: "string" } },
      { name: "depth", in: "query", schema: { type: "integer", minimum: 1, maximum: 9 } },
      {
        name: "tag",
        in: "query",
        schema: { type: "array", maxItems: 2, uniqueItems: true, items: { type: "string", enum: ["a", "b", "c"] } },
      },
      { name: "X-Way", in: "header", schema: { type: "string", enum: ["up", "down"] } },
    ];
    const patch = operationNode("changeThing", bodyOf({}, { required: [] }), parameters);
    const { cases, missed } = derived(inputsIn(contractOf(bodyOf({}), { "/api/v1/things/{thingId}": { patch } }), "changeThing"));
    expect(missed).toEqual([]);
    expect(verdicts(cases, "depth")).toMatchObject({
      "minimum 1: first refused": false,
      "maximum 9: last accepted": true,
      "said twice: refused": false,
    });
    expect(verdicts(cases, "tag")).toMatchObject({
      "maxItems 2: first refused": false,
      "uniqueItems: first refused": false,
      "enum: refused": false,
    });
    expect(verdicts(cases, "X-Way")).toMatchObject({ 'enum "up": accepted': true, "enum: refused": false });
    expect(verdicts(cases, "the body")).toMatchObject({ "unknown member: refused": false, "array: refused": false });
    expect(verdicts(cases, "/name")).toMatchObject({ "left out: accepted": true });
  });

  test("a keyword that the deriver does not know is an error, not a gap", () =>
    expect(() => inputsIn(contractOf(bodyOf({ odd: { type: "integer", multipleOf: 3 } })))).toThrow(/multipleOf/));
});

const rich = bodyOf({
  nested: {
    anyOf: [
      { type: "object", required: ["title"], additionalProperties: false, properties: { title: { $ref: "#/components/schemas/Title" } } },
      { type: "null" },
    ],
  },
  both: { allOf: [{ $ref: "#/components/schemas/Title" }, { maxLength: 4 }], description: "The tighter bound counts." },
  maybe: { type: ["string", "null"], minLength: 2 },
  words: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", maxLength: 2 } },
  rows: {
    type: "array",
    maxItems: 2,
    items: { type: "object", required: ["count"], properties: { count: { type: "integer", maximum: 7 } } },
  },
  map: { type: "object", additionalProperties: { type: "boolean" } },
  kind: { const: "thing" },
  code: { type: "string", pattern: "^[A-Z]{2}[0-9]{3}$" },
  when: { type: "string", format: "date" },
  flag: { type: "boolean" },
});
const richContract = contractOf(rich, {}, { Title: { type: "string", minLength: 1, maxLength: 6, examples: ["ไมค์"] } });

describe("a contract with everything in it", () => {
  test("every field of the rich contract is found, however deep it is nested", () => {
    const fields = new Set(derived(inputsIn(richContract)).cases.map(({ field }) => field));
    expect([...fields].sort()).toEqual(
      expect.arrayContaining([
        "/nested",
        "/nested/title",
        "/both",
        "/maybe",
        "/words",
        "/words/0",
        "/rows/0/count",
        "/map",
        "/map/other",
        "/kind",
      ]),
    );
  });

  test("no edge of the rich contract is missed, and both sides of each bound are tried", () => {
    const { cases, edges, missed } = derived(inputsIn(richContract));
    expect(missed).toEqual([]);
    for (const edge of [
      "/both maxLength 4: first refused",
      "/nested null: accepted",
      "/nested integer: refused",
      "/words minItems 1: first refused",
    ])
      expect(edges).toContain(edge);
    expect(new Set(cases.map(edgeName)).size).toBeGreaterThanOrEqual(edges.length);
  });

  test("an invalid derived case breaks exactly one rule", () => {
    const several = derived(inputsIn(richContract)).cases.filter(({ broken }) => broken.length > 1);
    expect(several.map(edgeName)).toEqual([]);
  });
});

/** An independent validator. */
function validator(document: Schema): (schema: unknown, value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  // Items that are validated one by one break no rule of the request.
  const opened = (text: string): object =>
    JSON.parse(text, (_, node) => (node?.["x-validated-per-item"] === true ? { ...node, items: true } : node));
  ajv.addSchema(opened(JSON.stringify(document)), "contract");
  const rewritten = (schema: unknown): object => opened(JSON.stringify(schema).replaceAll('"#/', '"contract#/'));
  const compiled = new Map<unknown, (value: unknown) => boolean>();
  return (schema, value) => {
    const check = compiled.get(schema) ?? ajv.compile(rewritten(schema));
    compiled.set(schema, check);
    return check(value) as boolean;
  };
}

/** A value of the body is named by a JSON pointer, a parameter by its name. */
const aboutTheBody = ({ cases }: { cases: Case[] }): Case[] =>
  cases.filter(({ field, keyword }) => /^(\/|$)/.test(field) && !/Parameter$/.test(keyword));

describe("the suite's own validator agrees with another one", () => {
  test.each([1, 2, 3])("the suite's validator and Ajv agree on every body derived from the rich contract (seed %i)", (seed) => {
    const agrees = validator(richContract);
    for (const { parts, broken, edge } of aboutTheBody(derived(inputsIn(richContract), seed)))
      expect(agrees(rich, JSON.parse(parts.body ?? "")), `${edge} ${parts.body}`).toBe(broken.length === 0);
  });

  test.each(operations.filter((one) => one.path.startsWith("/api/") && inputsOf(one).body?.isFile === false))(
    "the suite's validator and Ajv agree on every derived body of $id",
    (operation) => {
      const agrees = validator(contract);
      const schema = operation.requestBody?.content["application/json"]?.schema;
      for (const { parts, broken, edge } of aboutTheBody(published(operation)))
        expect(agrees(schema, JSON.parse(parts.body ?? "")), `${edge} ${parts.body}`).toBe(broken.length === 0);
    },
  );

  test("the suite's validator counts code points", () => {
    const shape = shapeOf({ type: "string", maxLength: 2 }, contract);
    expect([validate(shape, "😀😀"), validate(shape, "😀😀😀")]).toEqual([[], [{ at: "", keyword: "maxLength" }]]);
  });
});

describe("the published contract", () => {
  test.each(operations.filter(({ id }) => !(id in excludedOperations)))("every edge of $id can be tried", (operation) =>
    expect(published(operation).missed).toEqual([]),
  );

  test("every operation without derived values has a written reason", () => {
    const without = operations.filter((one) => one.id in excludedOperations).map(({ id }) => id);
    expect(without).toEqual(Object.keys(excludedOperations));
  });

  test("every keyword of the published contract belongs to a rule file", (context) => {
    if (!hasSources) context.skip("not run: reads the suite's own files, which the package does not contain");
    const folder = new URL(".", import.meta.url);
    const files = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
    const named = files.flatMap((text) => [...text.matchAll(/keywords: \[([^\]]*)\]/g)].map(([, list = ""]) => list)).join();
    expect(keywords.filter((keyword) => !named.includes(`"${keyword}"`))).toEqual([]);
  });
});
