// Runs the suite with one seed after the other in one process, so that vitest is loaded once.
//   node conformance/meta/mutants/run-seeds.ts REPORT SEEDS TITLES OPTIONS…
// Each seed has a folder of its name in REPORT; SEEDS is a list such as 1,2,3; TITLES is a regular expression, and empty for all rules.

import { join } from "node:path";

import { readSettings } from "../../suite/command/options.ts";
import { exitCodes, run } from "../../suite/command/run.ts";

const [report = "", seeds = "", titles = "", ...options] = process.argv.slice(2);

for (const seed of seeds.split(",")) {
  const settings = readSettings(["--seed", seed, "--report", join(report, seed), ...options]);
  const exitCode = await run(titles === "" ? settings : { ...settings, titles: new RegExp(titles, "i") });
  if (exitCode === exitCodes["not measurable"]) break; // Ctrl-C ends a run so
}
process.exit(0);
