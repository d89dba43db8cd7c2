// Official MCP clients of every generation, behind one type.

import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect } from "vitest";
import { operations } from "../contract/contract.ts";
import type { Reply } from "../contract/http-request.ts";
import { target } from "../values/target.ts";
import { challengeOf, type Problem, problemOf } from "./api.ts";
import { sendUnchecked } from "./http-client.ts";

/** The methods that every generation of the official client has. */
export type McpClient = Pick<Client, "listTools" | "callTool" | "getInstructions" | "close">;

/** A result of `tools/call`. */
export type Result = { content: { type: string; text?: string }[]; structuredContent?: { data?: unknown }; isError?: boolean };

/** How a client gets its credential: a fixed header, or the OAuth flow. */
type Access = { requestInit?: RequestInit; authProvider?: OAuthClientProvider };

type Connect = (url: URL, access: Access) => Promise<McpClient>;

type FirstOptions = ConstructorParameters<typeof FirstTransport>[1];

const clientInfo = { name: "conformance", version: "1.0.0" };

const connectors: Record<string, Connect> = {
  "the first generation's client": async (url, access) => {
    const client = new FirstClient(clientInfo);
    await client.connect(new FirstTransport(url, access as FirstOptions) as Parameters<FirstClient["connect"]>[0]);
    return client as unknown as McpClient;
  },
  "the present client, as of 2025-11-25": async (url, access) => {
    const client = new Client(clientInfo);
    await client.connect(new StreamableHTTPClientTransport(url, access));
    return client;
  },
  "the present client, as of 2026-07-28": async (url, access) => {
    const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(url, access));
    return client;
  },
};

export const generations = Object.keys(connectors);

/** A client of this generation, connected with the credential. */
export function connect(generation: string, key = target().keys.main): Promise<McpClient> {
  return connectWith(generation, target().url, { requestInit: { headers: { Authorization: `Bearer ${key}` } } });
}

/** A client of this generation, connected with this kind of access. */
export function connectWith(generation: string, server: string, access: Access): Promise<McpClient> {
  return (connectors[generation] as Connect)(new URL(`${server}/mcp`), access);
}

/** Options of a JSON-RPC request as a client of revision 2025 sends it. */
type RpcOptions = { key?: string | null; server?: string; headers?: Record<string, string> };

export const rpc = (method: string, params: object = {}, sent: RpcOptions = {}): Promise<Reply> =>
  postMcp(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), sent);

/** Posts these bytes to /mcp. */
export const postMcp = (body: string | Uint8Array, { headers, ...sent }: RpcOptions = {}): Promise<Reply> =>
  sendUnchecked({ method: "POST", path: "/mcp", body, headers: { "Content-Type": "application/json", Accept: both, ...headers }, ...sent });

const both = "application/json, text/event-stream";

/** Calls a tool. */
export const call = (name: string, given: object = {}, sent: RpcOptions = {}): Promise<Reply> =>
  rpc("tools/call", { name, arguments: given }, sent);

/** The result of an answer. */
export function resultOf(reply: Reply): Result {
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { result: Result }).result;
}

/** The data of a successful call; expects the text content to say the same. */
export function dataOf({ structuredContent, content, isError }: Result): unknown {
  expect(isError ?? false, JSON.stringify(content)).toBe(false);
  expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
  return structuredContent?.data;
}

/** The problem of a failed call, which is a result and not a protocol error. */
export function toolProblem({ content, isError, structuredContent }: Result): Problem & { retryAfter?: number } {
  expect([isError, structuredContent]).toEqual([true, undefined]);
  const problem = JSON.parse(content[0]?.text ?? "");
  expect(problem.type, "an absolute URL").toMatch(new RegExp(`^https?://.*#${problem.code}$`));
  return problem;
}

/** The call failed for exactly these faults ("/amount out_of_range"). */
export function expectToolFaults(result: Result, ...faults: string[]): void {
  const { code, errors = [] } = toolProblem(result);
  expect([code, ...errors.map(({ pointer, parameter, code }) => `${pointer ?? parameter} ${code}`).sort()]).toEqual([
    "validation_failed",
    ...faults.sort(),
  ]);
}

/** The JSON-RPC error of an answer. */
export function rpcErrorOf(reply: Reply): { code: number; message: string } {
  const { error } = reply.body as { error: { code: number; message: string } };
  expect(error, reply.text).toBeDefined();
  return error;
}

/** The scopes that tools need. */
export const toolScopes = [...new Set(operations.flatMap(({ isTool, scopes }) => (isTool ? (scopes ?? []) : [])))].sort();

/** Parameters of a WWW-Authenticate: Bearer challenge. */
export function challengeIn(reply: Reply): Record<string, string> {
  expect(problemOf(reply)).toBeDefined();
  const challenge = challengeOf(reply);
  expect(challenge, String(reply.headers["www-authenticate"])).not.toBeNull();
  return challenge ?? {};
}
