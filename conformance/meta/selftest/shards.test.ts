// Shards: parts of a run that take about the same time, and that merged are the whole run; and --complete: a run in which no rule failed, but not everything
// required was tried, has an exit code of its own.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import measured from "../../suite/command/measured.json" with { type: "json" };
import { measuredOf, measuredTimeOf } from "../../suite/command/measured.ts";
import { readSettings } from "../../suite/command/options.ts";
import { merge, mergeRuns, readRun } from "../../suite/command/results.ts";
import { filesOfShard, ruleFamilies, selectRules } from "../../suite/command/rule-files.ts";
import { exitCodeOf } from "../../suite/command/run.ts";
import { parseShard } from "../../suite/command/settings.ts";
import { UsageError } from "../../suite/command/usage-error.ts";
import { familyOf } from "../../suite/contract/offline-rules.ts";
import { conformanceFolder } from "../../suite/contract/sources.ts";
import { writeEvents } from "../../suite/report/events.ts";
import { badgeOf } from "../../suite/report/formats.ts";
import { headlineOf } from "../../suite/report/headline.ts";
import { htmlOf } from "../../suite/report/html.ts";
import { digestsOf, type Rule, type Run } from "../../suite/report/run.ts";
import { conformance, foreign } from "./command.ts";
import { failedRule, incompleteRun, knownRun, passedRun, rule, runWith, skippedRule } from "./runs.ts";

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

const quickOnly = (only: string): string[] => ["--profile", "interface", "--depth", "quick", "--seconds", "0", "--only", only];

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "namjai-complete-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test.each<[string, Run, number, number]>([
  ["a run that passed", passedRun(), 0, 0],
  ["a run with known failures", knownRun(), 0, 0],
  ["a run that lacks a credential", incompleteRun(), 0, 3],
  ["a run without the time for all values", runWith([rule({ leftOutForTime: 1 })]), 0, 3],
  ["a run that leaves out rules by its depth", runWith([rule(), skippedRule({ required: false })]), 0, 0],
  ["a run that failed", runWith([failedRule(), skippedRule()]), 1, 1],
  ["a run without a result", runWith([], { verdict: "not measurable" }), 2, 2],
])("%s has the exit code %3$i, with --complete %4$i", (_, run, usual, complete) =>
  expect([exitCodeOf(run, false), exitCodeOf(run, true)]).toEqual([usual, complete]),
);

test("a run that lacks a credential exits with 3 only with --complete, and says so in its last line", async () => {
  const { READ_API_KEY, ...server } = await foreign();
  const usual = await conformance(quickOnly("/^interface.authorization$/"), server);
  const complete = await conformance([...quickOnly("/^interface.authorization$/"), "--complete"], server);
  expect([usual.code, complete.code]).toEqual([0, 3]);
  expect(complete.output).toMatch(/\nincomplete: .*for want of READ_API_KEY.*\n.*\nexit code 3: incomplete\n$/);
  expect(READ_API_KEY).toBeTruthy();
});

test("merged shards exit with 3 when one of them was incomplete, only with --complete", () => {
  const folder = temporaryFolder();
  const parts = [runWith([skippedRule()]), runWith([rule({ title: "b" })])].map((run, at) => {
    const part = join(folder, String(at + 1));
    execFileSync("mkdir", [part]);
    writeEvents(join(part, "events.ndjson"), { ...run, shard: { index: at + 1, count: 2 } });
    return part;
  });
  const merged = merge(parts, join(folder, "merged"));
  expect([exitCodeOf(merged, false), exitCodeOf(merged, true)]).toEqual([0, 3]);
});

test("make and the script of the GitHub action pass --complete on only when it is asked for", () => {
  const words = ["--no-print-directory", "--dry-run", "--assume-old=install", "conformance"];
  const made = (...more: string[]): string =>
    spawnSync("make", [...words, ...more], { cwd: join(conformanceFolder, ".."), encoding: "utf8" }).stdout;
  expect([made(), made("COMPLETE=1")]).toEqual([expect.not.stringContaining("--complete"), expect.stringContaining("--complete")]);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "npx"), '#!/bin/sh\necho "$@"\n');
  chmodSync(join(folder, "npx"), 0o755);
  const inputs = {
    SUITE_URL: "u",
    SUITE_PROFILE: "interface",
    SUITE_DEPTH: "quick",
    SUITE_REPORT: "r",
    SUITE_SEED: "",
    SUITE_PACKAGE: "p",
  };
  const ran = (complete: string): string => {
    const env = { ...inputs, SUITE_COMPLETE: complete, PATH: `${folder}:${process.env.PATH}` };
    return spawnSync(join(conformanceFolder, "package", "action.sh"), { env, encoding: "utf8" }).stdout;
  };
  expect([ran("false"), ran("true")]).toEqual([expect.not.stringContaining("--complete"), expect.stringContaining("--complete")]);
  expect(readFileSync(join(conformanceFolder, "package", "action.yml"), "utf8")).toMatch(/SUITE_COMPLETE: \$\{\{ inputs\.complete \}\}$/m);
});
