// The table of mutants, and how a run against a mutant is evaluated.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { selectRules } from "../../suite/command/rule-files.ts";
import { familyOf } from "../../suite/contract/offline-rules.ts";
import { checkout } from "../../suite/contract/sources.ts";
import type { Rule } from "../../suite/report/run.ts";
import { applyEdit } from "../mutants/mutant.ts";
import { type Evaluation, evaluate, evaluateSeeds } from "../mutants/outcome.ts";
import { batchesOf, createJobs, type Finding, selectionOf, sharesOf } from "../mutants/suite.ts";
import { areas, mutants } from "../mutants/table.ts";

const families = selectRules({ profile: "contract", depth: "full", only: null }).files.map(familyOf);

/** They send no request, start processes, databases or limits of their own, or load the machine. This list may only become shorter. */
const withoutMutant: readonly string[] = [
  "deployment/citus",
  "deployment/database-stops",
  "deployment/failover",
  "deployment/leaks",
  "deployment/standby",
  "deployment/void-two-processes",
  "deployment/workers",
  "derived/deriver",
  "interface/oracle",
  "interface/published-contract",
  "oauth/guessing",
  "oauth/known-browsers",
  "overlay/overlay-two-processes",
  "transport/attacks",
  "transport/contract",
  "transport/guides",
  "transport/overload",
  "transport/shared-limits",
  "transport/streamer-limits",
];

describe("the table of mutants", () => {
  test("at most two hundred mutants are edits of sources, which every refactoring has to fit", () => {
    const edits = Object.values(mutants).filter((mutant) => "edit" in mutant);
    expect(edits.length).toBeLessThanOrEqual(200);
  });

  test("at least 270 mutants are wrong answers, which any server could give", () => {
    const answers = Object.values(mutants).filter((mutant) => "interceptor" in mutant);
    expect(answers.length).toBeGreaterThanOrEqual(270);
  });

  test("no two mutants have one name", () => {
    const names = [...areas.values()].flat();
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("each rule family has a mutant that only it kills, except those that no mutant of one server shows", () => {
    const killers = Object.values(mutants).map(({ killedBy }) => [...new Set(killedBy.map(([family]) => family))]);
    const withMutant = new Set(killers.filter((some) => some.length === 1).flat());
    expect(families.filter((family) => !withMutant.has(family)).toSorted()).toEqual(withoutMutant);
  });

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
  const finding = (rules: Rule[], verdict: Finding["verdict"] = "failed"): Finding => ({
    verdict,
    reason: null,
    rules,
    errors: [],
    bugs: [],
  });
  const outcome = (found: Finding): string => evaluate([["donations/idempotency", /same key/]], found).outcome;

  test("a mutant is killed when the named rule fails", () => expect(outcome(finding([rule("the same key", "failed")]))).toBe("killed"));
  test("a mutant is missed when only other rules fail", () => expect(outcome(finding([rule("another", "failed")]))).toBe("missed"));
  test("a mutant has survived when no rule fails", () =>
    expect(outcome(finding([rule("the same key", "passed")], "passed"))).toBe("survived"));
  test("a mutant is not measurable when the run was not measurable", () =>
    expect(outcome(finding([], "not measurable"))).toBe("not measurable"));
  test("a wrong answer that throws is not measurable, whatever fails", () => {
    const found = { ...finding([rule("the same key", "failed")]), bugs: ["TypeError: x"] };
    const faults = ["a bug of the wrong answer itself: TypeError: x"];
    expect(evaluate([["donations/idempotency", /same key/]], found)).toMatchObject({ outcome: "not measurable", faults });
  });
  test.each<[string, Rule[], fault: string]>([
    ["a rule that was not run", [{ ...rule("the same key", "not run"), why: "no key" }], "was not run: /same key/: no key"],
    ["a rule that does not exist", [], "has no such rule: /same key/"],
    ["a rule that passed", [rule("the same key", "passed")], "did not fail: /same key/"],
  ])("the fault of a mutant that survives says why: %s", (_, rules, fault) =>
    expect(evaluate([["donations/idempotency", /same key/]], finding(rules)).faults).toEqual([`donations/idempotency ${fault}`]),
  );

  const evaluations = (...states: Rule["state"][]): Evaluation[] =>
    states.map((state) => evaluate([["donations/idempotency", /same key/]], finding([rule("the same key", state)])));
  test("a mutant is killed when the named rule fails with every seed", () =>
    expect(evaluateSeeds(["1", "2"], evaluations("failed", "failed"))).toMatchObject({ outcome: "killed", seeds: { good: 2, of: 2 } }));
  test("a mutant that one of three seeds does not kill has survived, and the seed is named", () =>
    expect(evaluateSeeds(["7", "8", "9"], evaluations("failed", "passed", "failed"))).toMatchObject({
      outcome: "survived",
      faults: ["seed 8: donations/idempotency did not fail: /same key/"],
      seeds: { good: 2, of: 3 },
    }));
});

describe("the servers that runs share", () => {
  const names = [...(areas.get("answers: createdAt") ?? []), ...(areas.get("edits: oauth") ?? [])];
  const shares = (seeds: string[], full = false): string[][] => {
    const how = { names, seeds, full, report: "", concurrency: 1, foreign: null };
    return batchesOf(createJobs(how), how).flatMap((batch) =>
      sharesOf(batch).map((runs) => runs.map(({ name, seed }) => `${name} ${seed}`)),
    );
  };
  test.each(["1 seed", "30 seeds"])("at most twelve runs share one, with %s", (count) => {
    const seeds = Array.from({ length: Number.parseInt(count, 10) }, (_, index) => String(index));
    expect(Math.max(...shares(seeds).map(({ length }) => length))).toBe(12);
    expect(shares(seeds).flat().toSorted()).toEqual(
      ["unbroken", "unbroken behind the proxy", ...names].flatMap((name) => seeds.map((seed) => `${name} ${seed}`)).toSorted(),
    );
  });
  test("the unchanged server has one for each seed", () =>
    expect(shares(["1", "2"]).filter(([first]) => first?.startsWith("unbroken"))).toHaveLength(4));
  test("wrong answers that run every rule have one each", () => expect(shares(["1"], true).every(({ length }) => length === 1)).toBe(true));
});

describe("the rules that further seeds run", () => {
  const { families, titles } = selectionOf([
    ["donations/lists", /of one > page/],
    ["donations/lists", /another$/],
    ["alerts/queue", /of one > page/],
  ]);
  test("each family is named once", () => expect(families).toEqual(["donations/lists", "alerts/queue"]));
  test.each(["a list of one page", "a list of one > page", "Another"])("%s is run", (title) => expect(titles?.test(title)).toBe(true));
  test.each(["a list of two pages", "another one"])("%s is not run", (title) => expect(titles?.test(title)).toBe(false));
  test("only titles of the families that --only selects are run", () => {
    const { files, titles } = selectRules({ profile: "contract", depth: "full", only: "/^donations/idempotency$/", titles: /same key/ });
    expect([files.map(familyOf), titles]).toEqual([["donations/idempotency"], /same key/]);
  });
});
