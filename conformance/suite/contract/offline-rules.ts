// Families of rules, and those that send no request: they cost a server nothing, so every run includes them.

import type { TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    offline?: true;
  }
}

/** Rule files of which no rule sends a request, by family. */
export const offlineFamilies: readonly string[] = [
  "derived/deriver",
  "interface/oracle",
  "interface/published-contract",
  "transport/contract",
  "transport/coverage",
];

/** Marks a single rule of another file: `test("the title", offline, () => …)`. */
export const offline = { meta: { offline: true } } as const;

/** Returns the rule family of a file, its folder and name: `donations/created-at`, `interface/created-at`. */
export const familyOf = (file: string): string => file.replace(/^rules\//, "").replace(/\.test\.ts$/, "");

type Test = TestContext["task"];

export const isOffline = ({ meta, file }: Test): boolean => isOfflineRule(meta, familyOf(file.name));

/** The same by the rule's meta data and the family of its file. */
export const isOfflineRule = ({ offline }: Test["meta"], family: string): boolean => offline === true || offlineFamilies.includes(family);

/** Throws when a rule that is listed as offline sends a request: quick runs could not leave it out. */
export function expectOnline(test: Test): void {
  if (isOffline(test))
    throw new Error(
      `bug of the suite: "${test.fullName}" sends a request, but suite/contract/offline-rules.ts lists it or it is marked as offline`,
    );
}
