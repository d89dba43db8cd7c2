// Runs the suite several times in one process, so that vitest is loaded once: with one seed after the other, or for one wrong answer after the
// other, each given by a proxy in front of the same server.
//   node conformance/meta/mutants/run-suite.ts '{"proxy":{"port":4000,"serverPort":4001},"runs":[…]}'

import { readSettings } from "../../suite/command/options.ts";
import { exitCodes, run } from "../../suite/command/run.ts";
import { openProxy } from "./proxy.ts";
import type { Program } from "./suite.ts";
import { mutants } from "./table.ts";

const { proxy, runs }: Program = JSON.parse(process.argv[2] ?? "");
const opened = proxy && (await openProxy(proxy.serverPort, proxy.port));

for (const { name, seed, report, titles, options } of runs) {
  const mutant = mutants[name];
  opened?.intercept(mutant && "interceptor" in mutant ? mutant.interceptor() : null);
  process.env.MUTANT = mutant ? name : "";
  const settings = readSettings(["--seed", seed, "--report", report, ...options]);
  const exitCode = await run(titles === "" ? settings : { ...settings, titles: new RegExp(titles, "i") });
  if (exitCode === exitCodes["not measurable"] && !opened) break; // Ctrl-C ends a run so
}
process.exit(0);
