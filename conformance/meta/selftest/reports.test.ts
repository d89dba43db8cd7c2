// What whole runs write and read again: reports against the second server of second-server/, known failures (--baseline), and counterexamples of earlier runs
// (--corpus).

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { KnownFailure } from "../../suite/command/baseline.ts";
import { tableOf, writeTable } from "../../suite/command/results.ts";
import { resultOf, yamlOf } from "../../suite/report/result.ts";
import type { Run } from "../../suite/report/run.ts";
import { formats } from "../../suite/report/write.ts";
import { always, conformance, conformanceOfProject, foreign, type Outcome, parsed, secret, serving, sound } from "./command.ts";
import { failedRule, incompleteRun, killMatrix, knownRun, passedRun, rule, runWith } from "./runs.ts";

const words = ["--profile", "interface", "--depth", "quick", "--seconds", "0"];
const digestOf = ({ output }: Outcome): string => /^digest +interface\/ (\w{16})/m.exec(output)?.[1] ?? output;
const files = [...Object.keys(formats), "events.ndjson", "requests.har"];

test("a run against a server that implements the interface exits with 0, and every report says passed", async () => {
  const env = await foreign();
  const { code, output, report } = await conformance([...words, "--only", "/amount|currency|authorization/", "--har"], env);
  expect([code, output]).toEqual([0, expect.stringMatching(/\d+ passed, 0 failed, 0 not run/)]);
  expect(output).toMatch(/^interface\/amount +\d/m);
  expect(output).toMatch(/^edge cases: (\d+) of \1 tried$/m);
  expect(report("report.html")).toContain("Passed within --depth quick and --only");
  expect(report("result.yaml")).toMatch(/^outcome: "passed"$/m);
  expect(JSON.parse(report("badge.json"))).toMatchObject({ color: "lightgrey", isError: false });
  expect(report("junit.xml")).toMatch(/<testsuites name="conformance" tests="\d+" failures="0" errors="0"/);
  const events = report("events.ndjson").trim().split("\n");
  expect(events.map((line) => JSON.parse(line).event)).toEqual(["start", ...Array(events.length - 2).fill("rule"), "end"]);
  expect(JSON.parse(report("requests.har")).log.entries.length).toBeGreaterThan(50);
  for (const text of [output, ...files.map(report)])
    for (const secret of [env.API_KEY, env.READ_API_KEY, env.OAUTH_CLIENT_SECRET, env.OAUTH_ACCESS_TOKEN])
      expect(text).not.toContain(secret);
});

test("a run against a server with a bug exits with 1 and prints rule, value, request, answer and the command that repeats the failure", async () => {
  const env = await foreign("zero-amount");
  const { code, output, report } = await conformanceOfProject([...words, "--seed", "7", "--only", "/^interface.amount$/"], env);
  expect(code, output).toBe(1);
  expect(output).toMatch(/^FAILED {2}interface\/amount > .*\(interface 2\.1\)$/m);
  expect(output).toMatch(/^ {2}request +curl -i -X POST -H "Authorization: Bearer \$API_KEY" .*"amount":\s*-?0/m);
  expect(output).toMatch(/^ {2}answer +202 /m);
  const [, replay = ""] = /^ {2}replay +make conformance (.*)$/m.exec(output) ?? [];
  expect(replay).toMatch(/^URL=\S+ PROFILE=interface DEPTH=quick CORPUS=\S+ SEED=7\S* ONLY='.*'$/);
  for (const text of ["report.html", "junit.xml", "conformance.sarif", "summary.md"].map(report))
    expect(text).toMatch(/PROFILE=interface DEPTH=quick CORPUS=\S+ SEED=7/);
  const [, seed = "", only = ""] = /SEED=(\S+) ONLY='(.*)'$/.exec(replay) ?? [];
  const again = await conformanceOfProject([...words, "--seed", seed, "--only", only], env);
  expect([again.code, again.output]).toEqual([1, expect.stringContaining(`> ${only}`)]);
});

/** Rule files with drawn texts, numbers, bytes and credentials; package.test.ts compares the digests of all rule files. */
const varied = "/^interface.(authorization|amount|id|json-text|oauth|types)/";

test("the same seed sends the same bytes to another server with other credentials, and another seed sends other bytes", async () => {
  const run = async (seed: string): Promise<string> =>
    digestOf(await conformance([...words, "--only", varied, "--seed", seed], await foreign()));
  const [one, again, other] = await Promise.all([run("7"), run("7"), run("8")]);
  expect(one).toMatch(/^\w{16}$/);
  expect(again).toBe(one);
  expect(other).not.toBe(one);
});

