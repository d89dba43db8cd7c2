// What must agree before a version is released: package.json, the contract, CHANGELOG.md. Pure.

import { type Section, topSection } from "./changelog.ts";
import { deprecatedOperations, operationsOf, yearAfter } from "./deprecations.ts";

export type Contract = { info: { version: string } };

export type Release = {
  packageVersion: string;
  contract: Contract;
  /** The contract that was released last. */
  released: Contract;
  changelog: string;
  /** The day of the release, `2026-12-01`. */
  today: string;
};

/** Everything that is in the way of the release, in words. */
export function releaseFaults(release: Release): string[] {
  const section = topSection(release.changelog);
  if (!section) return ["CHANGELOG.md has no section"];
  return [...versionFaults(release, section.name), ...unsaid(release, section), ...tooSoon(release)];
}

function versionFaults({ packageVersion, contract, released }: Release, top: string): string[] {
  const { version } = contract.info;
  const changed = JSON.stringify(contract) !== JSON.stringify(released);
  return [
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`spec/main.tsp: the version must be like 1.2.3, not ${version}`]),
    ...(packageVersion === version
      ? []
      : [`package.json has the version ${packageVersion}, and the contract (spec/main.tsp) has ${version}`]),
    ...(top === version ? [] : [`CHANGELOG.md: its top section is "${top}", and should be "${version}" with the day of the release`]),
    ...(changed && !isAbove(version, released.info.version)
      ? [`spec/main.tsp: the contract has changed since ${released.info.version}, and its version must be above that, not ${version}`]
      : []),
  ];
}

/** What clients must be told, and the changelog does not name. */
function unsaid({ contract, released }: Release, { name, parts }: Section): string[] {
  const before = operationsOf(released).map(({ operationId }) => operationId);
  const added = operationsOf(contract).filter(({ operationId }) => !before.includes(operationId));
  const says = (part: string, word: string) => (parts[part] ?? []).some((line) => line.includes(`\`${word}\``));
  return [
    ...added.map(({ operationId }) => ["Added", operationId] as const),
    ...newlyDeprecated({ contract, released }).map(({ operationId }) => ["Deprecated", operationId] as const),
  ]
    .filter(([part, operationId]) => !says(part, operationId))
    .map(([part, operationId]) => `CHANGELOG.md: no line under "### ${part}" of "${name}" names \`${operationId}\``);
}

/** The year begins when clients can first hear of it. */
function tooSoon({ contract, released, today }: Release): string[] {
  return newlyDeprecated({ contract, released })
    .filter(({ "x-deprecation": { sunset } }) => sunset < yearAfter(today))
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
