// The steps of `make check`. The steps of a stage run in parallel; the next stage starts when all of them have passed, so that type
// errors are reported before formatting.

export type Step = {
  name: string;
  command: readonly string[];
  /** The files that its outcome depends on: where none has changed since it passed, it is not run. A step without is always run. */
  reads?: RegExp;
  /** It is given the changed files as arguments, unless one of its settings has changed. */
  judgesEachFileAlone?: true;
  settings?: RegExp;
  /** Run after a failure: passes when `make format` fixes everything that is wrong. */
  exceptFormat?: readonly string[];
};

const lintOfContract = ["redocly", "lint", "generated/openapi.json", "generated/openapi-3.2.json"]; // its rules: redocly.yaml

const node = (file: string, ...options: string[]): string[] => ["node", `spec/check/${file}`, ...options];

/** TypeScript's native compiler, at a third of the cost of the one in JavaScript, whose API openapi-typescript needs. Both are named `tsc`. */
export const typeCheck = ["node", "node_modules/typescript-native/bin/tsc", "--noEmit"] as const;

const typed = /\.(ts|js|json)$/;

export const stages: readonly (readonly Step[])[] = [
  [
    { name: "types", command: typeCheck, reads: typed },
    { name: "types of web pages", command: [...typeCheck, "--project", "src/overlay-pages/page"], reads: typed },
    {
      name: "generated/ is what spec/ compiles to",
      command: node("drift.ts"),
      reads: /^(spec\/|generated\/(?!overlay\/|fonts\/))|^tspconfig\.yaml$/,
    },
    {
      name: "generated/overlay/ is what its pages are bundled to",
      command: node("bundle-pages.ts", "--check"),
      reads: /^(src\/(base|overlay-pages|ui)|generated\/(overlay|fonts))\//,
    },
    { name: "git tracks generated/", command: node("git-files.ts") },
    { name: "breaking changes", command: node("breaking/main.ts") },
    { name: "lint of the contract", command: lintOfContract, reads: /^generated\/openapi|^redocly/ },
    { name: "rules of every operation", command: node("operations-main.ts"), reads: /^(conformance|generated|spec|src\/ops\/upgrade)\// },
    { name: "lock file", command: node("lock-file.ts") },
  ],
  [
    {
      name: "lint and format",
      command: ["biome", "check", "--error-on-warnings", "--no-errors-on-unmatched"],
      exceptFormat: ["biome", "lint", "--error-on-warnings", "--no-errors-on-unmatched"],
      reads: /^(spec|src|conformance)\/|^[^/]+\.json$/,
      judgesEachFileAlone: true,
      settings: /^(biome|package|tsconfig)\.json$|^\.gitignore$/,
    },
    { name: "format of spec/", command: ["tsp", "format", "--check", "spec/**/*.tsp"], exceptFormat: ["true"], reads: /^spec\/|^[^/]+$/ },
  ],
];
