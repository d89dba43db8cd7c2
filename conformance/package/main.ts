// make package: builds namjai-conformance into a folder that `npm pack` and `npm publish` take.

import { join } from "node:path";

import { conformanceFolder } from "../suite/contract/sources.ts";
import { buildPackage } from "./build.ts";

const [folder = join(conformanceFolder, "..", "namjai-conformance")] = process.argv.slice(2);
await buildPackage(folder);
process.stdout.write(`${folder}\n`);
