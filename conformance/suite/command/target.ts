// Makes the target of a run: a server with the settings by which the rules read it.

import { randomBytes } from "node:crypto";
import { samples } from "../values/sample.ts";
import type { Served, Target } from "../values/target.ts";
import { timeLimits } from "../values/time-limits.ts";
import type { Settings } from "./settings.ts";

type TargetSettings = Pick<Settings, "seed" | "path" | "depth" | "lengthUnit" | "harMegabytes" | "corpus" | "titles" | "receiver">;

/** Combines a server with the settings of this run. */
export const createTarget = (
  { seed, path, depth, lengthUnit, harMegabytes, corpus, titles, receiver }: TargetSettings,
  served: Served,
): Target => ({
  ...served,
  seed,
  path,
  depth,
  lengthUnit,
  sample: samples[depth],
  shrinks: titles === undefined,
  pace: null,
  limits: timeLimits,
  slots: null,
  foreign: served.operator === null,
  receiver,
  runId: randomBytes(6).toString("hex"),
  requests: null,
  corpus,
  protection: null,
  maxRequestBytes: harMegabytes * 1_000_000,
});
