// The only file that imports the MCP SDK. Each request gets an SDK server of its own for as long as its response takes, so any process
// can handle any request. Clients of revision 2026-07-28 and of 2025 (which send initialize first) are both served.

import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { contractVersion } from "../http/contract/published.ts";
import { type EndpointAnswer, readAnswer } from "../http/endpoint.ts";
import type { ToolResult } from "./tools.ts";

type Serving = Readonly<{
  name: string;
  instructions: string;
  /** The tools that `tools/list` describes, as JSON in UTF-8. */
  listing: Buffer;
  /** Runs the tool call of the message; resolves to null when there is no such tool. */
  call: () => Promise<ToolResult | null>;
}>;

/** Answers one JSON-RPC message. `request` has the method and headers; `message` is its parsed body. */
export async function serveMessage(serving: Serving, request: Request, message: unknown): Promise<EndpointAnswer> {
  let handled: Handled = null;
  const server = makeServer(serving, (method) => (handled = method));
  const response = await send(server, request, message);
  const answer = await readAnswer(handled === null ? await asInvalidParams(response) : response);
  return handled === "tools/list" ? withListing(answer, serving.listing) : answer;
}

/** The request that a handler of ours has answered. */
type Handled = "tools/list" | "tools/call" | null;

/**
 * The SDK's answer with the tools in it; an answer without a list, such as an error, as it is. To serialise these 200 kB for each request, or
 * to copy them often, takes more time than all else.
 */
export function withListing(answer: EndpointAnswer, listing: Buffer): EndpointAnswer {
  const [before = "", after] = answer.body.toString().split(emptyListing);
  if (after === undefined) return answer;
  return { ...answer, body: Buffer.concat([Buffer.from(`${before}"tools":`), listing, Buffer.from(after)]) };
}

/** It stands once in an answer: within a JSON string its quotation marks have backslashes. */
const emptyListing = '"tools":[]';

/** Without a handler of ours, the SDK's internal error is one of the client: parameters of initialize or tools/list that don't fit. */
async function asInvalidParams(response: Response): Promise<Response> {
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) return response;
  const body = (await response.json()) as { error?: { code: number } };
  if (body.error?.code === ProtocolErrorCode.InternalError) body.error.code = ProtocolErrorCode.InvalidParams;
  return Response.json(body, response);
}

async function send(server: McpServer, request: Request, message: unknown): Promise<Response> {
  if (!(await isLegacyRequest(request, message)))
    return createMcpHandler(() => server, { legacy: "reject" }).fetch(request, { parsedBody: message });
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** Does not use the SDK's registry of tools, which would check arguments itself and report faults in other words than the contract's. */
function makeServer({ name, instructions, call }: Serving, onHandle: (method: Handled) => void): McpServer {
  const mcp = new McpServer({ name, version: contractVersion }, { instructions });
  mcp.server.registerCapabilities({ tools: {} });
  mcp.server.setRequestHandler("tools/list", () => {
    onHandle("tools/list");
    return { tools: [] };
  });
  mcp.server.setRequestHandler("tools/call", async ({ params }) => {
    onHandle("tools/call");
    const result = await call();
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}".`);
    return result;
  });
  return mcp;
}
