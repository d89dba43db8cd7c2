// Requests that combine many valid values, and some invalid ones.

import fc from "fast-check";
import type { Inputs } from "../../contract/inputs.ts";
import { isLower, partnerOf } from "../../contract/pairs.ts";
import { type Broken, type Keyword, keywords } from "../../contract/validate-value.ts";
import { type Case, type Cases, casesOf } from "./cases.ts";
import { addressOf, type Base, type Put, requestOf } from "./request.ts";
import { brokenRules } from "./validate-request.ts";

/** Valid and invalid values of one parameter or member of the body. */
type Slot = { right: Put[]; wrong: { put: Put; broken: Broken[] }[] };

/** Requests that combine valid values; from `wrong.min` to `wrong.max` parameters or members are invalid, each in one way. */
export function mixtures(inputs: Inputs, base: Base, wrong: { min: number; max: number }): fc.Arbitrary<Case> {
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
