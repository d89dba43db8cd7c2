// The time limit of a quick run: it leaves out rules of every file, says so, and never changes a run that has a seed.

import { expect, onTestFinished, test } from "vitest";
import type { TestCase } from "vitest/node";
import { noFailure } from "../../suite/client/failure.ts";
import { firstVariable, inOrder, runFirst } from "../../suite/command/measured.ts";
import { readSettings } from "../../suite/command/options.ts";
import { slotsOf } from "../../suite/command/plan.ts";
import { UsageError } from "../../suite/command/usage-error.ts";
import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { type Listener, reporter } from "../../suite/report/reporter.ts";
import type { Rule } from "../../suite/report/run.ts";
import { deadlineOf } from "../../suite/values/target.ts";
import { conformance } from "./command.ts";
import { type Answer, always, parsed, serving, sound } from "./fakes.ts";
import { changed } from "./second-server.ts";

const secondsOf = (...words: string[]): number | null => readSettings(words).seconds;

test("a quick run has 15 s, and a run with a seed or in full has no limit", () => {
  expect(secondsOf("--depth", "quick")).toBe(15);
  expect(secondsOf("--depth", "quick", "--seed", "1")).toBeNull();
  expect(secondsOf("--depth", "quick", "--seconds", "0")).toBeNull();
  expect(secondsOf()).toBeNull();
  expect(() => secondsOf("--depth", "quick", "--seconds", "soon")).toThrow(UsageError);
});

test("every rule file of a quick run has a slot, in the order of the run, and the last one ends with the run", () => {
  const slots = slotsOf(["interface/amount.test.ts", "interface/message.test.ts", "rules/new/unmeasured.test.ts"], {
    startsAt: 1_000,
    endsAt: 16_000,
    isPaced: false,
  });
  const ends = Object.values(slots).map(({ endsAt }) => endsAt);
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
  expect(ends.at(-1)).toBe(16_000);
});

test("families that are run first keep their order, before all others", () => {
  onTestFinished(() => void delete process.env[firstVariable]);
  for (const family of ["interface/message", "interface/amount"]) runFirst([family]);
  const others = ["derived/bounds", "rules/events/stream-events"];
  const files = [...others, "interface/amount", "interface/message"].map((file) => `/${file}.test.ts`);
  expect(inOrder(files).slice(0, 2)).toEqual(["/interface/message.test.ts", "/interface/amount.test.ts"]);
});

test("rules have five seconds where starting the server has used up the time", () =>
  expect(slotsOf(["interface/amount.test.ts"], { startsAt: 20_000, endsAt: 15_000, isPaced: false })).toEqual({
    "interface/amount.test.ts": { endsAt: 25_000, duration: 5_000, latest: 30_000 },
  }));

test("a rule file that is loaded after the end of its slot has the slot's duration from its first rule on, up to twice the time of the run", () => {
  const slot = { endsAt: 3_000, duration: 500, latest: 20_000 };
  expect(deadlineOf(slot, 1_000)).toBe(3_000);
  expect(deadlineOf(slot, 9_000)).toBe(9_500);
  expect(deadlineOf(slot, 25_000)).toBe(20_000);
});

test("the durations of all slots add up to the time of the run", () => {
  const slots = slotsOf(["interface/amount.test.ts", "interface/message.test.ts", "rules/new/unmeasured.test.ts"], {
    startsAt: 1_000,
    endsAt: 16_000,
    isPaced: false,
  });
  expect(Object.values(slots).reduce((sum, { duration }) => sum + duration, 0)).toBeCloseTo(15_000);
});

/** With these refusals no rule of amounts and messages fails, so that no time is spent on shrinking counterexamples. */
function isTooLarge(body: string): boolean {
  const { amount, message } = parsed(body);
  return Number(amount) > maxAmount || (typeof message === "string" && [...message].length > lengthsOf("message").max);
}

test("a quick run against a slow server leaves out rules of every file, and says how many", { timeout: 300_000 }, async () => {
  const slow: Answer = (request, response, body) =>
    void setTimeout(() => (isTooLarge(body) ? always(422) : sound)(request, response, body), 200);
  const words = ["--profile", "interface", "--depth", "quick", "--seconds", "1", "--only", "/^interface.(amount|message)$/"];
  const { output } = await conformance(["--url", await serving(slow), ...words]);
  expect(output).toMatch(/\d+ rules {2}left out to end in time: --seconds allows more \(interface\/.*\)/);
  for (const family of ["amount", "message"]) expect(output).toMatch(new RegExp(`interface/${family} +\\d+ rules .* not run`));
});

test("a rule that waits for a rate limit tries no further values when the time of the run is over, and the report says how many", async () => {
  const server = await changed(null, { "RateLimit-Policy": '"default";q=1;w=1' });
  const words = ["--profile", "interface", "--depth", "quick", "--seconds", "6", "--only", "/^interface.created-at-fraction$/"];
  const { code, output, report } = await conformance(words, server);
  const [, tried, requests] = /0 failed, .*; (\d+) of \d+ values tried, (\d+) requests/.exec(output) ?? [];
  const leftOut = /\d+ values of \d+ rules? were left out for want of time/;
  expect([code, output]).toEqual([0, expect.stringMatching(leftOut)]);
  expect(Number(requests)).toBeLessThan(12); // without the time limit at least 40: the first two rules have so many values
  expect(Number(tried)).toBeLessThanOrEqual(Number(requests));
  for (const name of ["report.html", "summary.md", "result.yaml"]) expect(report(name)).toMatch(leftOut);
});

test("a rule that fails after values were left out for want of time is not run, unless a value has failed", () => {
  const states = [false, true].map((failedByValue) => {
    const rules: Rule[] = [];
    const listener = { rule: (rule: Rule) => void rules.push(rule) } as unknown as Listener;
    reporter(listener, () => (text) => text).onTestCaseResult?.(failedAfterCut(failedByValue));
    return rules.map(({ state, why, failure }) => [state, why, failure?.value]);
  });
  expect(states).toEqual([[["not run", "left out to end in time: --seconds allows more", undefined]], [["failed", null, "1"]]]);
});

/** A failed test of vitest after 3 values were left out; `byValue`: one of the values has failed. */
const failedAfterCut = (byValue: boolean): TestCase =>
  ({
    fullName: "a rule",
    module: { relativeModuleId: "interface/amount.test.ts" },
    options: { mode: "run" },
    parent: { type: "module", errors: () => [] },
    result: () => ({ state: "failed", errors: [{ message: "expected 1 to be 4" }] }),
    diagnostic: () => ({ duration: 1 }),
    meta: () => ({
      score: { tried: { "": 1 }, edges: {}, leftOut: 3, leftOutForTime: 3 },
      failure: { ...noFailure, value: byValue ? "1" : null },
    }),
  }) as unknown as TestCase;
