// A body that is wrong in thousands of places must not cost thousands of faults: a problem names 100 of them. So what can change nothing
// any more is left out before the validator sees it: items beyond the first that is too many, and unknown members beyond those that
// a problem names.

import { maxFaults } from "./problem.ts";

/** What is read of a body's schema, references resolved. */
export type BodySchema = Readonly<{
  properties?: Readonly<Record<string, BodySchema>>;
  items?: BodySchema;
  maxItems?: number;
  anyOf?: readonly BodySchema[];
}>;

/** The same value where nothing is too much; else a copy that breaks the same rules in fewer places. */
export type Cut = (value: unknown) => unknown;

/** Compiles a schema: most bodies are right, and must not pay for those that are not. */
export function cutFor({ properties, items, maxItems, anyOf }: BodySchema): Cut {
  const cuts: Cut[] = (anyOf ?? []).map(cutFor);
  if (items) cuts.push(cutArray(cutFor(items), maxItems));
  if (properties) cuts.push(cutObject(properties));
  return (value) => (typeof value === "object" && value !== null ? cuts.reduce((left, cut) => cut(left), value as unknown) : value);
}

/** One item more than allowed is too many. */
function cutArray(cutItem: Cut, maxItems = Number.POSITIVE_INFINITY): Cut {
  return (value) => {
    if (!Array.isArray(value)) return value;
    const few = value.length > maxItems + 1 ? value.slice(0, maxItems + 1) : value;
    const items = few.map(cutItem);
    return items.some((item, index) => item !== few[index]) ? items : few;
  };
}

function cutObject(properties: Readonly<Record<string, BodySchema>>): Cut {
  const nested = Object.entries(properties).filter(([, schema]) => schema.properties || schema.items || schema.anyOf);
  const members = nested.map(([name, schema]) => ({ name, cut: cutFor(schema) }));
  const most = Object.keys(properties).length + maxFaults;
  return (value) => {
    if (Array.isArray(value)) return value;
    let object = fewerMembers(value as Record<string, unknown>, properties, most);
    for (const { name, cut } of members) {
      const member = object[name];
      const less = cut(member);
      if (less !== member) object = { ...object, [name]: less };
    }
    return object;
  };
}

/** The known members, and one unknown member more than a problem names. */
function fewerMembers(object: Record<string, unknown>, known: object, most: number): Record<string, unknown> {
  const names = Object.keys(object);
  if (names.length <= most) return object;
  const unknown = names.filter((name) => !Object.hasOwn(known, name)).slice(0, maxFaults + 1);
  const kept = [...names.filter((name) => Object.hasOwn(known, name)), ...unknown];
  return Object.fromEntries(kept.map((name) => [name, object[name]]));
}
