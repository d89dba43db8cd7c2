// POST /mcp: the contract's operations as tools of AI assistants (Model Context Protocol, streamable HTTP).
// It is not an operation of the contract, because it speaks JSON-RPC, which the protocol and tools/list describe.

import type { IncomingHttpHeaders } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Contract } from "../http/contract/contract.ts";
import { type Endpoint, type EndpointAnswer, type EndpointRequest, readAnswer } from "../http/endpoint.ts";
import { type Authenticator, bucketOf, type CountPoints, hasScopes, spendingOf } from "../http/guards.ts";
import { Problem } from "../http/problem.ts";
import type { Limits, Spending } from "../http/rate-limits/rate-limits.ts";
import { type CallDeps, makeToolCaller } from "./call.ts";
import { requireScopes, withChallenges } from "./challenges.ts";
import { instructions } from "./instructions.ts";
import { readMessage, refuseMessage, rpcError, withoutNulls } from "./messages.ts";
import { metadataUrl } from "./metadata.ts";
import { deriveTools, type Tool } from "./tools.ts";

export type McpDeps = CallDeps & {
  config: Readonly<{ brand: string; baseUrl: string }>;
  contract: Pick<Contract, "operations">;
  /** For the resource `<base URL>/mcp`. */
  authenticator: Authenticator;
  limits: Pick<Limits, "spend">;
  countPoints: CountPoints;
};

export function openMcp({ config, contract, authenticator, limits, countPoints, ...callDeps }: McpDeps): Endpoint {
  const tools = deriveTools(contract.operations);
  const callTool = makeToolCaller(callDeps);
  const { origin: ours } = new URL(config.baseUrl);
  const url = metadataUrl(config.baseUrl);
  const about = {
    name: config.brand,
    instructions,
    listing: Buffer.from(JSON.stringify([...tools.values()].map(({ listing }) => listing))),
  };

  const answerMessage = async ({ body: sent, headers, principal, requestId, spent }: EndpointRequest): Promise<EndpointAnswer> => {
    const body = withoutNulls(sent);
    const message = readMessage(body);
    const refused = refuseMessage(message);
    if (refused) return readAnswer(refused);
    const tool = tools.get(message.toolName ?? "") ?? null;
    if (tool && !hasScopes(principal, tool)) requireScopes(tool.scopes, principal, url);
    const { tokens = 1, ...spending } = spendingOf(tool ?? defaultLimit, principal, () => countPoints(message.args));
    const left = spent && limitOf(tool) === defaultLimit.limit ? tokens - 1 : tokens;
    const { rateLimited, limitHeaders } =
      spent && left === 0
        ? { rateLimited: null, limitHeaders: spent }
        : await spend(limits, tool, { key: bucketOf(principal), tokens: left, ...spending });
    const call = async () => tool && callTool({ tool, args: message.args, principal, requestId, rateLimited });
    const { serveMessage } = await import("./protocol.ts"); // the SDK: a server that no assistant calls does not load it
    await turn();
    const answer = await serveMessage({ ...about, call }, asRequest(`${config.baseUrl}/mcp`, headers), body);
    return { ...answer, headers: { ...answer.headers, ...limitHeaders } };
  };

  return {
    path: "/mcp",
    authenticator: withChallenges(authenticator, url),
    limit: defaultLimit.limit,
    // Does not accept the request's Host as well: with DNS rebinding, the attacking page chooses it.
    rejectCaller: ({ origin }) => (origin === undefined || origin === ours ? null : foreignOrigin()),
    answer: answerMessage,
  };
}

let turns = Promise.resolve();

/** One message goes on in each turn of the event loop: others must not wait for all that assistants have sent at once. */
function turn(): Promise<void> {
  turns = turns.then(() => setImmediate());
  return turns;
}

/** The limit of messages that call no tool. */
const defaultLimit = { limit: "read", pointsPerToken: null };

function limitOf(tool: Tool | null): string {
  return tool?.limit ?? defaultLimit.limit;
}

/** A rate-limited tool call becomes a result that the assistant can read; any other rate-limited message is refused. */
async function spend(limits: Pick<Limits, "spend">, tool: Tool | null, { key, ...spending }: Spending & { key: string }) {
  try {
    return { rateLimited: null, limitHeaders: await limits.spend(limitOf(tool), key, spending) };
  } catch (error) {
    if (!tool || !(error instanceof Problem)) throw error;
    return { rateLimited: error, limitHeaders: error.extras.headers ?? {} };
  }
}

/** The SDK serves a client that accepts both types alone. Each client reads JSON, whatever its Accept says. */
const accept = "application/json, text/event-stream";

/** The request for the SDK: only the headers that the protocol needs, without the credential. */
function asRequest(url: string, headers: IncomingHttpHeaders): Request {
  const needed = Object.entries(headers).filter(([name]) => /^(content-type|mcp-.*)$/.test(name));
  return new Request(url, {
    method: "POST",
    headers: { ...Object.fromEntries(needed.map(([name, value]) => [name, String(value)])), accept },
  });
}

/** MCP's transport requires this check, against DNS rebinding. */
function foreignOrigin(): Response {
  return rpcError(403, null, { code: -32000, message: "Requests from pages of other origins are not allowed." });
}
