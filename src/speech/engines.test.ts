import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = import.meta.dirname;

/** Files of speech engines; bounded-speaker.ts wraps any of them. */
const engines = readdirSync(folder).filter((file) => /-speaker\.ts$/.test(file) && !/^(?:choose|bounded)-/.test(file));

test("every speech engine has a test file beside it", () => {
  const tests = engines.map((file) => file.replace(/\.ts$/, ".test.ts"));
  expect(tests.filter((file) => !existsSync(join(folder, file))).map((file) => `src/speech/${file} is missing`)).toEqual([]);
});

test("every speech engine can be chosen by the operator", () => {
  const choice = readFileSync(join(folder, "choose-speaker.ts"), "utf8");
  expect(
    engines.filter((file) => !choice.includes(`"./${file}"`)).map((file) => `src/speech/choose-speaker.ts does not choose ${file}`),
  ).toEqual([]);
});
