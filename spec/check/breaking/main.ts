// Compares generated/openapi.json with the contract that was last released (spec/released.json) and prints what breaks for
// clients. A deliberate breaking change is listed, word for word, in CHANGELOG.md under "### Breaking" of the unreleased section.
// A deprecated operation without valid dates is an error, too. What is new and not in CHANGELOG.md yet is named without failing.

import { readFile } from "node:fs/promises";
import { checkout } from "../../../conformance/suite/contract/sources.ts";
import { unnoted } from "../additions.ts";
import { sharedLines, unannounced, unreleased } from "../changelog.ts";
import { deprecationFaults } from "../deprecations.ts";
import { breakingChanges, describeCompared } from "./contracts.ts";

const newChoices =
  "A value that an answer did not have before is no mere addition: a client of the released contract may refuse an answer with it.";

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
const parts = unreleased(changelog, before.info.version)?.parts ?? {};
const announced = parts.Breaking ?? [];
const silent = unannounced(changes, announced);

for (const change of changes) console.log(`${silent.includes(change) ? "BREAKING" : "breaking, listed in CHANGELOG.md"}  ${change}`);
if (silent.length > 0) {
  console.error(
    `${silent.length} change(s) break clients of the released contract. Change spec/ so that it only adds to the contract,` +
      ' or list each change, word for word as above, in CHANGELOG.md under "### Breaking".',
  );
  for (const line of sharedLines(changes, silent)) console.error(`One line there is enough for changes that end alike:  ${line}`);
  if (silent.some((change) => change.includes(": can now be "))) console.error(newChoices);
  process.exit(1);
}
if (changes.length === 0) console.log(`No breaking changes for clients of ${before.info.version}: ${describeCompared(before, now)}.`);
for (const addition of unnoted(before, now, Object.values(parts).flat()))
  console.log(`New, and not named in CHANGELOG.md under "## Unreleased": ${addition}`);
