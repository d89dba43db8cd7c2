// --watch: runs again on Enter and when a file changes, with what failed last first, until a signal.

import { utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { maxAmount } from "../../suite/contract/interface.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { type Running, secret, startConformance } from "./command.ts";
import { type Answer, always, parsed, serving, sound } from "./fakes.ts";

const words = ["--profile", "interface", "--depth", "quick", "--seed", "1", "--only", "/^interface.(amount|types)$/"];

/** The rule files of each run that has ended, in their order. */
async function runsOf(run: Running, count: number): Promise<string[][]> {
  for (;;) {
    const runs = run.output().split(/^waiting: /m);
    if (runs.length > count)
      return runs.slice(0, -1).map((text) => [...text.matchAll(/^ {2}\S (interface\/\S+)/gm)].map(([, name = ""]) => name));
    if (run.child.exitCode !== null) throw new Error(run.output());
    await sleep(50);
  }
}

/** No rule about amounts fails, and some about types do. */
const untyped: Answer = (request, response, body) =>
  (Number(parsed(body).amount) > maxAmount ? always(422) : sound)(request, response, body);

test("--watch runs again on Enter and when a file changes, with the rule files that failed last first, until SIGINT", async () => {
  const run = startConformance(["--url", await serving(untyped), "--watch", ...words], { API_KEY: secret });
  expect(await runsOf(run, 1)).toEqual([["interface/amount", "interface/types"]]);
  run.child.stdin?.write("\n");
  expect((await runsOf(run, 2)).at(1)).toEqual(["interface/types", "interface/amount"]);
  const now = new Date();
  utimesSync(join(checkout, "conformance", "cases", "dates.json"), now, now);
  await runsOf(run, 3);
  run.child.kill("SIGINT");
  expect((await run.ended).code).toBe(1);
});
