// `make clients`: generators, login libraries, assistants, Prism, Respect and OWASP's rules on a server and the documents that it publishes. What
// came out is the tables in docs/clients.md. ONLY=kubb runs one program, and leaves the tables as they are.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { checkout } from "../../suite/contract/sources.ts";
import { assistants, tryAssistant } from "./assistants.ts";
import { type Generator, generators } from "./generators.ts";
import { lintByOwasp, tellStories } from "./linters.ts";
import { mockExamples, proxyExamples } from "./prism.ts";
import { providers, tryProvider } from "./providers.ts";
import { folder, run, versions } from "./run.ts";
import { tryRuntimes } from "./runtimes.ts";
import { startDemo } from "./server.ts";
import { printTables, type Row } from "./tables.ts";

const strict = [
  ...["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--target", "esnext", "--module", "esnext"],
  ...[
    "--moduleResolution",
    "bundler",
    "--lib",
    "esnext,dom,dom.iterable",
    "--types",
    "node",
    "--typeRoots",
    `${checkout}/node_modules/@types`,
  ],
];
const bundled = ["--bundle", "--packages=external", "--platform=node", "--format=esm", "--log-level=warning"];

const only = process.env.ONLY;
await rm(`${folder}/generated`, { recursive: true, force: true });
await mkdir(`${folder}/generated`);
const server = await startDemo();
const rows: Row[] = [];
try {
  for (const name of ["openapi.json", "arazzo.json"])
    await writeFile(`${folder}/generated/${name}`, await (await fetch(`${server.url}/docs/${name}`)).text());
  for (const generator of generators.filter(({ name }) => !only || name === only)) rows.push(note(await tryGenerator(generator)));
  for (const provider of providers.filter(({ name }) => !only || name === only)) rows.push(note(await tryProvider(provider, server)));
  for (const assistant of assistants.filter(({ name }) => !only || name === only)) rows.push(note(await tryAssistant(assistant, server)));
  if (!only || only === "runtimes") for (const row of await tryRuntimes(server)) rows.push(note(row));
  if (!only) for (const step of [mockExamples, proxyExamples, tellStories, lintByOwasp]) rows.push(note(await step(server)));
} finally {
  await server.stop();
}
if (!only) await printTables(`${checkout}/docs/clients.md`, rows);
if (rows.some(({ steps }) => Object.values(steps).some((outcome) => outcome !== "ok" && !outcome.startsWith("–")))) process.exitCode = 1;

/** Generates, compiles strictly, and runs the story. */
async function tryGenerator({ name, packages, command, cannot = {} }: Generator): Promise<Row> {
  const adapter = `generators/${name}.ts`;
  await mkdir(`${folder}/generated/${name}`);
  const generated = await run(command);
  const compiled = generated === "ok" ? await run(["tsc", ...strict, adapter]) : "–";
  await run([`${checkout}/node_modules/.bin/esbuild`, adapter, ...bundled, `--outfile=generated/${name}.mjs`]);
  const story = await run([process.execPath, `generated/${name}.mjs`], { API_URL: server.url, API_KEY: server.apiKey, output: "all" });
  const outcomes: Record<string, string> = story.startsWith("{") ? JSON.parse(story) : { story };
  for (const [step, reason] of Object.entries(cannot))
    outcomes[step] = outcomes[step] === "ok" ? "can now: take it out of generators.ts" : `– ${reason}`;
  return { tool: await versions(packages), steps: { generate: generated, compile: compiled, ...outcomes } };
}

function note(row: Row): Row {
  console.log(
    `${row.tool}: ${Object.entries(row.steps)
      .map(([step, outcome]) => `${step} ${outcome}`)
      .join(", ")}`,
  );
  return row;
}
