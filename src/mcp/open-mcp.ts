// POST /mcp: the contract's operations as tools of AI assistants (Model Context Protocol, streamable HTTP).
// It is no operation of the contract: what it takes and answers is JSON-RPC, described by the protocol and by tools/list.

import type { IncomingHttpHeaders } from "node:http";
import type { Contract } from "../http/contract.ts";
import type { Endpoint, EndpointRequest } from "../http/endpoint.ts";
import { type Authenticator, bucketOf, type CountPoints, spendingOf } from "../http/guards.ts";
import { Problem } from "../http/problem.ts";
import type { Limits, Spending } from "../http/rate-limits/rate-limits.ts";
import { type CallParts, toolCaller } from "./call.ts";
import { challenging, requireScopes } from "./challenges.ts";
import { instructions } from "./instructions.ts";
import { readMessage, refuseMessage, rpcError } from "./messages.ts";
import { metadataUrl } from "./metadata.ts";
import { serveMessage } from "./protocol.ts";
import { deriveTools, type Tool } from "./tools.ts";

export type McpFoundations = CallParts & {
  config: Readonly<{ brand: string; baseUrl: string }>;
  contract: Pick<Contract, "operations">;
  /** For the resource `<base URL>/mcp`. */
  authenticator: Authenticator;
  limits: Pick<Limits, "spend">;
  countPoints: CountPoints;
};

export function openMcp({ config, contract, authenticator, limits, countPoints, ...parts }: McpFoundations): Endpoint {
  const tools = deriveTools(contract.operations);
  const callTool = toolCaller(parts);
  const { origin: ours } = new URL(config.baseUrl);
  const url = metadataUrl(config.baseUrl);
  const about = { name: config.brand, instructions, tools: [...tools.values()].map(({ listing }) => listing) };

  const answer = async ({ body, headers, principal, requestId, spent }: EndpointRequest): Promise<Response> => {
    const message = readMessage(body);
    const refused = refuseMessage(message);
    if (refused) return refused;
    const tool = tools.get(message.toolName ?? "") ?? null;
    if (tool) requireScopes(tool.scopes, principal, url);
    const { refusal, limitHeaders } =
      spent && limitOf(tool) === otherMessages.limit
        ? { refusal: null, limitHeaders: spent }
        : await spend(limits, tool, {
            key: bucketOf(principal),
            ...spendingOf(tool ?? otherMessages, principal, () => countPoints(message.given)),
          });
    const call = async () => tool && callTool({ tool, given: message.given, principal, requestId, refusal });
    const response = await serveMessage({ ...about, call }, asRequest(`${config.baseUrl}/mcp`, headers), body);
    for (const [name, value] of Object.entries(limitHeaders)) response.headers.set(name, value);
    return response;
  };

  return {
    path: "/mcp",
    authenticator: challenging(authenticator, url),
    limit: otherMessages.limit,
    // Not also the Host of the request, which a page that rebinds its name to this address chooses.
    turnAway: ({ origin }) => (origin === undefined || origin === ours ? null : foreignOrigin()),
    answer,
  };
}

/** What messages take that call no tool. */
const otherMessages = { limit: "read", pointsPerToken: null };

function limitOf(tool: Tool | null): string {
  return tool?.limit ?? otherMessages.limit;
}

/** A limited call is a result that the assistant can read; anything else that is limited is refused. */
async function spend(limits: Pick<Limits, "spend">, tool: Tool | null, { key, ...spending }: Spending & { key: string }) {
  try {
    return { refusal: null, limitHeaders: await limits.spend(limitOf(tool), key, spending) };
  } catch (error) {
    if (!tool || !(error instanceof Problem)) throw error;
    return { refusal: error, limitHeaders: error.extras.headers ?? {} };
  }
}

/** As the SDK looks at it: what the protocol needs, and no credential. */
function asRequest(url: string, headers: IncomingHttpHeaders): Request {
  const needed = Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-.*)$/.test(name));
  return new Request(url, { method: "POST", headers: needed.map(([name, value]) => [name, String(value)]) });
}

/** The protocol's transport asks for this, against DNS rebinding. */
function foreignOrigin(): Response {
  return rpcError(403, null, { code: -32000, message: "Pages of other origins may not use this server." });
}
