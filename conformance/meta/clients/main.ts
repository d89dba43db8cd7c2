// `make clients`: generators, login libraries, assistants, Prism, Respect and OWASP's rules on a server and the documents that it publishes. What
// came out is the tables in docs/clients.md. ONLY=kubb runs one program, and leaves the tables as they are.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { checkout } from "../../suite/contract/sources.ts";
import { lintByOwasp, mockExamples, proxyExamples, tellStories } from "./contract-tools.ts";
import { generators, tryGenerator } from "./generators.ts";
import { assistants, providers, tryAssistant, tryProvider } from "./logins.ts";
import { folder, type Row, startDemo } from "./run.ts";
import { tryRuntimes } from "./runtimes.ts";

const head = `# Clients that are tried

\`make clients\` wrote this page: it runs each of these programs against a started server and its documents, unmodified, as does CI every week.
Generators get its contract, login libraries the settings of the [guide](../src/docs/guides/authentication.md#login-libraries), assistants the address
of its MCP server and nothing else. Versions are those of [package.json](../conformance/meta/clients/package.json).
`;

const only = process.env.ONLY;
await rm(`${folder}/generated`, { recursive: true, force: true });
await mkdir(`${folder}/generated`);
const server = await startDemo();
const rows: Row[] = [];
try {
  for (const name of ["openapi.json", "arazzo.json"])
    await writeFile(`${folder}/generated/${name}`, await (await fetch(`${server.url}/docs/${name}`)).text());
  for (const generator of generators.filter(({ name }) => !only || name === only)) rows.push(note(await tryGenerator(generator, server)));
  for (const provider of providers.filter(({ name }) => !only || name === only)) rows.push(note(await tryProvider(provider, server)));
  for (const assistant of assistants.filter(({ name }) => !only || name === only)) rows.push(note(await tryAssistant(assistant, server)));
  if (!only || only === "runtimes") for (const row of await tryRuntimes(server)) rows.push(note(row));
  if (!only) for (const step of [mockExamples, proxyExamples, tellStories, lintByOwasp]) rows.push(note(await step(server)));
} finally {
  await server.stop();
}
if (!only) await printTables(rows);
if (rows.some(({ steps }) => Object.values(steps).some((outcome) => outcome !== "ok" && !outcome.startsWith("–")))) process.exitCode = 1;

function note(row: Row): Row {
  console.log(
    `${row.tool}: ${Object.entries(row.steps)
      .map(([step, outcome]) => `${step} ${outcome}`)
      .join(", ")}`,
  );
  return row;
}

/** Writes a table for rows with the same steps. */
async function printTables(rows: readonly Row[]): Promise<void> {
  const bySteps = Map.groupBy(rows, ({ steps }) => Object.keys(steps).join(" | "));
  const tables = [...bySteps].map(([steps, some]) =>
    [
      `| program | ${steps} |`,
      `|---|${"---|".repeat(steps.split(" | ").length)}`,
      ...some.map(({ tool, steps }) => `| ${tool} | ${Object.values(steps).map(inCell).join(" | ")} |`),
    ].join("\n"),
  );
  await writeFile(`${checkout}/docs/clients.md`, `${[head.trim(), ...tables].join("\n\n")}\n`);
}

function inCell(text: string): string {
  return text === "ok" ? "✓" : text.replaceAll("|", "\\|").replace(/\s+/g, " ").slice(0, 200);
}
