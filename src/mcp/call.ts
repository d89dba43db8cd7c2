// One call of a tool: the operation is asked, and its answer or problem becomes the tool's result.

import type { Logger } from "pino";
import type { Ask } from "../http/invoke.ts";
import type { Principal } from "../http/operations.ts";
import { type Problem, problemBody } from "../http/problem.ts";
import { asProblem } from "../http/problem-renderer.ts";
import type { Tool } from "./tools.ts";

/** A call that was let in. */
export type Call = Readonly<{
  tool: Tool;
  /** Its arguments, unchecked. */
  given: Readonly<Record<string, unknown>>;
  principal: Principal;
  requestId: string;
  /** Why it is not carried out: the credential has called too often. */
  refusal: Problem | null;
}>;

/** By MCP's CallToolResult. */
export type ToolResult = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

export type CallParts = Readonly<{
  ask: Ask;
  log: Logger;
  /** Told of each call: `ok`, or the code of its problem. */
  onCall: (tool: string, outcome: string) => void;
}>;

export type CallTool = (call: Call) => Promise<ToolResult>;

/** Calls tools. Whatever goes wrong is a result, too, with the problem that an HTTP caller would have read. */
export function toolCaller({ ask, log, onCall }: CallParts): CallTool {
  return async ({ tool, given, principal, requestId, refusal }) => {
    try {
      if (refusal) throw refusal;
      const { body } = await ask(tool.operation, principal, tool.question(given));
      onCall(tool.listing.name, "ok");
      return succeeded(body as Record<string, unknown>);
    } catch (error) {
      const problem = asProblem(error, requestId, log);
      onCall(tool.listing.name, problem.code);
      return failed(problem, requestId);
    }
  };
}

function succeeded(body: Record<string, unknown>): ToolResult {
  return { content: [text(body)], structuredContent: body };
}

/** No structured content: that would have to fit the tool's output schema. */
function failed(problem: Problem, requestId: string): ToolResult {
  const wait = problem.extras.headers?.["Retry-After"];
  const document = { ...problemBody(problem, "/mcp", requestId), ...(wait && { retryAfter: Number(wait) }) };
  return { content: [text(document)], isError: true };
}

function text(value: object) {
  return { type: "text" as const, text: JSON.stringify(value) };
}
