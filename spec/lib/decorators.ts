// The decorators of main.tsp. Each stores its arguments; most also set an `x-` extension of the OpenAPI document.

import type { DecoratorContext, EnumMember, Model, ModelProperty, Operation, Program, Scalar } from "@typespec/compiler";
import { getExtensions, setExtension } from "@typespec/openapi";

type TokenBucket = Readonly<{ quota: number; window: number; burst: number; per: string; perStreamer?: number }>;
type RateLimitOptions = Readonly<{ pointsPerToken?: number }>;
type McpTool = Readonly<{ required?: readonly string[]; idempotent?: boolean; destructive?: boolean }>;

type ProblemWords = Readonly<{ status: number; title: string; when: string; remedy: string; detail: string }>;

const bucketsKey = Symbol.for("namjai.tokenBucket");
const limitsKey = Symbol.for("namjai.rateLimit");
const oauthKey = Symbol.for("namjai.oauth");
const closedKey = Symbol.for("namjai.closed");
const problemsKey = Symbol.for("namjai.problem");
const webhookKey = Symbol.for("namjai.webhook");
const donatorTextKey = Symbol.for("namjai.donatorText");

/** The token bucket of an enum member; undefined when it has none. */
export const tokenBucketOf = (program: Program, member: EnumMember) => program.stateMap(bucketsKey).get(member) as TokenBucket | undefined;
/** The operation's rate limit, or the reason for having none; undefined when neither is declared. */
export const rateLimitOf = (program: Program, operation: Operation) =>
  program.stateMap(limitsKey).get(operation) as EnumMember | string | undefined;
export const speaksOAuth = (program: Program, operation: Operation) => program.stateSet(oauthKey).has(operation);
/** Whether it is a request that the server sends. */
export const isWebhook = (program: Program, operation: Operation) => program.stateSet(webhookKey).has(operation);
/** Whether unknown members are refused. */
export const isClosed = (program: Program, model: Model) => program.stateSet(closedKey).has(model);
/** The explanation of a problem code; undefined when it has none. */
export const problemWordsOf = (program: Program, code: EnumMember) => program.stateMap(problemsKey).get(code) as ProblemWords | undefined;
/** Whether donators write the text; undefined when it is not declared. */
export const donatorTextOf = (program: Program, text: Scalar | ModelProperty) =>
  program.stateMap(donatorTextKey).get(text) as boolean | undefined;
/** Whether AI assistants can call the operation. */
export const isTool = (program: Program, operation: Operation) => getExtensions(program, operation).has("x-mcp-tool");

type RateLimitArguments = [operation: Operation, bucket: EnumMember, options?: RateLimitOptions];

function rateLimit({ program }: DecoratorContext, ...[operation, bucket, { pointsPerToken } = {}]: RateLimitArguments): void {
  program.stateMap(limitsKey).set(operation, bucket);
  setExtension(program, operation, "x-rate-limit", bucket.name);
  if (pointsPerToken !== undefined) setExtension(program, operation, "x-rate-limit-points", pointsPerToken);
}

function noRateLimit({ program }: DecoratorContext, operation: Operation, reason: string): void {
  program.stateMap(limitsKey).set(operation, reason);
}

function tokenBucket({ program }: DecoratorContext, member: EnumMember, bucket: TokenBucket): void {
  program.stateMap(bucketsKey).set(member, bucket);
}

/** What @mcpTool says of an operation; undefined: it is no tool. `required`: the body members that assistants must send. */
export const toolOf = (program: Program, operation: Operation): McpTool | undefined =>
  getExtensions(program, operation).get("x-mcp-tool") as McpTool | undefined;

function mcpTool({ program }: DecoratorContext, operation: Operation, options: McpTool = {}): void {
  setExtension(program, operation, "x-mcp-tool", options);
}

function oauth({ program }: DecoratorContext, operation: Operation): void {
  program.stateSet(oauthKey).add(operation);
  setExtension(program, operation, "x-oauth", true);
}

function webhook({ program }: DecoratorContext, operation: Operation): void {
  program.stateSet(webhookKey).add(operation);
  setExtension(program, operation, "x-webhook", true);
}

function closed({ program }: DecoratorContext, model: Model): void {
  program.stateSet(closedKey).add(model);
  setExtension(program, model, "additionalProperties", false);
}

function problem({ program }: DecoratorContext, code: EnumMember, words: ProblemWords): void {
  program.stateMap(problemsKey).set(code, words);
}

function donatorText({ program }: DecoratorContext, text: Scalar | ModelProperty, decision: boolean): void {
  program.stateMap(donatorTextKey).set(text, decision);
  if (decision) setExtension(program, text, "x-donator-text", true);
}

/** The decorators by their TypeSpec namespace. */
export const $decorators = { Namjai: { rateLimit, noRateLimit, tokenBucket, mcpTool, oauth, webhook, closed, problem, donatorText } };
