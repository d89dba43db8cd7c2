import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { loadContract } from "./contract/contract.ts";
import { resolveReferences } from "./contract/published.ts";
import { type Handler, type Handlers, type OperationReply, withDefault } from "./operations.ts";
import { Problem, refusal } from "./problem.ts";

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

// What follows only the compiler tests (`make check`): each line below a directive must fail to compile, and the rest must pass.
const { getDonation: _left, ...withoutOne } = {} as Handlers;
const found = {} as OperationReply<"getDonation">;

// @ts-expect-error an operation without a handler
void (withoutOne satisfies Handlers);

// @ts-expect-error a status that the contract does not have
void ((async () => ({ status: 201, body: found.body })) satisfies Handler<"getDonation">);

// @ts-expect-error a body without its members
void ((async () => ({ status: 200, body: { data: { id: "x" } } })) satisfies Handler<"getDonation">);

// @ts-expect-error a 201 of createDonation without its Location
void ((async () => ({ status: 201, body: found.body })) satisfies Handler<"createDonation">);

type Asked = Parameters<Handler<"createDonation">>[0]["body"];
// @ts-expect-error a member that the contract's body does not have
void ((body: Asked) => body.donator);

// @ts-expect-error a problem that the contract of the operation does not name
void ((async () => refusal("donation_not_found", "")) satisfies Handler<"getMe">);

// @ts-expect-error a problem of one operation, thrown for any
void (() => new Problem("donation_not_found", ""));

void ((async ({ path }) => ({
  status: 200,
  body: { data: { ...found.body.data, id: path.donationId } },
})) satisfies Handler<"getDonation">);
void ((async ({ query }) => ({
  status: 200,
  body: { data: [], pagination: { nextCursor: null, hasMore: false, limit: query.limit } },
})) satisfies Handler<"listDonations">);
void ((async () => refusal("donation_not_found", "")) satisfies Handler<"getDonation">);
