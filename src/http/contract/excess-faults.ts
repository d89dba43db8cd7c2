// Shortens a body that has thousands of faults, because a problem names only 100. Before validation, items beyond the first one that exceeds
// the maximum are removed, and unknown members beyond those that a problem names. The result of the validation stays the same.

import { maxFaults } from "../problem.ts";

/** The parts of a body's schema that are needed here, references resolved. */
export type BodySchema = Readonly<{
  properties?: Readonly<Record<string, BodySchema>>;
  items?: BodySchema;
  maxItems?: number;
  anyOf?: readonly BodySchema[];
}>;

/** Returns the same value when nothing exceeds the limits, otherwise a copy that breaks the same rules in fewer places. */
export type Cut = (value: unknown) => unknown;

/** Compiles a schema in advance, so that valid bodies, which most are, cost little. */
export function cutFor({ properties, items, maxItems, anyOf }: BodySchema): Cut {
  const cuts: Cut[] = (anyOf ?? []).map(cutFor);
  if (items) cuts.push(cutArray(cutFor(items), maxItems));
  if (properties) cuts.push(cutObject(properties));
  return (value) => (typeof value === "object" && value !== null ? cuts.reduce((left, cut) => cut(left), value as unknown) : value);
}

/** Keeps one item more than allowed, which is a fault already. */
function cutArray(cutItem: Cut, maxItems = Number.POSITIVE_INFINITY): Cut {
  return (value) => {
    if (!Array.isArray(value)) return value;
    const shortened = value.length > maxItems + 1 ? value.slice(0, maxItems + 1) : value;
    const items = shortened.map(cutItem);
    return items.some((item, index) => item !== shortened[index]) ? items : shortened;
  };
}

function cutObject(properties: Readonly<Record<string, BodySchema>>): Cut {
  const nested = Object.entries(properties).filter(([, schema]) => schema.properties || schema.items || schema.anyOf);
  const members = nested.map(([name, schema]) => ({ name, cut: cutFor(schema) }));
  const maxMembers = Object.keys(properties).length + maxFaults;
  return (value) => {
    if (Array.isArray(value)) return value;
    let object = removeExcessMembers(value as Record<string, unknown>, properties, maxMembers);
    for (const { name, cut } of members) {
      const member = object[name];
      const shortened = cut(member);
      if (shortened !== member) object = { ...object, [name]: shortened };
    }
    return object;
  };
}

/** Keeps the known members, and one unknown member more than a problem names. */
function removeExcessMembers(object: Record<string, unknown>, known: object, maxMembers: number): Record<string, unknown> {
  const names = Object.keys(object);
  if (names.length <= maxMembers) return object;
  const unknown = names.filter((name) => !Object.hasOwn(known, name)).slice(0, maxFaults + 1);
  const remaining = [...names.filter((name) => Object.hasOwn(known, name)), ...unknown];
  return Object.fromEntries(remaining.map((name) => [name, object[name]]));
}
