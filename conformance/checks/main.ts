// `make check`: runs all checks; exit code 1 when one fails.

import { runStages } from "./check.ts";
import { stages } from "./steps.ts";

process.exit((await runStages(stages, console.log)) ? 0 : 1);
