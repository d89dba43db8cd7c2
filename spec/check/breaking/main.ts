// Compares generated/openapi.json with the contract that was last released (spec/released.json) and prints what breaks for
// clients. A deliberate breaking change is listed, word for word, in CHANGELOG.md under "### Breaking" of the unreleased section.
// A deprecated operation without valid dates is an error, too.

import { readFile } from "node:fs/promises";
import { checkout } from "../../../conformance/suite/contract/sources.ts";
import { unreleased } from "../changelog.ts";
import { deprecationFaults } from "../deprecations.ts";
import { breakingChanges, describeCompared } from "./contracts.ts";

const read = (file: string): Promise<string> => readFile(`${checkout}/${file}`, "utf8");

const [released, current, changelog] = await Promise.all([
  read("spec/released.json"),
  read("generated/openapi.json"),
  read("CHANGELOG.md"),
]);
const faults = deprecationFaults(JSON.parse(current));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);

const [before, now] = [JSON.parse(released), JSON.parse(current)];
const changes = breakingChanges(before, now);
const announced = unreleased(changelog, before.info.version)?.parts.Breaking ?? [];
const unannounced = changes.filter((change) => !announced.some((line) => line.includes(change)));

for (const change of changes) console.log(`${unannounced.includes(change) ? "BREAKING" : "breaking, listed in CHANGELOG.md"}  ${change}`);
if (unannounced.length > 0) {
  console.error(
    `${unannounced.length} change(s) break clients of the released contract. Change spec/ so that it only adds to the contract,` +
      ' or list each change, word for word as above, in CHANGELOG.md under "### Breaking".',
  );
  process.exit(1);
}
if (changes.length === 0) console.log(`No breaking changes for clients of ${before.info.version}: ${describeCompared(before, now)}.`);
