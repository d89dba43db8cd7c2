import { expect, test } from "vitest";
import { missingRuleFile } from "../../../spec/check/operations.ts";
import { contract, type Media, operations, type Parameter, published, type Schema, scopes } from "../../suite/contract/contract.ts";
import { effectFaults } from "../../suite/contract/http-request.ts";
import { describesFile } from "../../suite/contract/inputs.ts";

const schemas = (contract.components as { schemas: Record<string, Schema> }).schemas;
const donation = schemas.ExternalDonation as { additionalProperties: boolean };

test("the body of createDonation is closed: a member that the contract does not name is refused", () =>
  expect(donation.additionalProperties).toBe(false));

test("every operation lives under /api/v1, but for OAuth and what stands beside the API (interface 9)", () =>
  expect(operations.map(({ path }) => path).filter((path) => path.startsWith("/api") && !path.startsWith("/api/v1/"))).toEqual([]));

type Example = { at: string; schema: string; value: unknown };

/** The examples of a schema or a media type, with the pointer to the schema that they must keep. */
const examplesOf = (at: string, schema: string, node: Partial<Media> & { examples?: unknown }): Example[] => {
  const several = Array.isArray(node.examples)
    ? node.examples
    : Object.values(node.examples ?? {}).map((one) => (one as { value: unknown }).value);
  return [...several, ...("example" in node ? [node.example] : [])].map((value) => ({ at, schema, value }));
};

/** Visits every node of the contract. */
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

/** Whether it has an example, its own or that of the schema it refers to. */
function hasExample(media: Partial<Media> & { schema?: unknown }): boolean {
  const { $ref = "" } = (media.schema ?? {}) as { $ref?: string };
  const named = (contract as { components?: { schemas?: Record<string, object> } }).components?.schemas?.[$ref.split("/").at(-1) ?? ""];
  return "example" in media || (named !== undefined && "examples" in named);
}

const all = examples(contract, "#");

test.each(all)("the example at $at is valid", ({ schema, value }) => expect(published(schema, value)).toEqual([]));

/** Examples of streams, with the pointer to the schema of an item. */
const streams = all.filter(({ schema }) => schema.match(/(event-stream|x-ndjson)\/schema$/));

/** The items of a stream: lines of JSON, or events whose `data` is JSON. */
const itemsOf = (text: string): unknown[] =>
  text.includes("\n\n")
    ? text.split(/\n\n(?=.)/).map((block) => Object.fromEntries(block.trim().split("\n").map(fieldOf)))
    : text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));

const fieldOf = (line: string): [string, unknown] => {
  const [, name = "", value = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
  return [name, name === "data" ? JSON.parse(value) : value];
};

test("the contract shows the text of every stream", () => expect(streams.length).toBeGreaterThanOrEqual(4));

test.each(streams)("every item of the example at $at is valid, and an event names the type of its data", ({ schema, value }) => {
  const items = itemsOf(value as string) as { event?: string; data?: { type?: string } }[];
  expect(items.flatMap((item) => published(`${schema}/contentSchema`, item))).toEqual([]);
  for (const { event, data } of items) if (data?.type) expect(data.type).toBe(event);
});

test("the contract has more than a few examples", () => expect(all.length).toBeGreaterThan(5));

test.each(operations.filter(({ requestBody }) => requestBody))(
  "$id shows an example of its body, unless that is a file",
  ({ requestBody }) => {
    for (const [type, media] of Object.entries(requestBody?.content ?? {}))
      expect(hasExample(media) || describesFile(media), type).toBe(true);
  },
);

const answers = operations.flatMap(({ id, responses }) =>
  Object.entries(responses).flatMap(([status, { content = {} }]) => Object.values(content).map((media) => ({ id, status, media }))),
);

/** Answers that are files: bytes have no example in JSON. */
const files = ["exportDonations 200", "getSpeech 200"];
const shown = new Set(answers.filter(({ media }) => "example" in media).map(({ id, status }) => `${id} ${status}`));

test.each([...new Set(answers.map(({ id, status }) => `${id} ${status}`))])(
  "the answer %s shows an example unless it is a file",
  (answer) => expect(shown.has(answer)).toBe(!files.includes(answer)),
);

const { Credential } = (contract.components as { securitySchemes: Record<string, { flows?: Record<string, { scopes: object }> }> })
  .securitySchemes;

test("the OAuth flow describes every scope in a sentence", () => {
  const described = Object.entries(Credential?.flows?.authorizationCode?.scopes ?? {}).filter(([, words]) => /^[A-Z].+\.$/.test(words));
  expect(described.map(([scope]) => scope).sort()).toEqual([...scopes].sort());
});

test.each(operations.flatMap(({ id, parameters }) => parameters.map((parameter: Parameter) => ({ id, parameter }))))(
  "$id: parameter $parameter.name has one way to be written",
  ({ parameter }) => expect(parameter).not.toMatchObject({ explode: false }),
);

/** Operations without a rule file of their own, each with the reason. This list may only shrink. */
const withoutRuleFile: Record<string, string> = {};

test.each(operations)("$id has a rule file", (operation) => {
  const { id } = operation;
  const [missing] = missingRuleFile(operation);
  const listed = id in withoutRuleFile;
  if (listed && !missing) throw new Error(`${id} has a rule file: take it off the list withoutRuleFile`);
  if (!listed && missing) throw new Error(missing);
});

test("the exceptions to the rule files are operations of the contract", () =>
  expect(
    Object.keys(withoutRuleFile).filter((id) => !operations.some((one) => one.id === id)),
    "take these off the list withoutRuleFile",
  ).toEqual([]));

test("each operation that does not only read has a line that says what it changes", () => expect(effectFaults()).toEqual([]));
