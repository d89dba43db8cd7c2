// What `make check` runs. Steps of a stage run side by side; the next stage begins when all of one have passed, so that a type that
// does not fit is told before a line that is too long.

export type Step = {
  name: string;
  command: readonly string[];
  /** Passes where the only fault is one that `make format` mends; tried after a failure. */
  exceptFormat?: readonly string[];
};

const node = (file: string): string[] => ["node", `conformance/${file}`];

export const stages: readonly (readonly Step[])[] = [
  [
    { name: "types", command: ["tsc", "--noEmit"] },
    { name: "types of pages", command: ["tsc", "--noEmit", "--project", "src/web/page"] },
    { name: "generated/ is what spec/ compiles to", command: node("checks/drift.ts") },
    { name: "breaking changes", command: node("breaking/main.ts") },
    {
      name: "lint of the contract",
      command: ["redocly", "lint", "generated/openapi.json", "--extends=recommended-strict", "--skip-rule=operation-4xx-response"],
    },
    { name: "lock file", command: node("checks/lock-file-main.ts") },
  ],
  [
    { name: "lint and format", command: ["biome", "check", "--error-on-warnings"], exceptFormat: ["biome", "lint", "--error-on-warnings"] },
    { name: "format of spec/", command: ["tsp", "format", "--check", "spec/**/*.tsp"], exceptFormat: ["true"] },
  ],
];
