import { randomBytes } from "node:crypto";
import type { TestProject } from "vitest/node";

import { depths, samples } from "../generators/sample.ts";
import { readSeed } from "../generators/seed.ts";
import { lengthUnits } from "../oracle/length-units.ts";
import { serve } from "./serve.ts";

let stop = async (): Promise<void> => {};

/** For vitest without the suite's command: finds or starts the server under test and passes it to every rule file. */
export async function setup(project: TestProject): Promise<void> {
  const { API_URL, SEED, DEPTH = "full", LENGTH_UNIT = "code-points" } = process.env;
  const { seed, path } = readSeed(SEED);
  const depth = depths.find((one) => one === DEPTH);
  if (!depth) throw new Error(`DEPTH must be ${depths.join(" or ")}, not "${DEPTH}"`);
  const lengthUnit = lengthUnits.find((one) => one === LENGTH_UNIT);
  if (!lengthUnit) throw new Error(`LENGTH_UNIT must be ${lengthUnits.join(" or ")}, not "${LENGTH_UNIT}"`);
  console.log(`SEED=${seed}`);
  const serving = await serve(API_URL, process.env);
  stop = serving.stop;
  const run = {
    seed,
    path,
    depth,
    lengthUnit,
    sample: samples[depth],
    pace: null,
    slots: null,
    runId: randomBytes(6).toString("hex"),
    requests: null,
    corpus: null,
    protection: null,
    maxRequestBytes: 0,
  };
  const served = serving.served[0];
  project.provide("targets", [{ ...served, ...run, foreign: served.operator === null }]);
}

export const teardown = (): Promise<void> => stop();
