import { expect, test } from "vitest";
import { loadContract } from "../http/contract/contract.ts";
import { readContract } from "../http/contract/published.ts";
import { deriveTools, donatorTextWarning } from "./tools.ts";

const contract = readContract();

/** Tools of a contract that has one operation more. */
async function toolsWith(path: string, method: string, operation: object) {
  const paths = { ...contract.paths, [path]: { [method]: { ...common, ...operation } } };
  const { operations } = await loadContract({ ...contract, paths });
  return deriveTools(operations);
}

const schema = (members: object, required: string[] = []) => ({ type: "object", properties: members, required });
const answering = (status: string, body: object) => ({ [status]: { description: "", content: { "application/json": { schema: body } } } });
const thanks = {
  operationId: "thankDonator",
  summary: "Thank a donator",
  description: "Says thank you.",
  parameters: [
    { name: "donationId", in: "path", required: true, schema: { type: "string" } },
    { name: "loud", in: "query", required: false, description: "How.", schema: { type: "boolean" } },
    { name: "X-Trace", in: "header", required: false, schema: { type: "string" } },
  ],
  requestBody: { content: { "application/json": { schema: schema({ words: { type: "string", "x-donator-text": true } }, ["words"]) } } },
  responses: answering("201", schema({ data: { type: "string" } })),
};
const common = {
  security: [{ Credential: ["write:alerts"] }],
  "x-rate-limit": "control",
  "x-mcp-tool": { required: ["loud"], idempotent: true },
  responses: answering("200", schema({})),
};

test("an operation with @mcpTool becomes a tool without further code", async () => {
  const tool = (await toolsWith("/api/v1/thanks/{donationId}", "post", thanks)).get("thank_donator");
  expect(tool).toMatchObject({ operation: "thankDonator", scopes: ["write:alerts"], limit: "control" });
  expect(tool?.listing).toEqual({
    name: "thank_donator",
    title: "Thank a donator",
    description: "Says thank you.",
    inputSchema: {
      type: "object",
      properties: { donationId: { type: "string" }, loud: { type: "boolean", description: "How." }, words: { type: "string" } },
      required: ["donationId", "words", "loud"],
      additionalProperties: false,
    },
    outputSchema: schema({ data: { type: "string" } }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  });
});

test("a tool call puts each argument where the operation has it, unknown ones where the operation reports them, and reports a missing one as a fault", async () => {
  const tool = (await toolsWith("/api/v1/thanks/{donationId}", "post", thanks)).get("thank_donator");
  expect(tool?.toOperationCall(JSON.parse('{"donationId":"d","words":"w","colour":"red","__proto__":{"x":1}}'))).toEqual({
    path: { donationId: "d" },
    query: {},
    body: JSON.parse('{"words":"w","colour":"red","__proto__":{"x":1}}'),
    faults: [{ pointer: "/loud", code: "required", message: expect.any(String) }],
  });
});

test("a tool that reads is marked read-only, and its description warns of donator text anywhere in its output", async () => {
  const responses = answering("200", schema({ data: { type: "array", items: schema({ by: { anyOf: [{ "x-donator-text": true }] } }) } }));
  const read = { operationId: "readThanks", description: "Reads.", responses, "x-mcp-tool": {} };
  const { listing } = (await toolsWith("/api/v1/thanks", "get", read)).get("read_thanks") ?? {};
  expect(listing?.annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
  expect(listing?.description).toBe(`Reads.\n\n${donatorTextWarning}`);
  expect(JSON.stringify(listing)).not.toContain("x-donator-text");
});

test("a tool without donator text in its output has no warning", async () => {
  const responses = answering("200", schema({ label: { type: "string", "x-donator-text": false } }));
  const read = { operationId: "readLabel", description: "Reads.", responses, "x-mcp-tool": {} };
  const { listing } = (await toolsWith("/api/v1/label", "get", read)).get("read_label") ?? {};
  expect(listing?.description).toBe("Reads.");
});

test("an operation with @mcpTool that can't be a tool is named in the error", async () => {
  const clash = { ...thanks, parameters: [{ name: "words", in: "query", schema: { type: "string" } }] };
  await expect(toolsWith("/api/v1/thanks", "post", clash)).rejects.toThrow(/thankDonator .*"words"/);
  const page = { description: "", content: { "text/html": {} } };
  await expect(toolsWith("/api/v1/thanks", "get", { operationId: "a", responses: { 200: page } })).rejects.toThrow(/a does not answer/);
  await expect(toolsWith("/api/v1/thanks", "get", { operationId: "a", security: [{}] })).rejects.toThrow(/a takes no credential/);
});

test("every operation of the contract with @mcpTool becomes a tool", async () => {
  const { operations } = await loadContract();
  const optedIn = operations.filter(({ definition }) => definition["x-mcp-tool"]);
  expect(deriveTools(operations).size).toBe(optedIn.length);
  expect(optedIn.length).toBeGreaterThan(10);
});
