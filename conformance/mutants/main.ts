import { parseArgs } from "node:util";

import { run } from "./run.ts";
import { mutants } from "./table.ts";

// `make mutants`: runs the suite against servers with one thing broken each, to measure how strong the suite is.

const help = `Runs the conformance suite against mutants: servers with one thing broken each. The rules named for a mutant must fail.

  node conformance/mutants/main.ts [--full] [--at-once 2] [--seed 1] [--report mutants-report] [MUTANT …]

  --full          runs every rule of profile contract, not only the rule files that must fail
  --at-once N     number of mutants to run at the same time (default: 2)
  --seed SEED     seed of the suite (default: 1)
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
  "at-once": { ...text, default: "2" },
  report: { ...text, default: "mutants-report" },
};
const { values, positionals: names } = parseArgs({ options, allowPositionals: true });

const unknown = names.filter((name) => !(name in mutants));
if (unknown.length > 0) console.error(`unknown mutant: ${unknown.join(", ")}`);
if (values.help || unknown.length > 0) {
  console.error(help);
  process.exit(values.help ? 0 : 64);
}
const { full, seed, report } = values;
process.exit((await run({ names, full, seed, report, concurrency: Number(values["at-once"]) })) ? 0 : 1);
