// The project's folder. The package, which has none, replaces this module (package/own-modules.ts).

import { fileURLToPath } from "node:url";

export const checkout = fileURLToPath(new URL("../../..", import.meta.url));

/** The Node that package-lock.json fixes, not the machine's own. */
export const node = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

/** Whether the suite runs from the project's folder. The package has no sources: it starts no server and reads no file of the project. */
export const hasSources: boolean = true;
