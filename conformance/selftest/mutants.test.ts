// The table of mutants, and how a run against a mutant is judged.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { familyOf, selectRules } from "../command/rule-files.ts";
import { checkout } from "../harness/server/start-server.ts";
import { applyEdit } from "../mutants/copy.ts";
import { judge } from "../mutants/judge.ts";
import type { Finding } from "../mutants/suite.ts";
import { mutants } from "../mutants/table.ts";
import type { Rule } from "../report/run.ts";

const families = selectRules({ profile: "contract", depth: "full", only: null }).files.map(familyOf);

describe("the table of mutants", () => {
  test("there are at least two hundred mutants", () => expect(Object.keys(mutants).length).toBeGreaterThanOrEqual(200));

  test.each(Object.entries(mutants))("mutant %s: its edit fits the code, and its killers are existing rule files", (_name, mutant) => {
    if ("edit" in mutant) applyEdit(readFileSync(join(checkout, mutant.edit.file), "utf8"), mutant.edit);
    expect(mutant.killedBy.length).toBeGreaterThan(0);
    for (const [family] of mutant.killedBy) expect(families).toContain(family);
  });

  test.each(["the piece once, and the piece twice", "another text"])(
    "an edit whose text does not occur exactly once is reported: %s",
    (code) => {
      expect(() => applyEdit(code, { file: "a.ts", from: "the piece", to: "" })).toThrow(/a\.ts contains this [02] times/);
    },
  );
});

describe("the outcome of a mutant", () => {
  const rule = (title: string, state: Rule["state"]): Rule =>
    ({ family: "donations/idempotency", title, state, failure: null }) as unknown as Rule;
  const finding = (rules: Rule[], verdict: Finding["verdict"] = "failed"): Finding => ({ verdict, reason: null, rules, errors: [] });
  const outcome = (found: Finding): string => judge([["donations/idempotency", /same key/]], found).outcome;

  test("a mutant is killed when the named rule fails", () => expect(outcome(finding([rule("the same key", "failed")]))).toBe("killed"));
  test("a mutant is missed when only other rules fail", () => expect(outcome(finding([rule("another", "failed")]))).toBe("missed"));
  test("a mutant has survived when no rule fails", () =>
    expect(outcome(finding([rule("the same key", "passed")], "passed"))).toBe("survived"));
  test("a mutant is not measurable when the run was not measurable", () =>
    expect(outcome(finding([], "not measurable"))).toBe("not measurable"));
});
