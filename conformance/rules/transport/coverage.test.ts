import { expect, test } from "vitest";

import { missingRuleFile } from "../../../spec/check/operations.ts";
import { operations } from "../../suite/contract/contract.ts";
import { effectFaults } from "../../suite/contract/effects.ts";

/** Operations without a rule file of their own, each with the reason. This list may only shrink. */
const withoutRuleFile: Record<string, string> = {};

test.each(operations)("$id has a rule file", (operation) => {
  const { id } = operation;
  const [missing] = missingRuleFile(operation);
  const listed = id in withoutRuleFile;
  if (listed && !missing) throw new Error(`${id} has a rule file: take it off the list withoutRuleFile`);
  if (!listed && missing) throw new Error(missing);
});

test("the exceptions to the rule files are operations of the contract", () =>
  expect(
    Object.keys(withoutRuleFile).filter((id) => !operations.some((one) => one.id === id)),
    "take these off the list withoutRuleFile",
  ).toEqual([]));

test("each operation that does not only read has a line that says what it changes", () => expect(effectFaults()).toEqual([]));
