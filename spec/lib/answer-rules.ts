// Rules for what operations answer: a success, its media type, refusals, and the names of headers.

import type { ModelProperty, Program, Type } from "@typespec/compiler";
import type { HttpOperation, HttpOperationResponse } from "@typespec/http";
import { isWebhook, speaksOAuth } from "./decorators.ts";
import { isFile } from "./models.ts";
import type { Finding } from "./type-rules.ts";

/** Every operation can succeed: generators of clients stop at one that only refuses. */
export function requireSuccess(_: Program, { operation, responses }: HttpOperation): Finding[] {
  if (responses.some((response) => isSuccess(response) || isRedirect(response))) return [];
  return [
    {
      target: operation,
      message: `${operation.name} answers no success: add Ok<…, "description">, Created<…> or Deleted<…> of spec/responses.tsp to its answers.`,
    },
  ];
}

/** A success with status 204 has no body (RFC 9110 15.3.5), and one that is a file says of which media type. */
export function requireMediaType(_: Program, { operation, responses }: HttpOperation): Finding[] {
  const bodies = responses
    .filter(isSuccess)
    .flatMap(({ statusCodes, responses: contents }) =>
      contents.flatMap(({ body, properties }) => (body ? [{ statusCodes, type: body.type, properties }] : [])),
    );
  return bodies.flatMap(({ statusCodes, type, properties }) => {
    if (statusCodes === 204)
      return [
        {
          target: operation,
          message: `${operation.name} answers 204 with a body: answer Ok<…, "description">, or Deleted<…> without one.`,
        },
      ];
    if (!isFile(type) || properties.some(({ kind }) => kind === "contentType")) return [];
    return [
      {
        target: operation,
        message: `${operation.name} answers bytes without a media type: add @header contentType: "…" to its answer, as spec/export.tsp does.`,
      },
    ];
  });
}

/** A refusal of the API is a problem, by whose code clients decide. Those of OAuth are as its RFCs have them. */
export function requireProblems(program: Program, { operation, responses }: HttpOperation): Finding[] {
  if (speaksOAuth(program, operation) || isWebhook(program, operation)) return [];
  const refusals = responses.filter(({ statusCodes }) => typeof statusCodes === "number" && statusCodes >= 400);
  const others = refusals.filter((response) => response.responses.some(({ body }) => !body || !isProblem(body.type)));
  return others.map(({ statusCodes }) => ({
    target: operation,
    message: `${operation.name} answers ${statusCodes} without a problem: declare one as DonationNotFound in spec/errors.tsp is, Refusal<Problem<…>>.`,
  }));
}

/** Names of headers are written as those of HTTP, such as `Retry-After`: a client that prints them shows the same name as the reference. */
export function requireHeaderNames(program: Program, { operation, parameters, responses }: HttpOperation): Finding[] {
  if (isWebhook(program, operation) || speaksOAuth(program, operation)) return []; // Standard Webhooks writes its headers in lower case
  const sent = parameters.properties.flatMap((one): [string, ModelProperty][] =>
    one.kind === "header" ? [[one.options.name, one.property]] : [],
  );
  const answered = responses.flatMap((response) => response.responses.flatMap(({ headers }) => Object.entries(headers ?? {})));
  return [...sent, ...answered].flatMap(([name, target]) =>
    /^[A-Z][A-Za-z0-9]*(-[A-Z][A-Za-z0-9]*)*$/.test(name)
      ? []
      : [{ target, message: `The header ${name} is not written as others are: write @header("${trainCase(name)}").` }],
  );
}

const trainCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("-");

const isSuccess = ({ statusCodes }: HttpOperationResponse): boolean => isBetween(statusCodes, 200, 299);

const isRedirect = ({ statusCodes }: HttpOperationResponse): boolean => isBetween(statusCodes, 300, 399);

const isBetween = (codes: HttpOperationResponse["statusCodes"], least: number, most: number): boolean =>
  typeof codes === "number" && least <= codes && codes <= most;

const isProblem = (body: Type): boolean =>
  body.kind === "Union"
    ? [...body.variants.values()].every(({ type }) => isProblem(type))
    : body.kind === "Model" && body.properties.has("instance");
