// `make check`: runs the checks; exit code 1 when one fails.

import { runStages } from "./check.ts";
import { openMemory } from "./memory.ts";
import { stages } from "./steps.ts";

process.exit((await runStages(stages, { print: console.log, memory: await openMemory() })) ? 0 : 1);
