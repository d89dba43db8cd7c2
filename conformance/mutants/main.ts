import { parseArgs } from "node:util";

import { run } from "./run.ts";
import { mutants } from "./table.ts";

// How strong is the suite? Servers with one thing broken each, and which rule notices.

const help = `Runs the conformance suite against servers with one thing broken each. Every one must be killed by the rules that name it.

  node conformance/mutants/main.ts [--full] [--at-once 2] [--seed 1] [--report mutants-report] [MUTANT …]

--full runs every rule of profile contract, not those files alone that must notice. DATABASE_URL names a PostgreSQL for the
mutants' databases; without it an embedded one is started. The kill matrix lies in the report's folder.

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
if (unknown.length > 0) console.error(`there is no mutant ${unknown.join(", ")}`);
if (values.help || unknown.length > 0) {
  console.error(help);
  process.exit(values.help ? 0 : 64);
}
const { full, seed, report } = values;
process.exit((await run({ names, full, seed, report, atOnce: Number(values["at-once"]) })) ? 0 : 1);
