import { expect, test } from "vitest";
import { loadContract } from "../http/contract/contract.ts";
import { readContract } from "../http/contract/published.ts";
import type { Principal } from "../http/operations.ts";
import { noLimits, type Spending } from "../http/rate-limits/rate-limits.ts";
import { openMcp } from "./open-mcp.ts";
import { deriveTools } from "./tools.ts";

const contract = await loadContract(readContract());
const principal = {
  streamerId: "s",
  applicationId: "a",
  scopes: ["read:donations"],
  credential: { kind: "api_key", id: "key" },
} as unknown as Principal;

type Taken = [policy: string, key: string, spending: Spending | undefined];

/** Sends a JSON-RPC request. `spent`: headers about the token that was taken before the body arrived. */
function send(request: object, { spent = null, taken = [] }: { spent?: Record<string, string> | null; taken?: Taken[] } = {}) {
  const endpoint = openMcp({
    config: { brand: "Namjai", baseUrl: "http://127.0.0.1" },
    contract,
    authenticator: {} as never,
    limits: {
      ...noLimits,
      spend: (...taking) => {
        taken.push(taking as Taken);
        return { RateLimit: "later" };
      },
    },
    countPoints: () => 700,
    invoke: async () => ({ status: 200, body: { data: {} } }) as never,
    log: {} as never,
    onCall: () => {},
  });
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  return endpoint.answer({ body: { jsonrpc: "2.0", ...request }, headers, principal, requestId: "r", spent });
}

/** Calls a tool with 700 points; answers what was taken from the rate limits. */
async function call(name: string, spent: Record<string, string> | null) {
  const taken: Taken[] = [];
  const answer = await send({ id: 1, method: "tools/call", params: { name, arguments: {} } }, { spent, taken });
  return { taken, header: answer.headers.RateLimit };
}

test("the list of tools has every tool of the contract, whatever the id of the request", async () => {
  const tools = [...deriveTools(contract.operations).values()].map(({ listing }) => listing);
  for (const id of [1, '"tools":[]', "$&"]) {
    const { body } = await send({ id, method: "tools/list" });
    expect(JSON.parse(body.toString())).toEqual({ jsonrpc: "2.0", id, result: expect.objectContaining({ tools }) });
  }
});

test("a token that was taken before the body arrived is enough for a tool that takes one", async () => {
  expect(await call("list_donations", { RateLimit: "earlier" })).toEqual({ taken: [], header: "earlier" });
});

test("a token that was taken before the body arrived counts as one of those that a report of many points takes", async () => {
  const { taken, header } = await call("get_amount_trends", { RateLimit: "earlier" });
  expect(taken).toEqual([["read", "key", { streamerId: "s", tokens: 6 }]]);
  expect(header).toBe("later");
});

test("a report of many points takes a token for each hundred, from the streamer's bucket as well", async () => {
  expect((await call("get_amount_trends", null)).taken).toEqual([["read", "key", { streamerId: "s", tokens: 7 }]]);
});
