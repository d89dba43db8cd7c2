// Shards: parts of a run that take about the same time, and that merged are the whole run.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

import measured from "../../suite/command/measured.json" with { type: "json" };
import { measuredOf, measuredTimeOf } from "../../suite/command/measured.ts";
import { merge, mergeRuns, readRun } from "../../suite/command/merge.ts";
import { readSettings } from "../../suite/command/options.ts";
import { filesOfShard, ruleFamilies, selectRules } from "../../suite/command/rule-files.ts";
import { parseShard } from "../../suite/command/settings.ts";
import { UsageError } from "../../suite/command/usage-error.ts";
import { familyOf } from "../../suite/contract/offline-rules.ts";
import { badgeOf } from "../../suite/report/badge.ts";
import { digestsOf } from "../../suite/report/digest.ts";
import { headlineOf } from "../../suite/report/headline.ts";
import { htmlOf } from "../../suite/report/html.ts";
import type { Rule, Run } from "../../suite/report/run.ts";
import { conformance } from "./command.ts";
import { rule, runWith } from "./runs.ts";
import { foreign } from "./second-server.ts";

const all = selectRules({ profile: "contract", depth: "full", only: null }).files;
const shards = (count: number): string[][] =>
  Array.from({ length: count }, (_, at) => filesOfShard(all, { index: at + 1, count }, familyOf));

const shard = (index: number, count: number, rules: Rule[] = []): Run => runWith(rules, { shard: { index, count } });

test.each([1, 2, 4, 7, 300])("every rule file is in exactly one of %i shards", (count) =>
  expect(shards(count).flat().sort()).toEqual(all.toSorted()),
);

test("four shards differ by less than the slowest rule file", () => {
  const times = (files: readonly string[]) => files.map((file) => measuredTimeOf(familyOf(file)));
  const sums = shards(4).map((files) => times(files).reduce((sum, time) => sum + time, 0));
  expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(Math.max(...times(all)));
});

test("at least nineteen in twenty rule files were measured, and each that was is still there", () => {
  const families = ruleFamilies();
  const missing = families.filter((family) => measuredOf(family) === null);
  const gone = Object.keys(measured).filter((family) => !families.includes(family));
  const advice = `missing: ${missing.join(", ") || "none"}; gone: ${gone.join(", ") || "none"}. Renew conformance/suite/command/measured.json: make conformance, then node conformance/suite/command/measure.ts`;
  expect(missing.length, advice).toBeLessThanOrEqual(families.length / 20);
  expect(gone, advice).toEqual([]);
});

test.each(["0/4", "5/4", "1", "1/0", "a/b", "-1/4", "1/4/2"])("--shard %s is wrong usage", (text) => {
  expect(parseShard(text)).toBeNull();
  expect(() => readSettings(["--shard", text])).toThrow(UsageError);
});

test("merged shards have the rules, the requests and the digest of one run", { timeout: 300_000 }, async () => {
  const words = [
    "--profile",
    "interface",
    "--depth",
    "quick",
    "--seed",
    "5",
    "--only",
    "/^interface.(amount|currency|identifier|message)$/",
  ];
  const folder = mkdtempSync(join(tmpdir(), "namjai-shards-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = await foreign();
  const reportOf = async (name: string, more: string[]): Promise<string> => {
    const report = join(folder, name);
    expect((await conformance([...words, ...more], env, report)).code).toBe(0);
    return report;
  };
  const whole = readRun(await reportOf("whole", []));
  const parts = [await reportOf("1", ["--shard", "1/2"]), await reportOf("2", ["--shard", "2/2"])];
  const merged = merge(parts, join(folder, "merged"));
  const outcomes = (rules: typeof whole.rules) => rules.map(({ family, title, state, digest }) => [family, title, state, digest]).sort();
  expect(outcomes(merged.rules)).toEqual(outcomes(whole.rules));
  expect(digestsOf(merged.rules)).toEqual(digestsOf(whole.rules));
  expect(merged.verdict).toBe("passed");
  expect(readRun(join(folder, "merged"))).toEqual(merged);
  expect(readFileSync(join(folder, "merged", "junit.xml"), "utf8")).toContain(`tests="${whole.rules.length}"`);
});

test("reports of a shard say that it is one part of a run, and its badge is grey", () => {
  const run = shard(1, 4, [rule()]);
  expect(headlineOf(run).text).toBe("no rule failed; the one rule was run; only shard 1 of 4, one part of a run");
  expect(JSON.parse(badgeOf(run))).toMatchObject({ message: "incomplete: shard 1 of 4", color: "lightgrey" });
  expect(htmlOf(run)).toContain("Passed within --shard 1/4");
});

describe("runs that are not shards of one run are not merged", () => {
  test("runs with different seeds are not merged", () =>
    expect(() => mergeRuns([runWith([]), runWith([], { seed: 2 })])).toThrow("differ in seed: 5 and 2"));

  test("runs that contain the same rule are not merged", () =>
    expect(() => mergeRuns([shard(1, 2, [rule()]), shard(2, 2, [rule()])])).toThrow("two of the runs contain the rule"));

  test("a run that failed makes the merged run fail", () =>
    expect(mergeRuns([shard(1, 2), { ...shard(2, 2), verdict: "failed" }]).verdict).toBe("failed"));

  test.each([
    ["of which some are missing", [shard(2, 4), shard(3, 4)], "merge needs all 4 shards: 1/4, 4/4 missing"],
    ["of which one is given twice", [shard(1, 2), shard(1, 2)], "two of the runs are shard 1/2"],
    ["of different numbers of parts", [shard(1, 2), shard(2, 3)], "shards of different runs: of 2 and of 3"],
    ["of which one is a whole run", [shard(1, 2), runWith([])], "is no shard"],
  ])("shards %s are not merged: wrong usage", (_, runs, message) => {
    expect(() => mergeRuns(runs)).toThrow(UsageError);
    expect(() => mergeRuns(runs)).toThrow(message);
  });
});
