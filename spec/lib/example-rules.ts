// Rules for examples and defaults. The compiler checks them against the bounds of their scalars, but not against patterns, nor against bounds
// that a member has of its own; tools that read the generated documents would say it without the line of the contract.

import {
  getExamples,
  getMaxLength,
  getMaxValue,
  getMinLength,
  getMinValue,
  getOpExamples,
  getPattern,
  type Model,
  type ModelProperty,
  type Program,
  type Scalar,
  type Type,
  type Value,
} from "@typespec/compiler";
import type { HttpService } from "@typespec/http";
import type { Finding } from "./type-rules.ts";

/** A value, its name in messages, and the member whose value it is. */
type Place = Readonly<{ value: Value; type: Type; name: string; member?: ModelProperty | undefined; target: Finding["target"] }>;

/** Examples and defaults fit the patterns and bounds of their types and members. */
export function requireFittingValues(program: Program, { namespace, operations }: HttpService): Finding[] {
  const models = [...namespace.models.values()];
  const examples = [...models, ...namespace.scalars.values()].flatMap((type) =>
    getExamples(program, type).map(({ value }): Place => ({ value, type, name: `The example of ${type.name}`, target: type })),
  );
  const requests = operations.flatMap(({ operation }) =>
    getOpExamples(program, operation).flatMap(({ parameters: value }): Place[] =>
      value ? [{ value, type: operation.parameters, name: `The example of ${operation.name}`, target: operation }] : [],
    ),
  );
  const members = [...models, ...operations.map(({ operation }) => operation.parameters)].flatMap(({ properties }) => [
    ...properties.values(),
  ]);
  const defaults = members.flatMap((member): Place[] => {
    const { defaultValue: value, type, name } = member;
    return value ? [{ value, type, name: `The default of ${name}`, member, target: member }] : [];
  });
  const faults = [...examples, ...requests, ...defaults].flatMap((place) => faultsIn(program, place));
  return [...new Map(faults.toReversed().map((fault) => [fault.target, fault])).values()].toReversed(); // a const is part of several examples
}

function faultsIn(program: Program, place: Place): Finding[] {
  const { value, type } = place;
  if (type.kind === "Union")
    return faultsInUnion(
      program,
      place,
      [...type.variants.values()].map((variant) => variant.type),
    );
  if (value.valueKind === "ArrayValue" && type.kind === "Model" && type.indexer) {
    const items = type.indexer.value;
    return value.values.flatMap((item) => faultsIn(program, { ...place, value: item, type: items, member: undefined }));
  }
  if (value.valueKind === "ObjectValue" && type.kind === "Model")
    return [...value.properties.values()].flatMap(({ name, value: own, node }) => {
      const member = memberOf(type, name);
      const inner = { value: own, name: `${place.name}: ${name}`, member, target: node ?? place.target };
      return member ? faultsIn(program, { ...inner, type: member.type }) : [];
    });
  const text = faultOf(program, place);
  return text ? [{ target: place.target, message: `${place.name} ${text}: write another value, or change the bounds.` }] : [];
}

/** A value fits a union when it fits one of the variants that can have it; which types can, the compiler has checked. */
function faultsInUnion(program: Program, place: Place, variants: readonly Type[]): Finding[] {
  const { value } = place;
  const names = value.valueKind === "ObjectValue" ? [...value.properties.keys()] : [];
  const possible = variants.filter((type) =>
    value.valueKind === "ObjectValue"
      ? type.kind === "Union" || (type.kind === "Model" && names.every((name) => memberOf(type, name)))
      : type.kind === "Union" || type.kind === "Scalar" || (type.kind === "Model" && type.indexer !== undefined),
  );
  const found = possible.map((type) => faultsIn(program, { ...place, type }));
  return found.some((faults) => faults.length === 0) ? [] : (found[0] ?? []);
}

/** What is wrong with a text or a number; null when nothing is. */
function faultOf(program: Program, { value, type, member }: Place): string | null {
  const declared = [...(member ? [member] : []), ...scalarsOf(type)];
  const bound = <T>(read: (program: Program, target: ModelProperty | Scalar) => T | undefined): T | undefined =>
    declared.map((one) => read(program, one)).find((one) => one !== undefined);
  if (value.valueKind === "StringValue") {
    const pattern = bound(getPattern);
    const length = [...value.value].length;
    if (pattern !== undefined && !new RegExp(pattern, "u").test(value.value)) return `is "${value.value}", which does not match ${pattern}`;
    if (length < (bound(getMinLength) ?? 0)) return `is "${value.value}", which is shorter than ${bound(getMinLength)}`;
    if (length > (bound(getMaxLength) ?? length)) return `is "${value.value}", which is longer than ${bound(getMaxLength)}`;
  }
  if (value.valueKind === "NumericValue") {
    const number = value.value.asNumber() ?? 0;
    if (number < (bound(getMinValue) ?? number)) return `is ${number}, which is below ${bound(getMinValue)}`;
    if (number > (bound(getMaxValue) ?? number)) return `is ${number}, which is above ${bound(getMaxValue)}`;
  }
  return null;
}

const scalarsOf = (type: Type | undefined): Scalar[] => (type?.kind === "Scalar" ? [type, ...scalarsOf(type.baseScalar)] : []);

const memberOf = (model: Model, name: string): ModelProperty | undefined =>
  model.properties.get(name) ?? (model.baseModel ? memberOf(model.baseModel, name) : undefined);
