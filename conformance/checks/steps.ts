// The steps of `make check`. The steps of a stage run in parallel; the next stage starts when all of them have passed, so that type
// errors are reported before formatting.

export type Step = {
  name: string;
  command: readonly string[];
  /** Run after a failure: passes when `make format` fixes everything that is wrong. */
  exceptFormat?: readonly string[];
};

// Webhooks have no operationId: programs made from the contract must not offer to call them. TypeSpec gives every operation one.
const lintOfContract = [
  ...["redocly", "lint", "generated/openapi.json", "--extends=recommended-strict"],
  ...["--skip-rule=operation-4xx-response", "--skip-rule=operation-operationId"],
];

const node = (file: string): string[] => ["node", `conformance/${file}`];

/** TypeScript's native compiler, at a third of the cost of the one in JavaScript, whose API openapi-typescript needs. Both are named `tsc`. */
export const typeCheck = ["node", "node_modules/typescript-native/bin/tsc", "--noEmit"] as const;

export const stages: readonly (readonly Step[])[] = [
  [
    { name: "types", command: typeCheck },
    { name: "types of web pages", command: [...typeCheck, "--project", "src/web/page"] },
    { name: "generated/ is what spec/ compiles to", command: node("checks/drift.ts") },
    { name: "breaking changes", command: node("breaking/main.ts") },
    { name: "lint of the contract", command: lintOfContract },
    { name: "rules of every operation", command: node("checks/operations-main.ts") },
    { name: "lock file", command: node("checks/lock-file-main.ts") },
  ],
  [
    { name: "lint and format", command: ["biome", "check", "--error-on-warnings"], exceptFormat: ["biome", "lint", "--error-on-warnings"] },
    { name: "format of spec/", command: ["tsp", "format", "--check", "spec/**/*.tsp"], exceptFormat: ["true"] },
  ],
];
