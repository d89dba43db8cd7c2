// Rules for numbers, lists and times in requests: what has no bound here is bounded nowhere.

import {
  getMaxItems,
  getMaxValue,
  getMaxValueExclusive,
  getMinValue,
  getMinValueExclusive,
  type Model,
  type ModelProperty,
  type Program,
  type Scalar,
  type Type,
} from "@typespec/compiler";
import type { HttpOperation } from "@typespec/http";
import { isWebhook } from "./decorators.ts";
import { modelsIn } from "./models.ts";
import type { Finding } from "./type-rules.ts";

const instead = "declare a scalar with @minValue and @maxValue, and use it as the type";

/** Numbers and lists in the query and in bodies that the server reads have bounds, and times are those of spec/scalars.tsp. */
export function requireBounds(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  if (isWebhook(program, operation)) return [];
  const queries = parameters.properties.flatMap(({ kind, property }) => (kind === "query" ? [property] : []));
  const body = parameters.body ? modelsIn(parameters.body.type).flatMap(({ properties }) => [...properties.values()]) : [];
  const isOfBody = (member: ModelProperty) => body.includes(member);
  return [...queries, ...body].flatMap((member) => {
    const place = `${(isOfBody(member) && member.model?.name) || operation.name}.${member.name}`;
    return faultsOf(program, member.type, member).map((fault) => ({ target: member, message: `${place} ${fault}.` }));
  });
}

function faultsOf(program: Program, type: Type, member: ModelProperty): string[] {
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => faultsOf(program, variant.type, member));
  if (type.kind === "Model" && type.indexer)
    return [...listFaults(program, type, member), ...faultsOf(program, type.indexer.value, member)];
  if (type.kind !== "Scalar") return [];
  const family = familyOf(type);
  const root = family.at(-1)?.name ?? "";
  const has = (...reads: ((program: Program, target: Type) => number | undefined)[]) =>
    reads.some((read) => [member, ...family].some((one) => read(program, one) !== undefined));
  const isBounded = has(getMinValue, getMinValueExclusive) && has(getMaxValue, getMaxValueExclusive);
  if (root === "numeric" && !isBounded) return [`is a number without a least and a largest value: ${instead}`];
  if (/Date|Time|duration/.test(root))
    return [`is ${type.name}, whose forms nobody has bounded: use createdAt or rangeBound of spec/scalars.tsp`];
  return [];
}

function listFaults(program: Program, list: Model, member: ModelProperty): string[] {
  const room = getMaxItems(program, list) ?? getMaxItems(program, member);
  if (list.name === "Record" || room !== undefined) return [];
  return ["is a list without a largest number of items: add @maxItems(…)"];
}

const familyOf = (scalar: Scalar): Scalar[] => [scalar, ...(scalar.baseScalar ? familyOf(scalar.baseScalar) : [])];
