// `make mutants`: runs the suite against servers with one thing broken each, to measure how strong the suite is.

import { parseArgs } from "node:util";

import { run } from "./run.ts";
import { mutants } from "./table.ts";

const help = `Runs the conformance suite against mutants: servers with one thing broken each. The rules named for a mutant must fail.

  node conformance/meta/mutants/main.ts [--full] [--at-once 2] [--seed 1] [--seeds 1] [--report mutants-report] [MUTANT …]

  --full          runs every rule of profile contract, not only the rule files that must fail
  --at-once N     number of mutants to run at the same time (default: 2)
  --seed SEED     first seed of the suite (default: 1)
  --seeds N       number of seeds, one after the other; a mutant must be killed with each (default: 1). The first runs the rule
                  files that must fail, every further one only the rules that must; the unchanged server runs all of these files
                  with each seed, on a database of its own
  --report DIR    folder for the kill matrix and the suite's reports (default: mutants-report)
  --help          prints this text

DATABASE_URL is the address of a PostgreSQL server for the mutants' databases; without it an embedded one is started.

Exit codes: 0 every mutant was killed, 1 otherwise, 64 wrong usage

Mutants: ${Object.keys(mutants).join(", ")}`;

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const options = {
  full: flag,
  help: flag,
  seed: { ...text, default: "1" },
  seeds: { ...text, default: "1" },
  "at-once": { ...text, default: "2" },
  report: { ...text, default: "mutants-report" },
};
const { values, positionals: names } = parseArgs({ options, allowPositionals: true });

const unknown = names.filter((name) => !(name in mutants));
if (unknown.length > 0) console.error(`unknown mutant: ${unknown.join(", ")}`);
const first = Number(values.seed);
const count = Number(values.seeds);
const isCount = Number.isSafeInteger(first) && Number.isSafeInteger(count) && count > 0;
if (!isCount) console.error("--seed must be an integer, and --seeds one above 0");
if (values.help || unknown.length > 0 || !isCount) {
  console.error(help);
  process.exit(values.help ? 0 : 64);
}
const { full, report } = values;
const seeds = Array.from({ length: count }, (_, index) => String(first + index));
process.exit((await run({ names, full, seeds, report, concurrency: Number(values["at-once"]) })) ? 0 : 1);
