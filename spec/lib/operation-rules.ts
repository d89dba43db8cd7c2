// Rules for single operations. Each rule returns its findings, which are empty when the operation is correct.

import {
  type EnumMember,
  getDoc,
  getExamples,
  getOpExamples,
  getSummary,
  getTags,
  type Model,
  type Program,
  type Type,
} from "@typespec/compiler";
import { getAuthentication, type HttpOperation, type HttpProperty } from "@typespec/http";
import { getTagsMetadata } from "@typespec/openapi";
import { isClosed, isWebhook, problemWordsOf, rateLimitOf, speaksOAuth, tokenBucketOf } from "./decorators.ts";
import { modelOfId } from "./examples.ts";
import { isFile, modelsIn, nameOf } from "./models.ts";
import { type Finding, scopeMembers } from "./type-rules.ts";

/** An operation has a doc comment, a summary and a tag: the reference page shows all three. */
export function requireDescription(program: Program, { operation }: HttpOperation): Finding[] {
  const parts: [name: string, remedy: string, value: unknown][] = [
    ["doc comment", "describe above the operation what it does: /** … */", getDoc(program, operation)],
    ["@summary", 'add its title for the reference page: @summary("…")', getSummary(program, operation)],
    ["@tag", 'add its section of the reference page: @tag("…")', getTags(program, operation)[0]],
  ];
  const missing = parts.filter(([, , value]) => !value);
  return missing.map(([name, remedy]) => ({ target: operation, message: `${operation.name} has no ${name}: ${remedy}.` }));
}

/** Every tag has a description, which the reference page shows above its operations. */
export function requireDescribedTags(program: Program, { operation }: HttpOperation): Finding[] {
  const described = operation.namespace ? (getTagsMetadata(program, operation.namespace) ?? []) : [];
  const unknown = getTags(program, operation).filter((tag) => !described.some(({ name, description }) => name === tag && description));
  return unknown.map((tag) => ({
    target: operation,
    message: `${operation.name} has the tag "${tag}", which has no description: add @tagMetadata("${tag}", #{ description: "…" }) in spec/main.tsp, or use a tag that stands there.`,
  }));
}

/** An operation with parameters or a body has an example of them; that of an id in a path, or of a body, may be its model's. */
export function requireExample(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  const hasModelExample = (type: Type | undefined) => type !== undefined && getExamples(program, type as Model).length > 0;
  const isKnown = ({ kind, property }: HttpProperty) =>
    kind === "contentType" ||
    (kind === "path" && hasModelExample(operation.namespace?.models.get(modelOfId(property.name)))) ||
    (kind === "body" && hasModelExample(property.type));
  const hasInput = !parameters.properties.every(isKnown);
  if (!hasInput || getOpExamples(program, operation).some((example) => example.parameters)) return [];
  return [
    { target: operation, message: `${operation.name} has no example of its parameters: add @opExample(#{ parameters: #{ … } }) above it.` },
  ];
}

/** Every operation has a rate limit, or a reason for having none. */
export function requireRateLimit(program: Program, { operation }: HttpOperation): Finding[] {
  const limit = rateLimitOf(program, operation);
  if (limit === undefined)
    return [
      {
        target: operation,
        message: `${operation.name} has no rate limit: add @rateLimit(RateLimit.…) with a bucket of spec/limits.tsp, or @noRateLimit("reason").`,
      },
    ];
  if (typeof limit === "string" && limit.trim() === "")
    return [{ target: operation, message: `${operation.name} has @noRateLimit without a reason: write @noRateLimit("reason").` }];
  if (typeof limit !== "string" && !tokenBucketOf(program, limit))
    return [
      {
        target: operation,
        message: `${operation.name}: ${limit.name} is not a rate limit: use a member of RateLimit (spec/limits.tsp), or declare a new member there with @tokenBucket.`,
      },
    ];
  return [];
}

/** The scopes of an operation are members of the enum Scope; `Credential<["…"]>` accepts any text. */
export function requireKnownScopes(program: Program, { operation }: HttpOperation): Finding[] {
  const known = scopeMembers(operation.namespace).map(({ value, name }) => String(value ?? name));
  const schemes = getAuthentication(program, operation)?.options.flatMap((option) => option.schemes) ?? [];
  const flows = schemes.flatMap((scheme) => (scheme.type === "oauth2" ? scheme.flows : []));
  const unknown = flows.flatMap((flow) => flow.scopes.map(({ value }) => value)).filter((scope) => !known.includes(scope));
  return unknown.map((scope) => ({
    target: operation,
    message: `${operation.name} requires the unknown scope "${scope}": use a scope of the enum Scope in spec/security.tsp, or add it there.`,
  }));
}

