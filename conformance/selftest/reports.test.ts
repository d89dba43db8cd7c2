// The reports of whole runs against the second server of foreign/.

import { expect, test } from "vitest";

import { conformance, type Outcome } from "./command.ts";
import { foreign } from "./foreign.ts";

const words = ["--profile", "interface", "--depth", "quick"];
const digestOf = ({ output }: Outcome): string => /^digest +interface\/ (\w{16})/m.exec(output)?.[1] ?? output;
const files = ["report.html", "junit.xml", "events.ndjson", "requests.har"];

test("a run against a server that implements the interface exits with 0, and every report says passed", async () => {
  const env = await foreign();
  const { code, output, report } = await conformance([...words, "--only", "/amount|currency|authorization/", "--har"], env);
  expect([code, output]).toEqual([0, expect.stringMatching(/\d+ passed, 0 failed, 0 not run/)]);
  expect(output).toMatch(/^interface\/amount +\d/m);
  expect(output).toMatch(/^edge cases: (\d+) of \1 tried$/m);
  expect(report("report.html")).toContain("Passed: the server conforms");
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
  const { code, output, report } = await conformance([...words, "--seed", "7", "--only", "/^interface.amount$/"], env);
  expect(code, output).toBe(1);
  expect(output).toMatch(/^FAILED {2}interface\/amount > .*\(interface 2\.1\)$/m);
  expect(output).toMatch(/^ {2}request +curl -i -X POST -H "Authorization: Bearer \$API_KEY" .*"amount":\s*-?0/m);
  expect(output).toMatch(/^ {2}answer +202 /m);
  const [, replay = ""] = /^ {2}replay +make conformance (.*)$/m.exec(output) ?? [];
  expect(replay).toMatch(/^URL=\S+ PROFILE=interface DEPTH=quick SEED=7\S* ONLY='.*'$/);
  for (const text of ["report.html", "junit.xml"].map(report)) expect(text).toContain("PROFILE=interface DEPTH=quick SEED=7");
  const [, seed = "", only = ""] = /SEED=(\S+) ONLY='(.*)'$/.exec(replay) ?? [];
  const again = await conformance([...words, "--seed", seed, "--only", only], env);
  expect([again.code, again.output]).toEqual([1, expect.stringContaining(`> ${only}`)]);
});

test("the same seed sends the same bytes to another server with other credentials, and another seed sends other bytes", async () => {
  const run = async (seed: string): Promise<string> => digestOf(await conformance([...words, "--seed", seed], await foreign()));
  const [one, again, other] = await Promise.all([run("7"), run("7"), run("8")]);
  expect(one).toMatch(/^\w{16}$/);
  expect(again).toBe(one);
  expect(other).not.toBe(one);
});
