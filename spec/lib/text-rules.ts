// Rules for free text. Text of donators may contain instructions to an AI assistant, so every free text says whether donators write it.

import { getFormat, getPattern, type ModelProperty, type Namespace, type Program, type Scalar, type Type } from "@typespec/compiler";
import type { HttpOperation } from "@typespec/http";
import { donatorTextOf, isTool, isWebhook, speaksOAuth } from "./decorators.ts";
import { modelsIn, nameOf, sourceOf, valuesOf } from "./models.ts";
import type { Finding } from "./type-rules.ts";

const decide = "add @donatorText(true) if donators write it, else @donatorText(false).";

/** Every free-text scalar has @donatorText, which applies to all members of that type. */
export function requireDonatorTextDecision(program: Program, service: Namespace): Finding[] {
  const undecided = [...service.scalars.values()].filter((scalar) => rootOf(scalar).name === "string" && isUndecided(program, scalar));
  return undecided.map((target) => ({ target, message: `${target.name} is free text: ${decide}` }));
}

/** Members of bodies that the server reads are not plain `string`: their scalar has bounds and @donatorText. */
export function requireNamedTexts(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  if (!parameters.body || speaksOAuth(program, operation) || isWebhook(program, operation)) return [];
  return textsIn(parameters.body.type).map((target) => ({
    target,
    message: `${placeOf(target)} is a plain string in a request body: declare a scalar with @minLength, @maxLength and @donatorText, and use it as the type.`,
  }));
}

/** Free text in the answers of tools for AI assistants has @donatorText. */
export function requireDecidedAnswerTexts(program: Program, { operation, responses }: HttpOperation): Finding[] {
  if (!isTool(program, operation)) return [];
  const successes = responses.filter(({ statusCodes }) => typeof statusCodes === "number" && statusCodes < 300);
  const bodies = successes.flatMap((response) => response.responses.flatMap(({ body }) => (body ? [body.type] : [])));
  const undecided = bodies.flatMap((body) => textsIn(body)).filter((member) => isUndecided(program, member));
  return undecided.map((target) => ({
    target,
    message: `${placeOf(target)} is free text in an answer that AI assistants read: ${decide}`,
  }));
}

/** Parameters of the query are not plain `string`: their scalar has bounds, or a pattern. Those of OAuth are as its RFCs have them. */
export function requireBoundedParameters(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  if (speaksOAuth(program, operation)) return [];
  const queries = parameters.properties.flatMap(({ kind, property }) => (kind === "query" ? [property] : []));
  const plain = queries.filter(isPlainText);
  return plain.map((target) => ({
    target,
    message: `${operation.name}.${target.name} is a plain string in the query: declare a scalar with @minLength, @maxLength and @donatorText, and use it as the type.`,
  }));
}

/** Returns the members whose type is `string`, a union with it, or a list of it. */
function textsIn(body: Type): ModelProperty[] {
  const members = modelsIn(body).flatMap(({ properties }) => [...properties.values()]);
  return members.filter(isPlainText);
}

function isPlainText({ type }: ModelProperty): boolean {
  return valuesOf(type).some((value) => value.kind === "Scalar" && value.name === "string");
}

function placeOf(member: ModelProperty): string {
  const { model, name } = sourceOf(member);
  return model ? `${nameOf(model)}.${name}` : name;
}

/** Text with a pattern or format is not free text. */
function isUndecided(program: Program, text: Scalar | ModelProperty): boolean {
  return donatorTextOf(program, text) === undefined && !getPattern(program, text) && !getFormat(program, text);
}

function rootOf(scalar: Scalar): Scalar {
  return scalar.baseScalar ? rootOf(scalar.baseScalar) : scalar;
}
