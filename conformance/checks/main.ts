// `make check`

import { check } from "./check.ts";
import { stages } from "./steps.ts";

process.exit((await check(stages, console.log)) ? 0 : 1);
