// What differs between the package and the project: a few modules that read the project's folders, and the one that starts vitest.

import { join, relative } from "node:path";
import type { Plugin } from "esbuild";

import { conformanceFolder, testFilesIn } from "../suite/contract/test-files.ts";
import { assets } from "../suite/report/assets.ts";

/** The text of the module that stands in the bundle for a module of the project, by its path relative to `conformance/`. */
const replacements: Record<string, () => string> = {
  "suite/command/vitest.ts": () => `export { openVitest, preloadVitest } from "../../package/runner.ts";`,
  "suite/contract/test-files.ts": () =>
    `const files = ${JSON.stringify(ruleFiles())};\nexport const testFilesIn = (name) => files.filter((file) => file.startsWith(name + "/"));`,
  "suite/contract/sources.ts": () => `export const hasSources = false;\nexport const checkout = "";\nexport const node = process.execPath;`,
  "package/rule-modules.ts": () =>
    `const modules = {\n${ruleFiles()
      .map((file) => `  ${JSON.stringify(file)}: () => import(${JSON.stringify(`../${file}`)}),\n`)
      .join("")}};
export const importRules = (file) => modules[file]();`,
  "suite/report/assets.ts": () => `export const assets = ${JSON.stringify(assets)};`,
};

const ruleFiles = (): string[] => ["interface", "derived", "rules"].flatMap(testFilesIn);

/** Makes esbuild load these modules instead of the project's. */
export const ownModules: Plugin = {
  name: "own-modules",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/conformance\/.*\.ts$/ }, ({ path }) => {
      const contents = replacements[relative(conformanceFolder, path)]?.();
      return contents === undefined ? undefined : { contents, loader: "ts", resolveDir: join(path, "..") };
    }),
};
