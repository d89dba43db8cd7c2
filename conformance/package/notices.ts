// The licences of the packages in the bundle.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** Returns the licences of the npm packages in a bundle, each with its name and version. `project`: the folder of node_modules. */
export function noticesOf({ outputs }: Metafile, project: string): string {
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
