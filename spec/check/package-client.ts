// make package-client: the TypeScript client of the guides as the npm package namjai-donations, in a folder that `npm pack` and `npm publish` take.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const project = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(project, path), "utf8");

const [target = join(project, "namjai-donations")] = process.argv.slice(2);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
compile(target);
const { version, license, devDependencies } = JSON.parse(read("package.json"));
const manifest = {
  name: "namjai-donations",
  version,
  description: "Client of the Donation Service External API",
  license,
  type: "module",
  exports: { types: "./index.d.ts", default: "./index.js" },
  files: ["index.js", "index.d.ts", "api.d.ts"],
  sideEffects: false,
  engines: { node: ">=20" },
  dependencies: { "openapi-fetch": devDependencies["openapi-fetch"] },
};
writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(project, "LICENSE"), join(target, "LICENSE"));
writeFileSync(join(target, "README.md"), readme());
process.stdout.write(`${target}\n`);

/** Writes index.js, index.d.ts and the types of the contract. */
function compile(folder: string): void {
  const sources = mkdtempSync(join(project, "node_modules/.client-"));
  try {
    copyFileSync(join(project, "src/docs/guides/donations-client.ts"), join(sources, "index.ts"));
    for (const one of [sources, folder]) copyFileSync(join(project, "generated/api.d.ts"), join(one, "api.d.ts"));
    const options = "--declaration --strict --skipLibCheck --target es2022 --lib es2023,dom,dom.iterable --types node".split(" ");
    const modules = "--module nodenext --rewriteRelativeImportExtensions --ignoreConfig".split(" ");
    const compiler = join(project, "node_modules/typescript-native/bin/tsc");
    execFileSync(process.execPath, [compiler, ...options, ...modules, "--outDir", folder, join(sources, "index.ts")], {
      cwd: project,
      stdio: "inherit",
    });
  } finally {
    rmSync(sources, { recursive: true });
  }
}

function readme(): string {
  const sample = (name: string) => read(`src/docs/guides/${name}.ts`).replaceAll("./donations-client.ts", "namjai-donations").trim();
  return read("spec/check/package-client.md").replace(/\{\{(.+?)\}\}/g, (_, name) => sample(name));
}
