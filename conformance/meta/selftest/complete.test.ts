// --complete: a run in which no rule failed, but not everything required was tried, has an exit code of its own.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

import { merge } from "../../suite/command/merge.ts";
import { exitCodeOf } from "../../suite/command/run.ts";
import { conformanceFolder } from "../../suite/contract/test-files.ts";
import { writeEvents } from "../../suite/report/events.ts";
import type { Run } from "../../suite/report/run.ts";
import { conformance } from "./command.ts";
import { failedRule, incompleteRun, knownRun, passedRun, rule, runWith, skippedRule } from "./runs.ts";
import { foreign } from "./second-server.ts";

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
