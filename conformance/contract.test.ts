import { describe, expect, test } from "vitest";

import { contract, type Media, operation, operations, type Parameter, resolved, type Schema } from "./harness/contract.ts";
import { type Member, members } from "./harness/interface.ts";
import { published } from "./harness/schemas.ts";

const schemas = (contract.components as { schemas: Record<string, Schema> }).schemas;
const donation = schemas.ExternalDonation as { required: string[]; properties: Record<string, Schema>; additionalProperties: boolean };
const keywords = ["type", "minLength", "maxLength", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "enum", "default"];

/** The bounds of a member as the contract states them, whether in place or in the scalar that it refers to. */
const stated = (member: string): Schema => {
  const property = donation.properties[member] ?? {};
  const all: Schema = { ...resolved(property), ...property };
  return Object.fromEntries(keywords.filter((keyword) => keyword in all).map((keyword) => [keyword, all[keyword]]));
};

/** The same as interface 2.1 states them. */
const demanded = ({ type, minLength, maxLength, above, upTo, allowed, fallback }: Member): Schema => {
  const bounds = { type, minLength, maxLength, exclusiveMinimum: above, maximum: upTo, enum: allowed, default: fallback };
  return Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined));
};

describe("the contract says what the interface says", () => {
  test.each(members)("$member has the type, bounds and default of interface 2.1, no more and no less", (member) =>
    expect(stated(member.member)).toEqual(demanded(member)),
  );

  test("the body is closed: a member that the contract does not name is refused", () => expect(donation.additionalProperties).toBe(false));

  test("donatorName and amount are required, alone (interface 2.1)", () =>
    expect([...donation.required].sort()).toEqual(["amount", "donatorName"]));

  test("createdAt has the format date-time (interface 2.1)", () => expect(schemas.createdAt?.format).toBe("date-time"));

  test("a donation is posted to /api/v1/donations as JSON, with the scope write:donations (interface 4.1, 5.3)", () => {
    const { method, path, scopes, requestBody } = operation("createDonation");
    expect([method, path, scopes, Object.keys(requestBody?.content ?? {})]).toEqual([
      "POST",
      "/api/v1/donations",
      ["write:donations"],
      ["application/json"],
    ]);
    expect(requestBody?.required).toBe(true);
  });

  test("every operation lives under /api/v1, but for OAuth and what stands beside the API (interface 9)", () =>
    expect(operations.map(({ path }) => path).filter((path) => path.startsWith("/api") && !path.startsWith("/api/v1/"))).toEqual([]));
});

type Example = { at: string; schema: string; value: unknown };

/** The examples of a schema or a media type, with the pointer to the schema that they must keep. */
const examplesOf = (at: string, schema: string, node: Partial<Media> & { examples?: unknown }): Example[] => {
  const several = Array.isArray(node.examples)
    ? node.examples
    : Object.values(node.examples ?? {}).map((one) => (one as { value: unknown }).value);
  return [...several, ...("example" in node ? [node.example] : [])].map((value) => ({ at, schema, value }));
};

/** Walks the whole contract. */
function examples(node: unknown, pointer: string): Example[] {
  if (typeof node !== "object" || node === null) return [];
  const here = examplesOf(pointer, "schema" in node ? `${pointer}/schema` : pointer, node as Media);
  const below = Object.entries(node).filter(([name]) => name !== "example" && name !== "examples");
  return [
    ...here,
    ...below.flatMap(([name, child]) =>
      examples(child, `${pointer}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`),
    ),
  ];
}

/** Of its own, or of the schema it refers to. */
function hasExample(media: Partial<Media> & { schema?: unknown }): boolean {
  const { $ref = "" } = (media.schema ?? {}) as { $ref?: string };
  const named = (contract as { components?: { schemas?: Record<string, object> } }).components?.schemas?.[$ref.split("/").at(-1) ?? ""];
  return "example" in media || (named !== undefined && "examples" in named);
}

const all = examples(contract, "#");

test.each(all)("the example at $at is valid", ({ schema, value }) => expect(published(schema, value)).toEqual([]));

test("the contract has examples", () => expect(all.length).toBeGreaterThan(5));

test.each(operations.filter(({ requestBody }) => requestBody))("$id shows an example of its body", ({ requestBody }) => {
  for (const [type, media] of Object.entries(requestBody?.content ?? {})) expect(hasExample(media), type).toBe(true);
});

test.each(operations.flatMap(({ id, parameters }) => parameters.map((parameter: Parameter) => ({ id, parameter }))))(
  "$id: parameter $parameter.name has one way to be written",
  ({ parameter }) => expect(parameter).not.toMatchObject({ explode: false }),
);