test("a run in a job of GitHub appends its summary and prints ::error lines at the contract's member", async () => {
  const folder = mkdtempSync(join(tmpdir(), "namjai-selftest-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const summary = join(folder, "summary.md");
  const env = { ...(await foreign("zero-amount")), GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
  const { output } = await conformance([...words, "--only", "/^interface.amount$/"], env);
  expect(output).toMatch(/^::error file=spec\/donations\.tsp,line=\d+,title=interface\/amount::/m);
  expect(readFileSync(summary, "utf8")).toContain("## ❌ Conformance: failed");
});

test("a run without OTHER_API_KEY is incomplete, its badge is grey, and the headline names the key", async () => {
  const { OTHER_API_KEY: _, READ_API_KEY: __, ...env } = (await foreign()) as Record<string, string>;
  const { code, output, report } = await conformance([...words, "--only", "/authorization/"], env);
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(
      /^incomplete: no rule failed; \d+ % of the rules(?: that ask the server)? were not run, for want of .*READ_API_KEY/m,
    ),
  ]);
  expect(JSON.parse(report("badge.json")).color).toBe("lightgrey");
  expect(report("report.html")).toContain("Incomplete: not everything required was tried");
});

describe("table DIR", () => {
  const table = (folder: string): string => {
    try {
      return writeTable(folder);
    } catch (error) {
      return String(error);
    }
  };

  test("the table of a folder is one page with every implementation and the kill matrix", () => {
    const folder = mkdtempSync(join(tmpdir(), "namjai-selftest-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, run] of [
      ["ours", passedRun()],
      ["other", incompleteRun()],
      ["mutants/x", runWith([failedRule()], { implementation: "a mutant" })],
    ] as const) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, "result.yaml"), yamlOf({ ...run, implementation: name }));
    }
    writeFileSync(join(folder, "mutants", "matrix.json"), JSON.stringify(killMatrix()));
    expect(table(folder)).toBe(`${join(folder, "index.html")}: 2 results, 1 kill matrices\n`);
    const page = readFileSync(join(folder, "index.html"), "utf8");
    for (const text of ["ours", "other", "1 of 2 mutants killed", "x is &lt;lost&gt;"]) expect(page).toContain(text);
    expect(page).not.toContain("mutants/x");
  });

  test("a table is green for whole runs alone: those of a shard, a selection and a sample have passed in part, and one with known failures is amber", () => {
    const outcomeIn = (run: Run): string | undefined => /<td>(<b class="outcome.*?<\/b>)<\/td>/.exec(tableOf([resultOf(run)], []))?.[1];
    const partial: Partial<Run>[] = [
      { shard: { index: 1, count: 4 } },
      { changedSince: "main" },
      { only: "amount" },
      { depth: "quick", leftOut: [{ family: "a", reason: "slow" }] },
    ];
    for (const members of partial) expect(outcomeIn(runWith([rule()], members))).toBe('<b class="outcome incomplete">passed in part</b>');
    expect(outcomeIn(runWith([failedRule()], { shard: { index: 1, count: 4 } }))).toBe('<b class="outcome failed">failed</b>');
    expect([passedRun(), knownRun()].map(outcomeIn)).toEqual([
      '<b class="outcome passed">passed</b>',
      '<b class="outcome known">passed</b>',
    ]);
  });

  test("a table says beside each outcome what was run: profile, depth, unit of lengths, selection and shard", () => {
    const run = { profile: "interface", lengthUnit: "graphemes", only: "amount", changedSince: "main", shard: { index: 1, count: 4 } };
    expect(tableOf([resultOf(runWith([rule()], run))], [])).toContain(
      "<td>interface, full, lengths in graphemes, only amount, changed since main, shard 1/4</td>",
    );
  });

  test("a folder that is missing or has no result is refused, and so is a file that is no result", () => {
    const folder = mkdtempSync(join(tmpdir(), "namjai-selftest-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(table(join(folder, "x"))).toContain("there is no folder");
    expect(table(folder)).toContain("there is no result.yaml and no matrix.json");
    writeFileSync(join(folder, "result.yaml"), "x");
    expect(table(folder)).toContain('result.yaml, line 1: expected "name: value"');
  });
});

const only = ["--profile", "interface", "--depth", "quick", "--only", "/^interface.amount$/"];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "namjai-selftest-baseline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const readEntries = (file: string): KnownFailure[] => JSON.parse(readFileSync(file, "utf8"));

/** Runs the rules of amounts against a server that accepts amounts that are too large. */
async function run(seed: string, ...more: string[]) {
  const url = await serving(sound);
  return conformance(["--url", url, "--seed", seed, ...only, ...more], {
    API_KEY: secret,
    NAMJAI_CONFORMANCE_STATE: join(folder, "state"),
  });
}

test("failures that --baseline-update wrote are known with another seed, and the run exits with 0", async () => {
  const file = join(folder, "known.json");
  expect((await run("1")).code).toBe(1);
  const updated = await run("1", "--baseline", file, "--baseline-update");
  expect(updated.code).toBe(0);
  const failures = updated.report("events.ndjson").match(/^.*"state":"failed".*$/gm) ?? [];
  for (const line of failures) expect(line).toContain('"known":{"reason":"not examined yet"');
  expect(readEntries(file).length).toBeGreaterThan(0);
  const { code, output, report } = await run("2", "--baseline", file);
  expect([code, output]).toEqual([0, expect.stringMatching(/KNOWN {3}interface\/amount > .*not examined yet/)]);
  expect(report("junit.xml")).toContain("known failure: not examined yet");
});

test("an expired entry is a failure, and one that names no rule is an error", async () => {
  const file = join(folder, "known.json");
  await run("1", "--baseline", file, "--baseline-update");
  const [first, ...others] = readEntries(file) as [KnownFailure, ...KnownFailure[]];
  const gone = { ...first, rule: "interface/amount > no such rule" };
  writeFileSync(file, JSON.stringify([{ ...first, expires: "2020-01-31" }, ...others, gone]));
  const { code, output } = await run("1", "--baseline", file);
  expect(code).toBe(1);
  expect(output).toContain(`FAILED  ${first.rule}`);
  expect(output).toContain(`was known until 2020-01-31`);
  expect(output).toContain('there is no rule "interface/amount > no such rule"');
});

test("an entry whose rule passes now is an error that says that it is fixed", async () => {
  const file = join(folder, "known.json");
  const rule = "interface/amount > amount > amount 0 is refused, the next double above it accepted (interface 2.1)";
  await run("1", "--baseline", file, "--baseline-update");
  const fixed = { rule, digest: "0".repeat(16), reason: "ticket 12", expires: "2999-12-31" };
  writeFileSync(file, JSON.stringify([...readEntries(file), fixed]));
  const { code, output } = await run("1", "--baseline", file);
  expect([code, output]).toEqual([1, expect.stringContaining(`"${rule}" passes now: fixed, remove the entry`)]);
});

test.each([
  [{ digest: "0".repeat(16), reason: "a", expires: "2999-12-31" }, "entry 1: rule must be"],
  [{ rule: "a > b", digest: "x", reason: "a", expires: "2999-12-31" }, "entry 1: digest must be"],
  [{ rule: "a > b", digest: "0".repeat(16), reason: " ", expires: "2999-12-31" }, "entry 1: reason must be"],
  [{ rule: "a > b", digest: "0".repeat(16), reason: "a", expires: "2999-02-30" }, "entry 1: expires must be"],
  [{ rule: "a > b", digest: "0".repeat(16), reason: "a", expires: "soon" }, "entry 1: expires must be"],
  [{ rule: "a > b", digest: "0".repeat(16), reason: "a", expires: "2999-12-31", extra: 1 }, "entry 1: extra is not a member"],
])("a baseline with the wrong entry %j is wrong usage", async (entry, message) => {
  const file = join(folder, "known.json");
  writeFileSync(file, JSON.stringify([entry]));
  const { code, output } = await conformance(["--url", "http://127.0.0.1:1", "--baseline", file]);
  expect([code, output]).toEqual([64, expect.stringContaining(message)]);
});

test("a shrunk counterexample is kept as data without a credential and tried first by the next run", async () => {
  const corpus = join(folder, "corpus");
  const first = await run("1", "--corpus", corpus);
  expect(first.code).toBe(1);
  const file = join(corpus, "interface", "amount.json");
  const entries = JSON.parse(readFileSync(file, "utf8")) as { rule: string; description: string; data: unknown }[];
  expect(entries.length).toBeGreaterThan(0);
  expect(readFileSync(file, "utf8")).not.toContain(secret);
});

test("a kept counterexample that no drawn value hits is tried first, whatever the seed is", async () => {
  const { output } = await runWithKept(5555555.5);
  expect(output).toContain(`FAILED  interface/amount > ${aboveMaximum}`);
  expect(output).toContain("value    5555555.5");
});

test("a kept counterexample that a changed bound has made sound is dropped and named, and no failure", async () => {
  const { output, kept, report } = await runWithKept(999_999.5);
  expect(output).not.toContain(`FAILED  interface/amount > ${aboveMaximum}`);
  expect(output).toContain("dropped 999999.5 from ");
  expect(output).toContain("this case should break one rule: amount most");
  expect(kept()).toEqual([]);
  expect(report("report.html")).toContain("dropped 999999.5 from ");
});

const aboveMaximum = "amount > amount above 1000000 is refused (interface 2.1)";

/** Runs the rules against a server that accepts 5555555.5 and no other amount above the maximum, with this value kept from an earlier run. */
async function runWithKept(data: number): Promise<Outcome & { kept: () => unknown }> {
  const corpus = join(folder, "corpus");
  const file = join(corpus, "interface", "amount.json");
  mkdirSync(join(corpus, "interface"), { recursive: true });
  writeFileSync(file, JSON.stringify([{ rule: aboveMaximum, description: String(data), data }]));
  const url = await serving((request, response, body) => {
    const { amount } = parsed(body);
    if (Number(amount) > 1_000_000 && amount !== 5555555.5) return always(422)(request, response, body);
    sound(request, response, body);
  });
  const outcome = await conformance(["--url", url, "--seed", "3", ...only, "--corpus", corpus]);
  return { ...outcome, kept: () => JSON.parse(readFileSync(file, "utf8")) };
}
