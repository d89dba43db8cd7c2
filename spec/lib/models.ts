// What a body is made of.

import type { Model, Type } from "@typespec/compiler";

/** The model itself and every model of its members. */
export function modelsIn(type: Type, seen = new Set<Type>()): Model[] {
  if (seen.has(type)) return [];
  seen.add(type);
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => modelsIn(variant.type, seen));
  if (type.kind !== "Model") return [];
  if (type.indexer) return modelsIn(type.indexer.value, seen);
  return [type, ...[...type.properties.values()].flatMap((member) => modelsIn(member.type, seen))];
}

/** The type, what its lists hold, and what it may be instead. */
export function valuesOf(type: Type): Type[] {
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => valuesOf(variant.type));
  if (type.kind === "Model" && type.indexer) return valuesOf(type.indexer.value);
  return [type];
}

/** As messages call it: a model may have been written where it is used. */
export function nameOf({ name }: Model): string {
  return name || "A model without a name";
}
