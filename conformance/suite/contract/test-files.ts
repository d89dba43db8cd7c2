// The package replaces this module with a list made when it is built (conformance/package/own-modules.ts).

import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder `conformance/`, with a slash at its end. */
export const conformanceFolder = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the rule files below a folder of `conformance/`, as paths relative to `conformance/`, sorted. */
export function testFilesIn(name: string): string[] {
  if (!existsSync(`${conformanceFolder}${name}`)) return [];
  const entries = readdirSync(`${conformanceFolder}${name}`, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"));
  return files.map(({ parentPath, name: file }) => `${parentPath}/${file}`.slice(conformanceFolder.length)).sort();
}
