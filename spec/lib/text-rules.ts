// Rules for free text: it may hold what strangers want an assistant to do, and somebody must have thought of it.

import { getFormat, getPattern, type ModelProperty, type Namespace, type Program, type Scalar, type Type } from "@typespec/compiler";
import type { HttpOperation } from "@typespec/http";
import { donorTextOf, isTool, speaksOAuth } from "./decorators.ts";
import { modelsIn, nameOf, valuesOf } from "./models.ts";
import type { Finding } from "./type-rules.ts";

const decide = "add @donorText(true) when donors write it, else @donorText(false).";

/** Scalars decide for every member that is one. */
export function decidesDonorText(program: Program, service: Namespace): Finding[] {
  const undecided = [...service.scalars.values()].filter((scalar) => rootOf(scalar).name === "string" && isUndecided(program, scalar));
  return undecided.map((target) => ({ target, message: `${target.name} is free text: ${decide}` }));
}

/** What a request may hold has bounds as well. */
export function namesItsTexts(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  if (!parameters.body || speaksOAuth(program, operation)) return [];
  return textsIn(parameters.body.type).map((target) => ({
    target,
    message: `${placeOf(target)} is any text: declare a scalar with its bounds and @donorText, and use that.`,
  }));
}

/** What assistants are answered. */
export function decidesItsAnswers(program: Program, { operation, responses }: HttpOperation): Finding[] {
  if (!isTool(program, operation)) return [];
  const successes = responses.filter(({ statusCodes }) => typeof statusCodes === "number" && statusCodes < 300);
  const bodies = successes.flatMap((response) => response.responses.flatMap(({ body }) => (body ? [body.type] : [])));
  const undecided = bodies.flatMap((body) => textsIn(body)).filter((member) => isUndecided(program, member));
  return undecided.map((target) => ({ target, message: `${placeOf(target)} is free text that assistants read: ${decide}` }));
}

/** Members that are plain text, may be, or hold some. */
function textsIn(body: Type): ModelProperty[] {
  const members = modelsIn(body).flatMap(({ properties }) => [...properties.values()]);
  return members.filter(({ type }) => valuesOf(type).some((value) => value.kind === "Scalar" && value.name === "string"));
}

function placeOf({ model, name }: ModelProperty): string {
  return model ? `${nameOf(model)}.${name}` : name;
}

/** A pattern or format leaves no room for sentences. */
function isUndecided(program: Program, text: Scalar | ModelProperty): boolean {
  return donorTextOf(program, text) === undefined && !getPattern(program, text) && !getFormat(program, text);
}

function rootOf(scalar: Scalar): Scalar {
  return scalar.baseScalar ? rootOf(scalar.baseScalar) : scalar;
}
