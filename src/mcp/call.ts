// Runs a tool call: invokes the operation and turns its response or problem into the tool's result.

import type { Logger } from "pino";
import type { InvokeOperation } from "../http/invoke.ts";
import { asProblem } from "../http/middleware.ts";
import type { Principal } from "../http/operations.ts";
import { type Problem, problemBody } from "../http/problem.ts";
import type { Tool } from "./tools.ts";

/** A call whose credential and scopes were checked. */
export type Call = Readonly<{
  tool: Tool;
  /** Unchecked. */
  args: Readonly<Record<string, unknown>>;
  principal: Principal;
  requestId: string;
  /** Set when the rate limit was reached; the operation is not invoked then. */
  rateLimited: Problem | null;
}>;

/** CallToolResult of MCP. */
export type ToolResult = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

export type CallDeps = Readonly<{
  invoke: InvokeOperation;
  log: Logger;
  /** Called after each call with `ok`, or the code of its problem. */
  onCall: (tool: string, outcome: string) => void;
}>;

export type CallTool = (call: Call) => Promise<ToolResult>;

/** Makes a function that calls tools. A failure is a result as well, with the problem that an HTTP client would get. */
export function makeToolCaller({ invoke, log, onCall }: CallDeps): CallTool {
  return async ({ tool, args, principal, requestId, rateLimited }) => {
    try {
      if (rateLimited) throw rateLimited;
      const { body } = await invoke(tool.operation, principal, tool.toOperationCall(args));
      onCall(tool.listing.name, "ok");
      return successResult(body as Record<string, unknown>);
    } catch (error) {
      const problem = asProblem(error, requestId, log);
      onCall(tool.listing.name, problem.code);
      return errorResult(problem, requestId);
    }
  };
}

function successResult(body: Record<string, unknown>): ToolResult {
  return { content: [text(body)], structuredContent: body };
}

/** Has no structured content, which would have to fit the tool's output schema. */
function errorResult(problem: Problem, requestId: string): ToolResult {
  const wait = problem.extras.headers?.["Retry-After"];
  const document = { ...problemBody(problem, "/mcp", requestId), ...(wait && { retryAfter: Number(wait) }) };
  return { content: [text(document)], isError: true };
}

function text(value: object) {
  return { type: "text" as const, text: JSON.stringify(value) };
}
