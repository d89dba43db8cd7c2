import { expect, test } from "vitest";
import type { Principal } from "../../http/operations.ts";
import { type Fault, maxFaults } from "../../http/problem.ts";
import { toOutcomes, validateItems } from "./outcomes.ts";

const faults = (count: number): Fault[] =>
  Array.from({ length: count }, (_, index) => ({ pointer: `/member${index}`, code: "unknown_member", message: "is unknown" }));

test.each([
  [1, "One rule is broken; errors names it."],
  [2, "2 rules are broken; errors names them."],
  [maxFaults, `${maxFaults} rules are broken; errors names them.`],
  [maxFaults + 1, `More than ${maxFaults} rules are broken; errors names ${maxFaults} of them.`],
])("the outcome of a donation that breaks %i rules says how many of them errors names", (count, detail) => {
  const validated = validateItems([{ index: 0, value: {} }], {} as Principal, () => ({ faults: faults(count) }));
  const [outcome] = toOutcomes(validated, []);
  expect(outcome?.problem).toMatchObject({ code: "validation_failed", detail, errors: faults(Math.min(count, maxFaults)) });
  expect(outcome?.problem).toEqual(
    count > maxFaults ? expect.objectContaining({ errorsTruncated: true }) : expect.not.objectContaining({ errorsTruncated: true }),
  );
});
