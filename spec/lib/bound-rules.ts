// Rules for numbers, texts, lists and times in requests: what has no bound here is bounded nowhere.

import {
  getFormat,
  getMaxItems,
  getMaxLength,
  getMaxValue,
  getMaxValueExclusive,
  getMinItems,
  getMinLength,
  getMinValue,
  getMinValueExclusive,
  getPattern,
  type Model,
  type ModelProperty,
  type Program,
  type Scalar,
  type Type,
} from "@typespec/compiler";
import type { HttpOperation, HttpService } from "@typespec/http";
import { isWebhook } from "./decorators.ts";
import { modelsIn, sourceOf } from "./models.ts";
import type { Finding } from "./type-rules.ts";

const instead = "declare a scalar with @minValue and @maxValue, and use it as the type";

/** Numbers, texts and lists in the query and in bodies that the server reads have bounds, and times are those of spec/scalars.tsp. */
export function requireBounds(program: Program, { operation, parameters }: HttpOperation): Finding[] {
  if (isWebhook(program, operation)) return [];
  const queries = parameters.properties.flatMap(({ kind, property }) => (kind === "query" ? [property] : []));
  const body = parameters.body ? modelsIn(parameters.body.type).flatMap(({ properties }) => [...properties.values()]) : [];
  return [...queries, ...body].flatMap((member) => {
    const place = `${sourceOf(member).model?.name || operation.name}.${member.name}`;
    return faultsOf(program, member.type, member).map((fault) => ({ target: member, message: `${place} ${fault}.` }));
  });
}

function faultsOf(program: Program, type: Type, member: ModelProperty): string[] {
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => faultsOf(program, variant.type, member));
  if (type.kind === "Model" && type.indexer)
    return [...listFaults(program, type, member), ...faultsOf(program, type.indexer.value, member)];
  if (type.kind === "Intrinsic" && type.name === "unknown") return ["is unknown, which accepts anything: write its type"];
  if (type.kind !== "Scalar") return [];
  const family = familyOf(type);
  const root = family.at(-1)?.name ?? "";
  const has = (...reads: ((program: Program, target: Type) => number | undefined)[]) =>
    reads.some((read) => [member, ...family].some((one) => read(program, one) !== undefined));
  const isBounded = has(getMinValue, getMinValueExclusive) && has(getMaxValue, getMaxValueExclusive);
  if (root === "numeric" && !isBounded) return [`is a number without a least and a largest value: ${instead}`];
  if (/Date|Time|duration/.test(root))
    return [`is ${type.name}, whose forms nobody has bounded: use createdAt or rangeBound of spec/scalars.tsp`];
  if (root === "bytes")
    return ["is bytes inside of a body, without a largest length: make them a body of their own, as spec/files.tsp does"];
  return root === "string" && type.name !== root ? textFaults(program, [member, ...family]) : [];
}

/** A plain string is named by other rules. `format` is an annotation, which the server does not check. */
function textFaults(program: Program, family: readonly (ModelProperty | Scalar)[]): string[] {
  const [pattern] = family.flatMap((one) => getPattern(program, one) ?? []);
  const isPart = pattern !== undefined && !(pattern.startsWith("^") && pattern.endsWith("$"));
  if (isPart)
    return [
      `has the pattern ${pattern}, which fits every text that contains such a part: write @pattern("^${pattern.replace(/^\^|\$$/g, "")}$")`,
    ];
  if (pattern !== undefined) return [];
  const [format] = family.flatMap((one) => getFormat(program, one) ?? []);
  if (format !== undefined) return [`has the format ${format}, which the server does not check: say by @pattern("^…$") what it accepts`];
  if (family.some((one) => getMaxLength(program, one) !== undefined)) return [];
  return ["is a text without a largest length: add @maxLength(…) to its type"];
}

function listFaults(program: Program, list: Model, member: ModelProperty): string[] {
  const room = getMaxItems(program, list) ?? getMaxItems(program, member);
  if (list.name === "Record" || room !== undefined) return [];
  return ["is a list without a largest number of items: add @maxItems(…)"];
}

/** A bound of a member lies within those of its type: outside of them it is of no effect, or nothing fits both. */
export function requireAgreeingBounds(program: Program, { namespace, operations }: HttpService): Finding[] {
  const models = [...namespace.models.values(), ...operations.map(({ operation }) => operation.parameters)];
  const members = models.flatMap(({ properties }) => [...properties.values()]);
  const scalars = [...namespace.scalars.values()];
  return [
    ...members.flatMap((member) => disagreements(program, member, member.type)),
    ...scalars.flatMap((scalar) => (scalar.baseScalar ? disagreements(program, scalar, scalar.baseScalar) : [])),
  ];
}

type Read = (program: Program, target: Type) => number | undefined;

const ranges: readonly (readonly [least: Read, most: Read])[] = [
  [getMinLength, getMaxLength],
  [(...of) => getMinValue(...of) ?? getMinValueExclusive(...of), (...of) => getMaxValue(...of) ?? getMaxValueExclusive(...of)],
  [getMinItems, getMaxItems],
];

function disagreements(program: Program, target: ModelProperty | Scalar, type: Type): Finding[] {
  const family = type.kind === "Scalar" ? familyOf(type) : [type];
  const nearest = (read: Read) => family.map((one) => read(program, one)).find((bound) => bound !== undefined);
  return ranges.flatMap(([readLeast, readMost]) => {
    const [least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY] = [nearest(readLeast), nearest(readMost)];
    const own = [readLeast(program, target), readMost(program, target)].filter((bound) => bound !== undefined);
    return own
      .filter((bound) => bound < least || bound > most)
      .map((bound) => ({
        target,
        message: `${target.name} has the bound ${bound}, and its type ${(type as Model | Scalar).name} allows ${rangeText(least, most)}: write a bound within this, or change the type's.`,
      }));
  });
}

function rangeText(least: number, most: number): string {
  if (least === Number.NEGATIVE_INFINITY) return `at most ${most}`;
  return most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
}

const familyOf = (scalar: Scalar): Scalar[] => [scalar, ...(scalar.baseScalar ? familyOf(scalar.baseScalar) : [])];
