// A rule that a run leaves out must be listed as "not run" with the reason: one that is not even declared is missing from every count.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { conformanceFolder, testFilesIn } from "../../suite/contract/test-files.ts";
import { conformance, secret } from "./command.ts";
import { serving, sound } from "./fakes.ts";

const files = ["rules", "interface", "derived"].flatMap(testFilesIn);

test.each(files)("%s leaves no rule out without a reason: it uses context.skip, not runIf, skipIf, skip or todo of vitest", (file) => {
  const text = readFileSync(`${conformanceFolder}${file}`, "utf8");
  expect(text.match(/\b(?:test|describe|it)\b.*\.(?:runIf|skipIf|skip|todo)\b.*/g) ?? []).toEqual([]);
});

test("rules about two streamers that the operator's CLI creates are not run on a server of someone else, and the run is incomplete", async () => {
  const env = { API_KEY: secret, OTHER_API_KEY: secret };
  const { code, output } = await conformance(["--url", await serving(sound), "--only", "/^donations.two-streamers$/"], env);
  expect(output).toMatch(/^12 rules: 0 passed, 0 failed, 11 not run/m);
  expect([code, output]).toEqual([0, expect.stringMatching(/^incomplete: .*for want of the operator's CLI \(11\)/m)]);
});
