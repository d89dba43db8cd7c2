// Known failures (--baseline) and counterexamples of earlier runs (--corpus).

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";

import type { KnownFailure } from "../../suite/command/baseline.ts";
import { conformance, type Outcome, secret } from "./command.ts";
import { always, parsed, serving, sound } from "./fakes.ts";

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
