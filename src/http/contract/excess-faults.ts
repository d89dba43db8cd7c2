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
export type Truncate = (value: unknown) => unknown;

/** Compiles a schema in advance, so that valid bodies, which most are, cost little. */
export function truncatorOf({ properties, items, maxItems, anyOf }: BodySchema): Truncate {
  const truncators: Truncate[] = (anyOf ?? []).map(truncatorOf);
  if (items) truncators.push(truncateArray(truncatorOf(items), maxItems));
  if (properties) truncators.push(truncateObject(properties));
  return (value) =>
    typeof value === "object" && value !== null ? truncators.reduce((left, truncate) => truncate(left), value as unknown) : value;
}

/** Keeps one item more than allowed, which is a fault already. */
function truncateArray(truncateItem: Truncate, maxItems = Number.POSITIVE_INFINITY): Truncate {
  return (value) => {
    if (!Array.isArray(value)) return value;
    const shortened = value.length > maxItems + 1 ? value.slice(0, maxItems + 1) : value;
    const items = shortened.map(truncateItem);
    return items.some((item, index) => item !== shortened[index]) ? items : shortened;
  };
}

function truncateObject(properties: Readonly<Record<string, BodySchema>>): Truncate {
  const nested = Object.entries(properties).filter(([, schema]) => schema.properties || schema.items || schema.anyOf);
  const members = nested.map(([name, schema]) => ({ name, truncate: truncatorOf(schema) }));
  const maxMembers = Object.keys(properties).length + maxFaults;
  return (value) => {
    if (Array.isArray(value)) return value;
    let object = removeExcessMembers(value as Record<string, unknown>, properties, maxMembers);
    for (const { name, truncate } of members) {
      const member = object[name];
      const shortened = truncate(member);
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
