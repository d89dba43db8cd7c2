// Runs the suite several times in one process, so that vitest is loaded once: with one seed after the other, or for one wrong answer after the
// other, each given by a proxy in front of the same server.
//   node conformance/meta/mutants/run-suite.ts '{"proxy":{"port":4000,"server":"http://127.0.0.1:4001","keepsHost":true},"runs":[…]}'

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { readSettings } from "../../suite/command/options.ts";
import { exitCodes, run } from "../../suite/command/run.ts";
import { openProxy, unchanged } from "./proxy.ts";
import { faultsFile, type Program } from "./suite.ts";
import { mutants } from "./table.ts";

const { proxy, runs }: Program = JSON.parse(process.argv[2] ?? "");
const opened = proxy && (await openProxy(proxy));

for (const { name, seed, report, titles, options } of runs) {
  const mutant = mutants[name];
  const faults = new Set<string>();
  const onFault = ({ stack, message }: Error): void => void faults.add(stack ?? message);
  opened?.intercept({ interceptor: mutant && "interceptor" in mutant ? mutant.interceptor() : unchanged, onFault });
  process.env.MUTANT = mutant ? name : "";
  const settings = readSettings(["--seed", seed, "--report", report, ...options]);
  const exitCode = await run(titles === "" ? settings : { ...settings, titles: new RegExp(titles, "i") });
  mkdirSync(report, { recursive: true });
  writeFileSync(join(report, faultsFile), JSON.stringify([...faults]));
  if (exitCode === exitCodes["not measurable"] && !opened) break; // Ctrl-C ends a run so
}
process.exit(0);
