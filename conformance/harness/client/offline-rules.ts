import type { TestContext } from "vitest";

// Rules that send no request: they cost a server nothing and always run, however little time there is.

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

type Test = TestContext["task"];

export const isOffline = ({ meta, file }: Test): boolean =>
  meta.offline === true || offlineFamilies.includes(file.name.replace(/^rules\//, "").replace(/\.test\.ts$/, ""));

/** Throws where a rule that is said to send no request sends one: it would run where there is no time for it. */
export function expectOnline(test: Test): void {
  if (isOffline(test))
    throw new Error(
      `bug of the suite: "${test.fullName}" sends a request and stands in harness/client/offline-rules.ts, or is marked as offline`,
    );
}
