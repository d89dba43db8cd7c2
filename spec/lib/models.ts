// Finds the models and types in a body.

import type { Model, ModelProperty, Type } from "@typespec/compiler";

/** Returns the model and all models in its members. */
export function modelsIn(type: Type, seen = new Set<Type>()): Model[] {
  if (seen.has(type)) return [];
  seen.add(type);
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => modelsIn(variant.type, seen));
  if (type.kind !== "Model") return [];
  if (type.indexer) return modelsIn(type.indexer.value, seen);
  return [type, ...[...type.properties.values()].flatMap((member) => modelsIn(member.type, seen))];
}

/** Returns the types that a value can have: items of lists and variants of unions included. */
export function valuesOf(type: Type): Type[] {
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => valuesOf(variant.type));
  if (type.kind === "Model" && type.indexer) return valuesOf(type.indexer.value);
  return [type];
}

/** The property as it was declared, before models and operations took it over with `...`. */
export const sourceOf = (member: ModelProperty): ModelProperty => (member.sourceProperty ? sourceOf(member.sourceProperty) : member);

/** The model's name in messages; a model written in place has none. */
export function nameOf({ name }: Model): string {
  return name || "A model without a name";
}

/** Whether a body is a file: bytes, or a scalar of them. */
export const isFile = (type: Type): boolean =>
  type.kind === "Scalar" && (type.name === "bytes" || (type.baseScalar !== undefined && isFile(type.baseScalar)));
