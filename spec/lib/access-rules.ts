// Rules for what an operation says of its callers, of its tool for AI assistants and of its refusals.

import type { ModelProperty, Program, Type } from "@typespec/compiler";
import { getAuthentication, type HttpOperation, type HttpStatusCodesEntry } from "@typespec/http";
import { isWebhook, rateLimitOf, speaksOAuth, toolOf } from "./decorators.ts";
import type { Finding } from "./type-rules.ts";

/** Every operation says which credential it needs: one without @useAuth would be open to everybody. */
export function requireAuthentication(program: Program, { operation }: HttpOperation): Finding[] {
  if (getAuthentication(program, operation)) return [];
  return [
    {
      target: operation,
      message: `${operation.name} does not say who may call it: add @useAuth(Credential<["…"]>) with a scope of spec/security.tsp, or @useAuth(NoAuth).`,
    },
  ];
}

/** The alias of spec/errors.tsp that an operation of this kind answers with, and the statuses by which it is recognised. */
type Need = Readonly<{ why: string; statuses: readonly number[]; remedy: string }>;

/** Every operation names the refusals that the server answers before it runs: clients are made from what the contract names. */
export function requireRefusals(program: Program, http: HttpOperation): Finding[] {
  const { operation, responses } = http;
  if (speaksOAuth(program, operation) || isWebhook(program, operation)) return [];
  const missing = needsOf(program, http).flatMap(({ why, statuses, remedy }) => {
    const absent = statuses.filter((status) => !responses.some(({ statusCodes }) => includes(statusCodes, status)));
    return absent.length === 0 ? [] : [{ why, absent, remedy }];
  });
  return missing.map(({ why, absent, remedy }) => ({
    target: operation,
    message: `${operation.name} ${why}, but names no answer with status ${absent.join(", ")}: add ${remedy} of spec/errors.tsp to its answers.`,
  }));
}

function needsOf(program: Program, { operation, parameters }: HttpOperation): Need[] {
  const schemes = getAuthentication(program, operation)?.options.flatMap((option) => option.schemes) ?? [];
  const hasScopes = schemes.some((scheme) => scheme.type === "oauth2" && scheme.flows.some(({ scopes }) => scopes.length > 0));
  const needs: [applies: boolean, need: Need][] = [
    [schemes.some(({ type }) => type !== "noAuth"), { why: "needs a credential", statuses: [401, 500, 503], remedy: "CommonErrors" }],
    [hasScopes, { why: "needs a scope", statuses: [403], remedy: "ReadErrors or WriteErrors" }],
    [typeof rateLimitOf(program, operation) === "object", { why: "has a rate limit", statuses: [429], remedy: "CommonErrors" }],
    [parameters.body !== undefined, { why: "has a body", statuses: [400, 408, 413, 415], remedy: "WriteErrors" }],
    [
      parameters.properties.some(({ kind }) => kind === "query"),
      { why: "has query parameters", statuses: [400], remedy: "ReadErrors or WriteErrors" },
    ],
  ];
  return needs.flatMap(([applies, need]) => (applies ? [need] : []));
}

function includes(codes: HttpStatusCodesEntry, status: number): boolean {
  if (typeof codes === "number") return codes === status;
  return codes !== "*" && codes.start <= status && status <= codes.end;
}

/** What an operation with @mcpTool must be: the server derives the tool from it, and would not start with another one. */
export function requireTool(program: Program, http: HttpOperation): Finding[] {
  const { operation } = http;
  const tool = toolOf(program, operation);
  if (tool === undefined) return [];
  const members = bodyMembersOf(http);
  const optional = members.filter((member) => member.optional).map(({ name }) => name);
  const faults = [
    ...(answersObject(http) ? [] : ["but does not answer with a JSON object: answer Ok<…>, or take @mcpTool away"]),
    ...(takesCredential(program, http) ? [] : ["but takes no credential or has no rate limit: tools are called with both"]),
    ...members
      .filter(({ name }) => http.parameters.properties.some(({ kind, property }) => isArgument(kind) && property.name === name))
      .map(({ name }) => `and "${name}" both as parameter and in its body: arguments of a tool have one name`),
    ...(tool.required ?? [])
      .filter((name) => !optional.includes(name)) // of any other name nothing would be required
      .map(
        (name) =>
          `with the required member "${name}", which is no optional member of its body: ${optional.length > 0 ? `write one of ${optional.join(", ")}` : "take it away"}`,
      ),
    ...(optional.includes("idempotencyKey") && !tool.required?.includes("idempotencyKey")
      ? [
          'and an optional idempotencyKey, without which a call that an assistant repeats is made twice: write required: #["idempotencyKey"]',
        ]
      : []),
    ...(http.verb === "get" && (tool.idempotent !== undefined || tool.destructive !== undefined)
      ? ["with idempotent or destructive on a GET operation, which changes nothing: take it away"]
      : []),
  ];
  return faults.map((fault) => ({ target: operation, message: `${operation.name} has @mcpTool ${fault}.` }));
}

const isArgument = (kind: string): boolean => kind === "path" || kind === "query";

const bodyMembersOf = ({ parameters: { body } }: HttpOperation): ModelProperty[] =>
  body?.type.kind === "Model" ? [...body.type.properties.values()] : [];

/** Whether its first success has a JSON object as body. */
function answersObject({ responses }: HttpOperation): boolean {
  const successes = responses.filter(({ statusCodes }) => typeof statusCodes === "number" && statusCodes >= 200 && statusCodes < 300);
  const [first] = successes.toSorted((a, b) => Number(a.statusCodes) - Number(b.statusCodes));
  const json = first?.responses.find(({ body }) => body?.contentTypes.includes("application/json"))?.body?.type;
  return json?.kind === "Model" && json.indexer === undefined;
}

const takesCredential = (program: Program, { operation }: HttpOperation): boolean =>
  (getAuthentication(program, operation)?.options ?? []).every(({ schemes }) => schemes.every(({ type }) => type !== "noAuth")) &&
  typeof rateLimitOf(program, operation) === "object";

/** Codes of problems are members of an enum: only these can be explained. */
export function requireDeclaredCodes(_: Program, { operation, responses }: HttpOperation): Finding[] {
  const bodies = responses.flatMap((response) => response.responses.map(({ body }) => body?.type));
  const codes = bodies.flatMap((body) =>
    body?.kind === "Model" && body.properties.has("instance") ? codesOf(body.properties.get("code")?.type) : [],
  );
  return codes.map((code) => ({
    target: operation,
    message: `${operation.name} answers a problem with the code "${code}", which no enum declares: add it to an enum of codes in spec/errors.tsp, with @problem, and use its member.`,
  }));
}

/** The codes that are written as plain text. */
function codesOf(type: Type | undefined): string[] {
  if (type?.kind === "Union") return [...type.variants.values()].flatMap((variant) => codesOf(variant.type));
  if (type?.kind === "String") return [type.value];
  return type?.kind === "Scalar" ? [type.name] : [];
}