/**
 * Request bodies and the models in them are closed, so that a misspelt member is refused. OAuth requests are excluded: there unknown
 * members are ignored (RFC 6749 3.2). So are requests that the server sends: their models may get members.
 */
export function requireClosedBody(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  if (!parameters.body || speaksOAuth(program, operation) || isWebhook(program, operation)) return [];
  const models = modelsIn(parameters.body.type);
  const open = models.filter((model) => !isClosed(program, model));
  return [
    ...open.map((target) => ({
      target,
      message: `${nameOf(target)} is part of a request body and accepts unknown members: ${target.name ? "add @closed above the model." : "declare it as a model with a name, and add @closed above it."}`,
    })),
    ...models.flatMap((target) =>
      target.baseModel
        ? [
            {
              target,
              message: `${nameOf(target)} extends ${target.baseModel.name}, and each refuses the members of the other: write ...${target.baseModel.name}; in it.`,
            },
          ]
        : [],
    ),
  ];
}

/** A body is an object, which can get members later, or a file. */
export function requireObjectBody(program: Program, { operation, parameters: { body } }: HttpOperation): Finding[] {
  if (!body || speaksOAuth(program, operation) || isWebhook(program, operation)) return [];
  const isObject = body.type.kind === "Model" && body.type.indexer === undefined;
  if (isObject || isFile(body.type)) return [];
  return [
    {
      target: operation,
      message: `${operation.name} has a body that is no object: declare a model with a member for it, and use it as the type.`,
    },
  ];
}

/** A success of the API with a JSON body is `{ "data": … }`. OAuth's bodies have the members of its standards. */
export function requireEnvelope(program: Program, { operation, path, responses }: HttpOperation): Finding[] {
  if (!path.startsWith("/api/") || speaksOAuth(program, operation) || isWebhook(program, operation)) return [];
  const successes = responses.filter(({ statusCodes }) => typeof statusCodes === "number" && statusCodes < 300);
  const bodies = successes.flatMap((response) => response.responses.flatMap(({ body }) => body ?? []));
  const bare = bodies.filter(({ type, contentTypes }) => contentTypes.includes("application/json") && !hasData(type));
  return bare.map(() => ({
    target: operation,
    message: `${operation.name} answers a body that is not { "data": … }: answer Ok<…, "description"> or another model that is a Success (spec/responses.tsp), which has the headers of every answer as well.`,
  }));
}

function hasData(body: Type): boolean {
  return body.kind === "Model" && body.properties.has("data");
}

/** Every problem code has @problem, with a status of the problem's model. */
export function requireExplainedProblems(program: Program, { responses }: HttpOperation): Finding[] {
  const bodies = responses.flatMap((response) => response.responses.map(({ body }) => body?.type));
  return bodies.flatMap((body) => {
    const [code, status] = body?.kind === "Model" ? [body.properties.get("code"), body.properties.get("status")] : [];
    if (!code || !status) return [];
    const statuses = alternatives(status.type).map((type) => (type.kind === "Number" ? type.value : 0));
    return alternatives(code.type).flatMap((type) => (type.kind === "EnumMember" ? checkExplanation(program, type, statuses) : []));
  });
}

function checkExplanation(program: Program, target: EnumMember, statuses: readonly number[]): Finding[] {
  const words = problemWordsOf(program, target);
  if (!words)
    return [
      {
        target,
        message: `${target.name} has no explanation: add @problem(#{ status: …, title: "…", when: "…", remedy: "…", detail: "…" }) above it.`,
      },
    ];
  if (statuses.includes(words.status)) return [];
  return [
    {
      target,
      message: `${target.name} belongs to a problem with status ${statuses.join(" or ")}, but its @problem says ${words.status}: make them equal.`,
    },
  ];
}

/** Returns the variants of a union or the members of an enum; any other type itself. */
function alternatives(type: Type): Type[] {
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => alternatives(variant.type));
  return type.kind === "Enum" ? [...type.members.values()] : [type];
}
