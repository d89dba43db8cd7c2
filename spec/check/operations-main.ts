// `node spec/check/operations-main.ts`, a step of `make check`

import { operations } from "../../conformance/suite/contract/contract.ts";
import { missingFor } from "./operations.ts";
import { unnamedIn } from "./unnamed.ts";

const missing = [...missingFor(operations), ...unnamedIn()];
for (const line of missing) console.error(line);
process.exit(missing.length === 0 ? 0 : 1);
