// The only file that knows the MCP SDK. Each request is answered by a server of its own that lives as long as the answer takes, so
// any process can take any request. Clients of the revision 2026-07-28 and those of 2025 (initialize first) are served alike.

import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { ToolResult } from "./call.ts";
import type { Listing } from "./tools.ts";

export type Serving = Readonly<{
  name: string;
  instructions: string;
  tools: readonly Listing[];
  /** Carries out the call that the message makes. Null: there is no such tool. */
  call: () => Promise<ToolResult | null>;
}>;

/** Answers one JSON-RPC message. `request` brings method and headers, its body is `message`. */
export async function serveMessage(serving: Serving, request: Request, message: unknown): Promise<Response> {
  const server = makeServer(serving);
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

/** The SDK's own registry of tools would check arguments by itself, and in other words than the contract's. */
function makeServer({ name, instructions, tools, call }: Serving): McpServer {
  const mcp = new McpServer({ name, version: "1.0.0" }, { instructions });
  mcp.server.registerCapabilities({ tools: {} });
  mcp.server.setRequestHandler("tools/list", () => ({ tools: [...tools] }));
  mcp.server.setRequestHandler("tools/call", async ({ params }) => {
    const result = await call();
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}".`);
    return result;
  });
  return mcp;
}
