// The time of a run, of a rule and of a request, each of which has an end, and a run that begins again.

import { utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { TestCase } from "vitest/node";
import { noFailure } from "../../suite/client/failure.ts";
import { send } from "../../suite/client/http-client.ts";
import { firstVariable, inOrder, runFirst } from "../../suite/command/measured.ts";
import { readSettings } from "../../suite/command/options.ts";
import { slotsOf } from "../../suite/command/plan.ts";
import { leaveOutUnmatched, selectRules } from "../../suite/command/rule-files.ts";
import { createTarget } from "../../suite/command/settings.ts";
import { UsageError } from "../../suite/command/usage-error.ts";
import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { checkout, testFilesIn } from "../../suite/contract/sources.ts";
import { type Listener, reporter } from "../../suite/report/reporter.ts";
import type { Rule } from "../../suite/report/run.ts";
import { explainTimeout, type TimeLimits } from "../../suite/values/run-settings.ts";
import { outsideOfRule, runWithinLimit } from "../../suite/values/running.ts";
import { deadlineOf, useTarget } from "../../suite/values/target.ts";
import { type Answer, always, changed, conformance, parsed, type Running, secret, serving, sound, startConformance } from "./command.ts";

const secondsOf = (...words: string[]): number | null => readSettings(words).seconds;

test("a quick run has 15 s, and a run with a seed or in full has no limit", () => {
  expect(secondsOf("--depth", "quick")).toBe(15);
  expect(secondsOf("--depth", "quick", "--seed", "1")).toBeNull();
  expect(secondsOf("--depth", "quick", "--seconds", "0")).toBeNull();
  expect(secondsOf()).toBeNull();
  expect(() => secondsOf("--depth", "quick", "--seconds", "soon")).toThrow(UsageError);
});

test("rules that --only names by their titles share the time with no file in which it matches none, and a baseline keeps all files", async () => {
  const filesOf = async (...words: string[]): Promise<string[]> => {
    const settings = readSettings(["--profile", "interface", "--only", "amount 0 is refused", ...words]);
    return selectRules(await leaveOutUnmatched(settings)).files;
  };
  expect(await filesOf()).toEqual(["interface/amount.test.ts"]);
  expect(await filesOf("--baseline", "known.json")).toEqual(testFilesIn("interface"));
});

test("every rule file of a quick run has a slot, in the order of the run, and the last one ends with the run", () => {
  const slots = slotsOf(["interface/amount.test.ts", "interface/texts.test.ts", "rules/new/unmeasured.test.ts"], {
    startsAt: 1_000,
    endsAt: 16_000,
    isPaced: false,
  });
  const ends = Object.values(slots).map(({ endsAt }) => endsAt);
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
  expect(ends.at(-1)).toBe(16_000);
});

test("rule files of the interface document have half of the time beside others that take longer", () => {
  const slots = slotsOf(
    ["interface/amount.test.ts", "interface/texts.test.ts", "rules/donations/paging.test.ts", "derived/requests.test.ts"],
    {
      startsAt: 0,
      endsAt: 15_000,
      isPaced: false,
    },
  );
  const ofInterface = Object.keys(slots).filter((file) => file.startsWith("interface/"));
  expect(ofInterface.reduce((sum, file) => sum + (slots[file]?.duration ?? 0), 0)).toBeCloseTo(7_500);
});

test("families that are run first keep their order, before all others", () => {
  onTestFinished(() => void delete process.env[firstVariable]);
  for (const family of ["interface/texts", "interface/amount"]) runFirst([family]);
  const others = ["derived/keywords", "rules/events/stream-events"];
  const files = [...others, "interface/amount", "interface/texts"].map((file) => `/${file}.test.ts`);
  expect(inOrder(files).slice(0, 2)).toEqual(["/interface/texts.test.ts", "/interface/amount.test.ts"]);
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
  const slots = slotsOf(["interface/amount.test.ts", "interface/texts.test.ts", "rules/new/unmeasured.test.ts"], {
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
  const words = ["--profile", "interface", "--depth", "quick", "--seconds", "1", "--only", "/^interface.(amount|texts)$/"];
  const { output } = await conformance(["--url", await serving(slow), ...words]);
  expect(output).toMatch(/\d+ rules {2}left out to end in time: --seconds allows more \(interface\/.*\)/);
  for (const family of ["amount", "texts"]) expect(output).toMatch(new RegExp(`interface/${family} +\\d+ rules .* not run`));
});

test("a rule that waits for a rate limit tries no further values when the time of the run is over, and the report says how many", async () => {
  const server = await changed(null, { "RateLimit-Policy": '"default";q=1;w=1' });
  const words = ["--profile", "interface", "--depth", "quick", "--seconds", "6", "--only", "createdAt, fraction"];
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

const keys = { main: secret, secondApplication: null, readOnly: null, writeOnly: null };

const others = { other: null, quiet: null, overlay: null, otherOverlay: null };

const settings = {
  seed: 1,
  path: null,
  depth: "full",
  only: null,
  lengthUnit: "all",
  harMegabytes: 1,
  corpus: null,
  receiver: null,
} as const;

/** Makes a server of someone else the one under test, with these limits in seconds. */
function testing(url: string, limits: TimeLimits): void {
  const served = { url, keys: { ...keys, ...others }, client: null, operator: null, oauth: null };
  useTarget({ ...createTarget(settings, served), limits });
}

const never = (): Promise<never> => new Promise(() => {});

describe("a request", () => {
  const silent: Answer = () => {};
  const stalled: Answer = (_, response) => void response.writeHead(200).write("{");

  test.each([
    ["does not answer", silent],
    ["stops in the middle of its answer", stalled],
  ])("a request to a server that %s fails with a message that names request and limit", async (_, answer) => {
    testing(await serving(answer), { request: 0.2, rule: 60 });
    await expect(send({ path: "/api/v1/me" })).rejects.toThrow("no answer to GET /api/v1/me within 0.2 s");
  });
});

describe("a rule", () => {
  beforeEach(() => testing("http://127.0.0.1:9", { request: 60, rule: 0.3 }));

  test("a rule that does not end fails with a message that names its limit", () =>
    expect(runWithinLimit(never)).rejects.toThrow("the rule took longer than its limit of 0.3 s"));

  test("a rule that waits for the server's rate limit fails only when it takes too long without that time", async () => {
    const waiting = () => outsideOfRule(() => sleep(700)).then(() => {});
    await expect(runWithinLimit(waiting)).resolves.toBeUndefined();
    await expect(runWithinLimit(() => waiting().then(never))).rejects.toThrow("its limit of 0.3 s");
  });

  test("a rule that vitest ends has the same message", () => {
    const ofVitest =
      'Test timed out in 120000ms.\nIf this is a long-running test, pass a timeout value as the last argument or …"testTimeout".';
    expect(explainTimeout(ofVitest)).toBe("the rule took longer than its limit of 120 s");
    expect(explainTimeout(ofVitest.replace("Test", "Hook"))).toBe("the preparation of these rules took longer than its limit of 120 s");
    expect(explainTimeout("expected 200 to be 201")).toBe("expected 200 to be 201");
  });
});

const words = ["--profile", "interface", "--depth", "quick", "--seed", "1", "--only", "/^interface.(amount|types)$/"];

/** The rule files of each run that has ended, in their order. */
async function runsOf(run: Running, count: number): Promise<string[][]> {
  for (;;) {
    const runs = run.output().split(/^waiting: /m);
    if (runs.length > count)
      return runs.slice(0, -1).map((text) => [...text.matchAll(/^ {2}\S (interface\/\S+)/gm)].map(([, name = ""]) => name));
    if (run.child.exitCode !== null) throw new Error(run.output());
    await sleep(50);
  }
}

/** No rule about amounts fails, and some about types do. */
const untyped: Answer = (request, response, body) =>
  (Number(parsed(body).amount) > maxAmount ? always(422) : sound)(request, response, body);

test("--watch runs again on Enter and when a file changes, with the rule files that failed last first, until SIGINT", async () => {
  const run = startConformance(["--url", await serving(untyped), "--watch", ...words], { API_KEY: secret });
  expect(await runsOf(run, 1)).toEqual([["interface/amount", "interface/types"]]);
  run.child.stdin?.write("\n");
  expect((await runsOf(run, 2)).at(1)).toEqual(["interface/types", "interface/amount"]);
  const now = new Date();
  utimesSync(join(checkout, "conformance", "cases", "dates.json"), now, now);
  await runsOf(run, 3);
  run.child.kill("SIGINT");
  expect((await run.ended).code).toBe(1);
});
