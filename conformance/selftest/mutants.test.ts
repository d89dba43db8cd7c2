import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { chosen, familyOf } from "../command/rule-files.ts";
import { checkout } from "../harness/server/start-server.ts";
import { edited } from "../mutants/copy.ts";
import { judge } from "../mutants/judge.ts";
import type { Finding } from "../mutants/suite.ts";
import { mutants } from "../mutants/table.ts";
import type { Rule } from "../report/run.ts";

const families = chosen({ profile: "contract", depth: "full", only: null }).files.map(familyOf);

describe("the mutants", () => {
  test("there are sixty and more", () => expect(Object.keys(mutants).length).toBeGreaterThanOrEqual(60));

  test.each(Object.entries(mutants))("%s fits the code, and rule files that exist must kill it", (_name, mutant) => {
    if ("edit" in mutant) edited(readFileSync(join(checkout, mutant.edit.file), "utf8"), mutant.edit);
    expect(mutant.killedBy.length).toBeGreaterThan(0);
    for (const [family] of mutant.killedBy) expect(families).toContain(family);
  });

  test.each(["the piece once, and the piece twice", "nothing of it"])("an edit that does not fit exactly once is told: %s", (code) => {
    expect(() => edited(code, { file: "a.ts", from: "the piece", to: "" })).toThrow(/a\.ts holds [02] times/);
  });
});

describe("a mutant is", () => {
  const rule = (title: string, state: Rule["state"]): Rule =>
    ({ family: "donations/idempotency", title, state, failure: null }) as unknown as Rule;
  const finding = (rules: Rule[], verdict: Finding["verdict"] = "failed"): Finding => ({ verdict, reason: null, rules, errors: [] });
  const outcome = (found: Finding): string => judge([["donations/idempotency", /same key/]], found).outcome;

  test("killed by the rule that must notice", () => expect(outcome(finding([rule("the same key", "failed")]))).toBe("killed"));
  test("missed where others notice alone", () => expect(outcome(finding([rule("another", "failed")]))).toBe("missed"));
  test("alive where nothing fails", () => expect(outcome(finding([rule("the same key", "passed")], "passed"))).toBe("survived"));
  test("not measurable where the run was not", () => expect(outcome(finding([], "not measurable"))).toBe("not measurable"));
});
