// `make package`: builds the npm package namjai-conformance, a folder that `npm pack` and `npm publish` take. It has one file with the
// command, the rules, the cases and the contract.

import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build as bundle, type Metafile, type Plugin } from "esbuild";
import { conformanceFolder, testFilesIn } from "../suite/contract/sources.ts";
import { assets } from "../suite/report/assets.ts";

const folder = join(conformanceFolder, "package");
const project = join(conformanceFolder, "..");
const bundleName = "namjai-conformance.js";

/** CommonJS packages in the bundle call `require` for Node's own modules. */
const banner = `import { createRequire as createRequireForBundle } from "node:module";
const require = createRequireForBundle(import.meta.url);`;

/** Writes the package into `target`, which is emptied first. */
export async function buildPackage(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const metafile = await writeBundle(join(target, bundleName));
  copyFileSync(join(folder, "README.md"), join(target, "README.md"));
  writeFileSync(join(target, "LICENSE"), `${readFileSync(join(project, "LICENSE"), "utf8")}\n${noticesOf(metafile, project)}`);
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  const template = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  writeFileSync(join(target, "package.json"), `${JSON.stringify({ ...template, version }, null, 2)}\n`);
}

async function writeBundle(outfile: string): Promise<Metafile> {
  const { metafile } = await bundle({
    entryPoints: [join(folder, "entry.ts")],
    absWorkingDir: project,
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    legalComments: "none", // the file LICENSE has the notices
    banner: { js: banner },
    plugins: [ownModules],
    external: ["pg-native"], // optional for pg
    metafile: true,
    logLevel: "warning",
  });
  chmodSync(outfile, 0o755);
  return metafile;
}

// What differs between the package and the project: a few modules that read the project's folders, and the one that starts vitest.

/** The text of the module that stands in the bundle for a module of the project, by its path relative to `conformance/`. */
const replacements: Record<string, () => string> = {
  "suite/command/vitest.ts": () => `export { openVitest, preloadVitest } from "../../package/runner.ts";`,
  "suite/contract/sources.ts": () => `export const hasSources = false;\nexport const checkout = "";\nexport const node = process.execPath;
const files = ${JSON.stringify(ruleFiles())};\nexport const testFilesIn = (name) => files.filter((file) => file.startsWith(name + "/"));`,
  "package/rule-modules.ts": () =>
    `const modules = {\n${ruleFiles()
      .map((file) => `  ${JSON.stringify(file)}: () => import(${JSON.stringify(`../${file}`)}),\n`)
      .join("")}};
export const importRules = (file) => modules[file]();`,
  "suite/report/assets.ts": () => `export const assets = ${JSON.stringify(assets)};`,
};

const ruleFiles = (): string[] => ["interface", "derived", "rules"].flatMap(testFilesIn);

/** Makes esbuild load these modules instead of the project's. */
const ownModules: Plugin = {
  name: "own-modules",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/conformance\/.*\.ts$/ }, ({ path }) => {
      const contents = replacements[relative(conformanceFolder, path)]?.();
      return contents === undefined ? undefined : { contents, loader: "ts", resolveDir: join(path, "..") };
    }),
};

// The licences of the packages in the bundle.

/** Returns the licences of the npm packages in a bundle, each with its name and version. `project`: the folder of node_modules. */
function noticesOf({ outputs }: Metafile, project: string): string {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => packageFolderOf(path));
  const folders = [...new Set(used.filter((folder) => folder !== null))].sort();
  return folders.map((folder) => noticeOf(join(project, folder))).join("\n");
}

/** `node_modules/a/node_modules/@b/c/dist/x.js` is a file of `node_modules/a/node_modules/@b/c`. */
const packageFolderOf = (path: string): string | null => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one));
  const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${license}`;
  return `${"-".repeat(80)}\n${name} ${version}\n\n${text}\n`;
}

if (import.meta.main) {
  const [target = join(project, "namjai-conformance")] = process.argv.slice(2);
  await buildPackage(target);
  process.stdout.write(`${target}\n`);
}
