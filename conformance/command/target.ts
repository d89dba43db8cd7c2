import { randomBytes } from "node:crypto";

import { samples } from "../harness/generators/sample.ts";
import type { Served, Target } from "../harness/server/target.ts";
import type { Settings } from "./options.ts";

/** Combines a server with the settings of this run. */
export const createTarget = (
  { seed, path, depth, lengthUnit, corpus }: Pick<Settings, "seed" | "path" | "depth" | "lengthUnit" | "corpus">,
  served: Served,
): Target => ({
  ...served,
  seed,
  path,
  depth,
  lengthUnit,
  sample: samples[depth],
  pace: null,
  slots: null,
  foreign: served.operator === null,
  runId: randomBytes(6).toString("hex"),
  requests: null,
  corpus,
  protection: null,
});
