#!/usr/bin/env node
import "./map-group-by.ts";

import { isMainThread } from "node:worker_threads";

// The package's program: the same command as in the project, which runs on Node 20 as well. Threads of it collect rules (collect-rules.ts).

await (isMainThread ? import("../main.ts") : import("./collect-rules.ts"));
