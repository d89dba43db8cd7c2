// The project's folder and its rule files. The package, which has no folder, replaces this module (package/build.ts).

import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const checkout = fileURLToPath(new URL("../../..", import.meta.url));

/** The Node that package-lock.json fixes, not the machine's own. */
export const node = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

/** Whether the suite runs from the project's folder. The package has no sources: it starts no server and reads no file of the project. */
export const hasSources: boolean = true;

/** The folder `conformance/`, with a slash at its end. */
export const conformanceFolder = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the rule files below a folder of `conformance/`, as paths relative to `conformance/`, sorted. */
export const testFilesIn = (name: string): string[] => globSync(`${name}/**/*.test.ts`, { cwd: conformanceFolder }).sort();
