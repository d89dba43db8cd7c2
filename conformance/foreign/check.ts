import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createVitest, type TestCase, type Vitest } from "vitest/node";

import { type Bug, bugs } from "./bugs.ts";
import { settingsFor } from "./credentials.ts";
import { newServer } from "./server.ts";

// `make foreign`: runs profile `interface` against the second server. Without a bug all rules must pass; with each bug the rule that
// the bug breaks must fail.

let bug: Bug | null = null;
const { server, credentials } = newServer(() => bug);
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
Object.assign(process.env, { DEPTH: "quick", ...process.env, ...settingsFor(url, credentials) });

const vitest = await openVitest();
const faults = [...(await checkClean(vitest)), ...(await checkBugs(vitest, process.argv.slice(2)))];
await vitest.close();
server.close();
server.closeAllConnections();
console.log(faults.length === 0 ? "passed: all rules without a bug, and every bug was found" : `\n${faults.join("\n")}`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function openVitest(): Promise<Vitest> {
  const config = fileURLToPath(new URL("../vitest.config.ts", import.meta.url));
  const opened = await createVitest({ config, watch: false, include: ["interface/*.test.ts"], reporters: [{}] });
  await opened.standalone();
  return opened;
}

async function checkClean(runner: Vitest): Promise<string[]> {
  const tests = await run(runner, []);
  const notPassed = tests.filter((one) => one.result().state !== "passed");
  console.log(`without a bug: ${tests.length} rules, ${notPassed.length} of them failed or were not run`);
  return notPassed.map((one) => `without a bug ${one.result().state}: ${one.fullName}`);
}

/** Tries the bugs named in `only`, or all bugs when it is empty. */
async function checkBugs(runner: Vitest, only: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  const width = Math.max(...Object.keys(bugs).map(({ length }) => length));
  for (const [name, one] of Object.entries(bugs).filter(([name]) => only.length === 0 || only.includes(name))) {
    bug = one;
    const failed = (await run(runner, [`/${one.file}.test.ts`])).filter((test) => test.result().state === "failed");
    const found = failed.find((test) => one.rule.test(test.fullName));
    const suiteFaults = failed.filter((test) => test.result().errors?.some(({ message }) => message.includes("bug of the suite")));
    console.log(
      `${name.padEnd(width)}  ${found ? `${one.file}: ${found.fullName}` : "NOT FOUND"}${failed.length > 1 ? `, and ${failed.length - 1} more` : ""}`,
    );
    if (!found)
      faults.push(
        `${name} was not found by ${one.rule} of ${one.file}; failed rules: ${failed.map(({ fullName }) => fullName).join("; ")}`,
      );
    faults.push(...suiteFaults.map((test) => `${name}: the suite reports a bug of its own in ${test.fullName}`));
  }
  return faults;
}

async function run(runner: Vitest, filters: string[]): Promise<TestCase[]> {
  credentials.restoreRevoked();
  const specifications = await runner.globTestSpecifications(filters);
  const { testModules, unhandledErrors } = await runner.runTestSpecifications(specifications);
  if (unhandledErrors.length > 0) throw unhandledErrors[0];
  const requested = new Set(specifications.map(({ moduleId }) => moduleId)); // earlier runs' modules are listed too
  return testModules.filter(({ moduleId }) => requested.has(moduleId)).flatMap(({ children }) => [...children.allTests()]);
}
