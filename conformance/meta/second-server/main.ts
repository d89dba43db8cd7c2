// The second server, served on its own to try the suite against it by hand, or checked (`make foreign`): profile `interface` must pass against it as it is
// and with each variant, and with each bug the rule that the bug breaks must fail.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { TestCase, Vitest } from "vitest/node";
import { bugs, type Change } from "./bugs.ts";
import { newServer, settingsFor } from "./server.ts";
import { variants } from "./variants.ts";

const help = `Starts a small server that implements the interface document and nothing more.

  node conformance/meta/second-server/main.ts [--port N] [--bug NAME | --variant NAME]
  node conformance/meta/second-server/main.ts check [NAME …]

  --port N      port on 127.0.0.1 (default: any free port)
  --bug NAME    the server has this bug
  --variant NAME  the server makes this choice, which the interface document leaves open
  --help        prints this text

It prints the environment variables for the conformance suite as export lines for a shell. Its donations are kept in memory. With the word
check it runs profile interface against the server, with all variants and bugs or with these.

Bugs: ${Object.keys(bugs).join(", ")}

Variants: ${Object.keys(variants).join(", ")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: "string", default: "0" },
    bug: { type: "string" },
    variant: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const isUnknown = (name: string | undefined, names: object): boolean => name !== undefined && !(name in names);

const [word, ...only] = positionals;

if (values.help || (word !== undefined && word !== "check") || isUnknown(values.bug, bugs) || isUnknown(values.variant, variants)) {
  console.error(help);
  process.exit(values.help ? 0 : 64);
}

let change: Change | null = bugs[values.bug ?? ""] ?? variants[values.variant ?? ""] ?? null;
const { server, credentials } = newServer(() => change);
server.listen(Number(values.port), "127.0.0.1");
await once(server, "listening");
const settings = settingsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, credentials);

if (word === "check") await check();
else
  console.log(
    Object.entries(settings)
      .map(([name, value]) => `export ${name}='${value}'`)
      .join("\n"),
  );

async function check(): Promise<void> {
  Object.assign(process.env, { DEPTH: "quick", LENGTH_UNIT: "all", ...process.env, ...settings });
  const vitest = await openVitest();
  const faults = [...(await checkSound(vitest)), ...(await checkBugs(vitest))];
  await vitest.close();
  server.close();
  server.closeAllConnections();
  console.log(
    faults.length === 0 ? "passed: all rules without a bug and with each variant, and every bug was found" : `\n${faults.join("\n")}`,
  );
  process.exitCode = faults.length === 0 ? 0 : 1;
}

function isChosen(name: string): boolean {
  return only.length === 0 || only.includes(name);
}

async function openVitest(): Promise<Vitest> {
  const config = fileURLToPath(new URL("../../vitest.config.ts", import.meta.url));
  const opened = await (await import("vitest/node")).createVitest({
    config,
    watch: false,
    include: ["interface/*.test.ts"],
    reporters: [{}],
  });
  await opened.standalone();
  return opened;
}

/** Tries the server as it is and with each chosen variant: no rule may fail. */
async function checkSound(runner: Vitest): Promise<string[]> {
  const faults: string[] = [];
  const sound: [string, Change | null][] = [["without a bug", null], ...Object.entries(variants).filter(([name]) => isChosen(name))];
  for (const [name, one] of sound) {
    change = one;
    const tests = await run(runner, []);
    const notPassed = tests.filter((test) => test.result().state !== "passed");
    console.log(`${name}: ${tests.length} rules, ${notPassed.length} of them failed or were not run`);
    faults.push(...notPassed.map((test) => `${name}: ${test.result().state}: ${test.fullName}`));
  }
  return faults;
}

/** Tries the chosen bugs: each must be found by the rule that it names. */
async function checkBugs(runner: Vitest): Promise<string[]> {
  const faults: string[] = [];
  const width = Math.max(...Object.keys(bugs).map(({ length }) => length));
  for (const [name, one] of Object.entries(bugs).filter(([name]) => isChosen(name))) {
    change = one;
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
