// Builds the npm package namjai-conformance: one file with the command, the rules, the cases and the contract.

import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as bundle, type Metafile } from "esbuild";

import { conformanceFolder } from "../suite/contract/test-files.ts";
import { noticesOf } from "./notices.ts";
import { ownModules } from "./own-modules.ts";

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
