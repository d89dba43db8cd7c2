// Rules for names of operations, for their paths and the parameters in them.

import { getSummary, type Program } from "@typespec/compiler";
import { getRoutePath, type HttpOperation, type HttpService } from "@typespec/http";
import { getOperationId } from "@typespec/openapi";
import { isWebhook, speaksOAuth } from "./decorators.ts";
import type { Finding } from "./type-rules.ts";

/** An operation has one name: in spec/, in the published document, in handlers and in the suite. */
export function requireOneName(program: Program, { operation }: HttpOperation): Finding[] {
  const other = getOperationId(program, operation);
  if (other === undefined) return [];
  return [{ target: operation, message: `${operation.name} has @operationId("${other}"): take it away, and write the name after op.` }];
}

const readingVerbs = ["get", "list", "search", "export", "stream"];

/** The name says whether the operation reads: what does not begin with one of these verbs has to be in the audit log. */
export function requireVerb(program: Program, { operation, verb }: HttpOperation): Finding[] {
  if (speaksOAuth(program, operation) || isWebhook(program, operation)) return [];
  const isNamedReading = readingVerbs.some((one) => new RegExp(`^${one}[A-Z]`).test(operation.name));
  if (isNamedReading === (verb === "get")) return [];
  const verbs = `${readingVerbs.slice(0, -1).join(", ")} or ${readingVerbs.at(-1)}`;
  const message = isNamedReading
    ? `${operation.name} is no GET operation, and has the name of one: begin it with a verb other than ${verbs}.`
    : `${operation.name} is a GET operation: begin its name with ${verbs}.`;
  return [{ target: operation, message }];
}

/** A parameter of the path stands in the route; the compiler would add it at the end. */
export function requireRoutedParameters(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  const route = getRoutePath(program, operation)?.path ?? "";
  const added = parameters.properties.filter(({ kind, property }) => kind === "path" && !route.includes(`{${property.name}}`));
  return added.map(({ property }) => ({
    target: property,
    message: `${operation.name}.${property.name} is a parameter of the path, and @route("${route}") does not have it: write {${property.name}} there, or make it @query.`,
  }));
}

/** A path is of one version, in lower case with hyphens. OAuth's paths are those of its RFCs. */
export function requireUsualPath(program: Program, { operation, path }: HttpOperation): Finding[] {
  if (speaksOAuth(program, operation) || isWebhook(program, operation)) return [];
  if (/^\/api\/v1(\/([a-z]+(-[a-z]+)*|\{[a-z]\w*\}))+$/.test(path)) return [];
  const message = `${operation.name} has the path ${path}: write one such as /api/v1/streaming-categories or /api/v1/donations/{donationId}.`;
  return [{ target: operation, message }];
}

/** Paths that differ only by the names of their parameters are one path: no server can tell them apart. */
export function requireOnePath(_: Program, { operations }: HttpService): Finding[] {
  const first = new Map<string, HttpOperation>();
  return operations.flatMap((one) => {
    const form = one.path.replace(/\{[^}]*\}/g, "{}");
    const other = first.get(form) ?? one;
    first.set(form, other);
    if (other.path === one.path) return [];
    return [
      {
        target: one.operation,
        message: `${one.operation.name} has the path ${one.path}, and ${other.operation.name} has ${other.path}: write the same parameter in both.`,
      },
    ];
  });
}

/** Titles of the reference page and of tools differ. */
export function requireOwnSummary(program: Program, { operations }: HttpService): Finding[] {
  const first = new Map<string, string>();
  return operations.flatMap(({ operation }) => {
    const summary = getSummary(program, operation);
    const other = first.get(summary ?? "");
    if (summary === undefined || other === undefined) {
      first.set(summary ?? "", operation.name);
      return [];
    }
    return [{ target: operation, message: `${operation.name} has the @summary "${summary}", as ${other} has: write a title of its own.` }];
  });
}

/** Models, enums and unions are named in PascalCase, scalars in camelCase. */
export function requireUsualTypeNames(_: Program, { namespace }: HttpService): Finding[] {
  const { models, enums, unions, scalars } = namespace;
  const large = [...models.values(), ...enums.values(), ...unions.values()].filter(({ name }) => name && !/^[A-Z][A-Za-z0-9]*$/.test(name));
  const small = [...scalars.values()].filter(({ name }) => !/^[a-z][A-Za-z0-9]*$/.test(name));
  return [
    ...large.map((target) => ({ target, message: `${target.name} is not in PascalCase, as models, enums and unions are: rename it.` })),
    ...small.map((target) => ({ target, message: `${target.name} is not in camelCase, as scalars are: rename it.` })),
  ];
}

/** A GET request has no content: clients and proxies drop it (RFC 9110 9.3.1). */
export function requireNoContent(_: Program, { operation, verb, parameters }: HttpOperation): Finding[] {
  if (verb !== "get" || !parameters.body) return [];
  return [
    {
      target: operation,
      message: `${operation.name} is a GET operation with a body: make its members parameters, or the operation a POST.`,
    },
  ];
}
