// Part of `make release`: exits with 1 and prints the reasons while version, contract and changelog do not agree.

import { readFile } from "node:fs/promises";
import { checkout } from "../../conformance/suite/contract/sources.ts";
import { releaseFaults } from "./release.ts";

const read = (file: string): Promise<string> => readFile(`${checkout}/${file}`, "utf8");

const faults = releaseFaults({
  packageVersion: JSON.parse(await read("package.json")).version,
  contract: JSON.parse(await read("generated/openapi.json")),
  released: JSON.parse(await read("spec/released.json")),
  changelog: await read("CHANGELOG.md"),
  today: new Date().toISOString().slice(0, 10),
});
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error('Not released. Fix the faults above; see "Releasing a version" in docs/recipes.md.');
  process.exit(1);
}
