// Rules for one operation each. Every rule answers what is wrong, and nothing when all is well.

import { type EnumMember, getDoc, getOpExamples, getSummary, getTags, type Program, type Type } from "@typespec/compiler";
import { getAuthentication, type HttpOperation } from "@typespec/http";
import { isClosed, problemWordsOf, rateLimitOf, speaksOAuth, tokenBucketOf } from "./decorators.ts";
import { modelsIn, nameOf } from "./models.ts";
import { type Finding, scopeMembers } from "./type-rules.ts";

/** The reference page shows all three. */
export function isDescribed(program: Program, { operation }: HttpOperation): Finding[] {
  const parts = {
    "a doc comment": getDoc(program, operation),
    "@summary": getSummary(program, operation),
    "@tag": getTags(program, operation)[0],
  };
  const missing = Object.entries(parts).filter(([, words]) => !words);
  return missing.map(([part]) => ({ target: operation, message: `${operation.name} has no ${part.replace(/^a /, "")}.` }));
}

/** Parameters and bodies are shown by an example. */
export function isShown(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  const takes = parameters.properties.some(({ kind }) => kind !== "contentType");
  if (!takes || getOpExamples(program, operation).some((example) => example.parameters)) return [];
  return [{ target: operation, message: `${operation.name} has no example of its parameters: add @opExample(#{ parameters: #{ … } }).` }];
}

/** Every operation decides how often it may be asked. */
export function isLimited(program: Program, { operation }: HttpOperation): Finding[] {
  const limit = rateLimitOf(program, operation);
  if (limit === undefined)
    return [
      {
        target: operation,
        message: `${operation.name} has no rate limit: add @rateLimit(RateLimit.…), a bucket of spec/limits.tsp, or @noRateLimit("why").`,
      },
    ];
  if (typeof limit === "string" && limit.trim() === "")
    return [{ target: operation, message: `${operation.name} does not say why it has no rate limit.` }];
  if (typeof limit !== "string" && !tokenBucketOf(program, limit))
    return [
      { target: operation, message: `${operation.name}: ${limit.name} is no bucket: declare it with @tokenBucket in spec/limits.tsp.` },
    ];
  return [];
}

/** `Credential<["…"]>` takes any text. */
export function needsKnownScopes(program: Program, { operation }: HttpOperation): Finding[] {
  const known = scopeMembers(operation.namespace).map(({ value, name }) => String(value ?? name));
  const schemes = getAuthentication(program, operation)?.options.flatMap((option) => option.schemes) ?? [];
  const flows = schemes.flatMap((scheme) => (scheme.type === "oauth2" ? scheme.flows : []));
  const unknown = flows.flatMap((flow) => flow.scopes.map(({ value }) => value)).filter((scope) => !known.includes(scope));
  return unknown.map((scope) => ({ target: operation, message: `${operation.name} needs "${scope}", which is no member of Scope.` }));
}

/** A misspelt member must not be ignored: bodies are closed, and so is what is nested in them. OAuth ignores unknown members (RFC 6749 3.2). */
export function closesItsBody(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  if (!parameters.body || speaksOAuth(program, operation)) return [];
  const open = modelsIn(parameters.body.type).filter((model) => !isClosed(program, model));
  return open.map((model) => ({
    target: model,
    message: `${nameOf(model)} is part of a request body and takes members that it does not name: add @closed.`,
  }));
}

/** Each code of a problem is explained, with a status that the problem can have. */
export function explainsItsProblems(program: Program, { responses }: HttpOperation): Finding[] {
  const bodies = responses.flatMap((response) => response.responses.map(({ body }) => body?.type));
  return bodies.flatMap((body) => {
    const [code, status] = body?.kind === "Model" ? [body.properties.get("code"), body.properties.get("status")] : [];
    if (!code || !status) return [];
    const statuses = alternatives(status.type).map((type) => (type.kind === "Number" ? type.value : 0));
    return alternatives(code.type).flatMap((type) => (type.kind === "EnumMember" ? explained(program, type, statuses) : []));
  });
}

function explained(program: Program, target: EnumMember, statuses: readonly number[]): Finding[] {
  const words = problemWordsOf(program, target);
  if (!words) return [{ target, message: `${target.name} is not explained: add @problem(#{ status, title, when, remedy, detail }).` }];
  if (statuses.includes(words.status)) return [];
  return [{ target, message: `${target.name} is answered with ${statuses.join(" or ")}, and @problem says ${words.status}.` }];
}

/** What a union, an enum or a single type allows. */
function alternatives(type: Type): Type[] {
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => alternatives(variant.type));
  return type.kind === "Enum" ? [...type.members.values()] : [type];
}
