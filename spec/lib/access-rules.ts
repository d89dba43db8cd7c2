// Rules for what an operation says of its callers, of its tool for AI assistants and of its refusals.

import type { Program, Type } from "@typespec/compiler";
import { getAuthentication, type HttpOperation, type HttpStatusCodesEntry } from "@typespec/http";
import { isWebhook, rateLimitOf, requiredOfTools, speaksOAuth } from "./decorators.ts";
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

/** What @mcpTool requires of assistants is an optional member of the body: any other name would require nothing. */
export function requireToolMembers(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  const body = parameters.body?.type;
  const members = body?.kind === "Model" ? [...body.properties.values()].filter(({ optional }) => optional).map(({ name }) => name) : [];
  const unknown = requiredOfTools(program, operation).filter((name) => !members.includes(name));
  return unknown.map((name) => ({
    target: operation,
    message: `${operation.name} has @mcpTool with the required member "${name}", which is no optional member of its body: write one of ${members.join(", ")}.`,
  }));
}

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
