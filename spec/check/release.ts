// Part of `make release`: exits with 1 and prints the reasons while package.json, the contract and CHANGELOG.md do not agree.

import { readFile } from "node:fs/promises";
import { checkout } from "../../conformance/suite/contract/sources.ts";
import { unnoted } from "./additions.ts";
import { type Section, topSection } from "./changelog.ts";
import { deprecatedOperations, oneYearAfter } from "./deprecations.ts";

type Contract = { info: { version: string } };

type Release = {
  packageVersion: string;
  contract: Contract;
  /** The contract that was released last. */
  released: Contract;
  changelog: string;
  /** The day of the release, `2026-12-01`. */
  today: string;
};

/** Returns a message for everything that prevents the release. */
export function releaseFaults(release: Release): string[] {
  const section = topSection(release.changelog);
  if (!section) return ["CHANGELOG.md has no section"];
  return [...versionFaults(release, section.name), ...changelogFaults(release, section), ...sunsetFaults(release)];
}

function versionFaults({ packageVersion, contract, released }: Release, top: string): string[] {
  const { version } = contract.info;
  const changed = JSON.stringify(contract) !== JSON.stringify(released);
  return [
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`spec/main.tsp: the version must be like 1.2.3, not ${version}`]),
    ...(packageVersion === version
      ? []
      : [`package.json has the version ${packageVersion}, and the contract (spec/main.tsp) has ${version}`]),
    ...(top === version ? [] : [`CHANGELOG.md: its top section is "${top}", and must be "${version}" with the day of the release`]),
    ...(changed && !isAbove(version, released.info.version)
      ? [`spec/main.tsp: the contract has changed since ${released.info.version}, so its version must be higher than that, not ${version}`]
      : []),
  ];
}

/** What is new must be named in the changelog, and each newly deprecated operation under its own heading. */
function changelogFaults({ contract, released }: Release, { name, parts }: Section): string[] {
  const deprecated = newlyDeprecated({ contract, released }).map(({ operationId }) => operationId);
  const isNamed = (operationId: string) => parts.Deprecated?.some((line) => line.includes(`\`${operationId}\``));
  return [
    ...unnoted(released, contract, Object.values(parts).flat()).map((words) => `CHANGELOG.md: no line of "${name}" names ${words}`),
    ...deprecated
      .filter((operationId) => !isNamed(operationId))
      .map((operationId) => `CHANGELOG.md: no line under "### Deprecated" of "${name}" names \`${operationId}\``),
  ];
}

/** Clients have a year from the release that announces the deprecation. */
function sunsetFaults({ contract, released, today }: Release): string[] {
  return newlyDeprecated({ contract, released })
    .filter(({ "x-deprecation": { sunset } }) => sunset < oneYearAfter(today))
    .map(
      ({ operationId, "x-deprecation": { sunset } }) => `${operationId} ends on ${sunset}, less than a year after this release (${today})`,
    );
}

function newlyDeprecated({ contract, released }: Pick<Release, "contract" | "released">) {
  const before = deprecatedOperations(released).map(({ operationId }) => operationId);
  return deprecatedOperations(contract).filter(({ operationId }) => !before.includes(operationId));
}

function isAbove(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const place = a.findIndex((number, index) => number !== b[index]);
  return place >= 0 && (a[place] ?? 0) > (b[place] ?? 0);
}

if (import.meta.main) {
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
}
