import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

import { operations } from "../../harness/oracle/contract.ts";

/** Operations without a rule file of their own, each with the reason. This list may only shrink. */
const withoutRuleFile: Record<string, string> = {};

const kebab = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const ruleFile = (id: string): string => `${kebab(id)}.test.ts`;
const ruleFiles = readdirSync(new URL("..", import.meta.url), { recursive: true, encoding: "utf8" });
const exists = (file: string): boolean => ruleFiles.some((path) => path.endsWith(`/${file}`));

test.each(operations)("$id has a rule file", ({ id }) => {
  const file = ruleFile(id);
  const [listed, there] = [id in withoutRuleFile, exists(file)];
  if (listed && there) throw new Error(`${file} exists: take ${id} off the list withoutRuleFile`);
  if (!listed && !there)
    throw new Error(`generated/openapi.json has the operation ${id}: write its rules in conformance/rules/<area>/${file}`);
});

test("the exceptions are operations of the contract", () =>
  expect(
    Object.keys(withoutRuleFile).filter((id) => !operations.some((one) => one.id === id)),
    "take these off the list withoutRuleFile",
  ).toEqual([]));
