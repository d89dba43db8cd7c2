// Breaks one rule of a valid body, and says which fault the answer must name.

import fc from "fast-check";
import { type Member, members } from "../contract/interface.ts";
import { evaluate } from "../values/broken-rules.ts";
import { NotACase } from "../values/corpus.ts";
import { type Body, wrongAmounts } from "../values/donations.ts";
import { textOf } from "../values/text.ts";
import { showValue } from "./trace.ts";

/** One broken rule: the member takes this value (or goes, where it is undefined), and the answer must name this fault. */
type Mutation = { member: string; value: unknown; fault: string };

type Broken = fc.Arbitrary<Mutation>;

const samples: Record<string, fc.Arbitrary<unknown>> = {
  string: fc.constantFrom("", "100", "true", "THB", "null"),
  number: fc.constantFrom(0, 1, -1, 0.5, 1e300),
  boolean: fc.boolean(),
  null: fc.constant(null),
  array: fc.constantFrom([], ["THB"], [100], [[]]),
  object: fc.constantFrom({}, { value: 100 }, { amount: { amount: 1 } }),
};

/** A value of every other JSON type, null among them, is `invalid_type`: nothing is coerced. */
export const wrongTypes = ({ member, type }: Member): Broken =>
  fc
    .constantFrom(...Object.keys(samples).filter((other) => other !== type))
    .chain((other) => samples[other] ?? fc.constant(null))
    .map((value) => ({ member, value, fault: `/${member} invalid_type` }));

/** Each rule of interface 2.1 that a member can break. */
export const mutationsOf = (member: Member): Broken => fc.oneof(wrongTypes(member), ...outOfBounds(member));

/** One broken rule of any member. */
export const mutations: Broken = fc.oneof(...members.map(mutationsOf));

/** One broken rule of any member but this one. */
export const mutationsBut = (kept: string): Broken => fc.oneof(...members.filter(({ member }) => member !== kept).map(mutationsOf));

/** Two to all members broken, each in one way. */
export const severalMutations: fc.Arbitrary<Mutation[]> = fc
  .subarray(members, { minLength: 2 })
  .chain((some) => fc.tuple(...some.map(mutationsOf)));

/** The body with the rules broken. Throws NotACase for a mutation that breaks none: it was kept while the bounds were others. */
export function broken(body: Body, ...mutated: Mutation[]): Body {
  const whole: Body = Object.assign({ ...body }, ...mutated.map(({ member, value }) => ({ [member]: value })));
  showValue(mutated.map(({ member, value }) => `${member}: ${JSON.stringify(value) ?? "left out"}`).join(", "));
  const { broken: found, open } = evaluate(Buffer.from(JSON.stringify(whole)));
  const sound = mutated.find(({ member }) => open.length === 0 && !found.some((one) => one.member === member));
  if (sound) throw new NotACase(`bug of the suite: ${sound.fault} was expected, but the oracle says that ${sound.member} is sound`);
  return whole;
}

function outOfBounds({ member, required, minLength, maxLength, upTo, allowed }: Member): Broken[] {
  const fault =
    (code: string) =>
    (value: unknown): Mutation => ({ member, value, fault: `/${member} ${code}` });
  const faults: Broken[] = [];
  if (required) faults.push(fc.constant(undefined).map(fault("required")));
  if (minLength) faults.push(textOf(minLength - 1).map(fault("too_short")));
  if (maxLength)
    faults.push(
      fc
        .constantFrom(maxLength + 1, maxLength * 2)
        .chain((length) => textOf(length))
        .map(fault("too_long")),
    );
  if (upTo) faults.push(wrongAmounts.map(fault("out_of_range")));
  if (allowed) faults.push(fc.constantFrom("", "thb", "Thb", "THB ", " THB", "USD", "฿").map(fault("invalid_enum")));
  if (member === "createdAt")
    faults.push(fc.constantFrom("", "2023-02-29T00:00Z", "2026-11-20T19:30:00", "2026-11-20 19:30Z").map(fault("invalid_format")));
  return faults;
}
