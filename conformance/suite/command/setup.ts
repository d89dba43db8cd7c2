// Starts the server under test where vitest is called without the suite's command.

import type { TestProject } from "vitest/node";
import { serve } from "../servers/serve.ts";
import { depths, readSeed } from "../values/run-settings.ts";
import { lengthUnits } from "../values/target.ts";
import { createTarget } from "./settings.ts";

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
  project.provide("targets", [
    createTarget({ seed, path, depth, only: null, lengthUnit, harMegabytes: 0, corpus: null, receiver: null }, serving.served[0]),
  ]);
}

export const teardown = (): Promise<void> => stop();
