// Both sides of every bound, choice and type that the contract states, in every operation.

import fc from "fast-check";
import { describe, test } from "vitest";
import { holds } from "../suite/client/holds.ts";
import { operations } from "../suite/contract/contract.ts";
import { fieldsOf, type Inputs, inputsOf } from "../suite/contract/inputs.ts";
import { type Broken, type Keyword, keywords } from "../suite/contract/shape.ts";
import { type Case, type Cases, casesOf } from "../suite/models/derive/cases.ts";
import { hintsFor, keyFor } from "../suite/models/derive/hints.ts";
import { addressOf, type Base, brokenRules, isLower, type Put, partnerOf, requestOf } from "../suite/models/derive/request.ts";
import { derivedRules, excludedOperations, restoringState, tryCase } from "../suite/models/derive/rule.ts";
import { target } from "../suite/values/target.ts";

derivedRules([
  {
    title: "a number is accepted up to its bound, and its neighbour beyond is refused with out_of_range",
    keywords: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  },
  { title: "each documented choice is accepted, and anything similar is refused with invalid_enum", keywords: ["enum"] },
  {
    title:
      "a text is counted in Unicode code points: the shortest and the longest are accepted, one code point less or more is refused with too_short or too_long",
    keywords: ["minLength", "maxLength"],
  },
  {
    title: "a list is accepted up to its bounds; one item more is refused with too_many_items, a repeated item with not_unique",
    keywords: ["minItems", "maxItems", "uniqueItems"],
  },
  {
    title: "a text of the documented form is accepted, and with one thing changed it is refused with invalid_format",
    keywords: ["pattern"],
  },
  { title: "a required member or parameter must be sent, any other may be left out", keywords: ["required"] },
  {
    title: "a member that the contract does not name is refused and named: request bodies are sealed",
    keywords: ["additionalProperties"],
  },
  {
    title: "a value of the right JSON type is accepted; any other type, null included, is refused with invalid_type: nothing is coerced",
    keywords: ["type", "format"],
  },
  {
    title: "a parameter that the contract does not name, or one sent twice, is refused and named",
    keywords: ["unknownParameter", "repeatedParameter"],
  },
]);

// Requests that combine many valid values, and some invalid ones.

/** Valid and invalid values of one parameter or member of the body. */
type Slot = { right: Put[]; wrong: { put: Put; broken: Broken[] }[] };

/** Requests that combine valid values; from `wrong.min` to `wrong.max` parameters or members are invalid, each in one way. */
function mixtures(inputs: Inputs, base: Base, wrong: { min: number; max: number }): fc.Arbitrary<Case> {
  const slots = slotsIn(inputs, base);
  const breakable = slots.filter((slot) => slot.wrong.length > 0);
  const right = fc.tuple(...slots.map((slot) => fc.option(pick(slot.right), { freq: 3 })));
  const bad = fc.subarray(breakable, {
    minLength: Math.min(wrong.min, breakable.length),
    maxLength: Math.min(wrong.max, breakable.length),
  });
  return bad.chain((chosen) =>
    fc.tuple(right, fc.tuple(...chosen.map((slot) => pick(slot.wrong)))).map(([rights, wrongs]) => {
      const members = rights.filter((put, index) => put !== null && !chosen.includes(slots[index] as Slot));
      return mixed(inputs, base, { right: members as Put[], wrong: wrongs });
    }),
  );
}

/** The keywords that are about a single value, not about its absence or repetition. */
const single = keywords.filter((keyword): keyword is Keyword => !/^required$|Parameter$/.test(keyword));

const slotCache = new Map<string, Slot[]>();

function slotsIn(inputs: Inputs, base: Base): Slot[] {
  const slots = slotCache.get(inputs.operation.id) ?? slotsOf(casesOf(inputs, single, base));
  slotCache.set(inputs.operation.id, slots);
  return slots;
}

function slotsOf({ cases }: Cases): Slot[] {
  const slots = new Map<string, Slot>();
  for (const { put, broken } of cases) {
    const root = put && rootOf(put);
    if (!root) continue;
    const slot = slots.get(root) ?? { right: [], wrong: [] };
    if (broken.length === 0) slot.right.push(put);
    if (broken.length === 1) slot.wrong.push({ put, broken });
    slots.set(root, slot);
  }
  return [...slots.values()].filter((slot) => slot.right.length > 0);
}

/** The parameter, or the member of the body, that holds the value, or the two that bound each other; none for the body as a whole. */
function rootOf({ field }: Put): string | null {
  if (field.in === "body" && field.path.length === 0) return null;
  const name = field.in === "body" ? String(field.path[0]) : field.name;
  const partner = partnerOf(name);
  return `${field.in} ${partner !== null && isLower(partner) ? partner : name}`;
}

const pick = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

function mixed(inputs: Inputs, base: Base, { right, wrong }: Slot): Case {
  const parts = requestOf(inputs, base, [...right, ...wrong.map(({ put }) => put)]);
  const broken = brokenRules(inputs, parts);
  const meant = wrong.flatMap((one) => one.broken);
  if (broken.length !== meant.length) throw new Error(`meant to break ${JSON.stringify(meant)}, and breaks ${JSON.stringify(broken)}`);
  const name = `${addressOf(inputs, parts)} ${parts.body ?? ""}`;
  return Object.assign({ field: "", keyword: "type" as const, edge: "", name, parts, broken }, { [fc.toStringMethod]: () => name });
}

// Combines the values that other files try one by one: a valid value stays valid beside any other.

const rules = [
  { title: "any valid values together are accepted", wrong: { min: 0, max: 0 } },
  { title: "one invalid value among any valid ones is refused and named", wrong: { min: 1, max: 1 } },
  { title: "several invalid values are all named, not only the first", wrong: { min: 2, max: 8 } },
];

/** As many parameters and members of the body as can be wrong by themselves. */
const breakable = (inputs: Inputs): number =>
  fieldsOf(inputs).filter(({ in: where, path }) => (where === "query" && path.length === 0) || (where === "body" && path.length === 1))
    .length;

const concerned = operations.filter((one) => !(one.id in excludedOperations)).map((operation) => ({ id: operation.id, operation }));

describe.each(rules)("$title", ({ title, wrong }) => {
  test.for(concerned.filter(({ operation }) => breakable(inputsOf(operation)) >= Math.max(1, wrong.min)))(
    `$id: ${title}`,
    async ({ operation }, context) => {
      const key = keyFor(context, operation);
      const inputs = inputsOf(operation);
      const base = { seed: target().seed, hints: await hintsFor(context, operation) };
      const some = mixtures(inputs, base, wrong);
      await restoringState(inputs, key, () => holds(some, (one) => tryCase(inputs, one, key), { runs: 40 }));
    },
  );
});
