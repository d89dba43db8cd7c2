// Compares generated/openapi.json with the contract as it was last released (spec/released.json) and names what breaks for
// clients. A deliberate change is named, word for word, in a line of CHANGELOG.md under "### Breaking" of the unreleased part.
// An operation that is deprecated must say until when it answers.

import { readFile } from "node:fs/promises";
import { unreleased } from "../checks/changelog.ts";
import { deprecationFaults } from "../checks/deprecations.ts";
import { checkout } from "../harness/server/start-server.ts";
import { breakingChanges } from "./contracts.ts";

const read = (file: string): Promise<string> => readFile(`${checkout}/${file}`, "utf8");

const [released, current, changelog] = await Promise.all([
  read("spec/released.json"),
  read("generated/openapi.json"),
  read("CHANGELOG.md"),
]);
const faults = deprecationFaults(JSON.parse(current));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);

const changes = breakingChanges(JSON.parse(released), JSON.parse(current));
const deliberate = unreleased(changelog, JSON.parse(released).info.version)?.parts.Breaking ?? [];
const unsaid = changes.filter((change) => !deliberate.some((line) => line.includes(change)));

for (const change of changes) console.log(`${unsaid.includes(change) ? "BREAKS" : "breaks, as CHANGELOG.md says"}  ${change}`);
if (unsaid.length > 0) {
  console.error(
    `${unsaid.length} change(s) would break clients of the released contract. Change spec/ so that it only adds,` +
      ' or name each in CHANGELOG.md under "### Breaking", word for word as above.',
  );
  process.exit(1);
}
if (changes.length === 0) console.log("Nothing breaks for clients of the released contract.");
