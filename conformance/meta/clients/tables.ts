// The page with the results.

import { writeFile } from "node:fs/promises";

/** Outcomes by step: `ok`, `– reason`, or what went wrong. */
export type Row = { tool: string; steps: Record<string, string> };

const head = `# Clients that are tried

\`make clients\` wrote this page: it runs each of these programs against a started server and its documents, unmodified, as does CI every week.
Generators get its contract, login libraries the settings of the [guide](../src/docs/guides/authentication.md#login-libraries), assistants the address
of its MCP server and nothing else. Versions are those of [package.json](../conformance/meta/clients/package.json).
`;

/** Writes a table for rows with the same steps. */
export async function printTables(file: string, rows: readonly Row[]): Promise<void> {
  const bySteps = Map.groupBy(rows, ({ steps }) => Object.keys(steps).join(" | "));
  const tables = [...bySteps].map(([steps, some]) =>
    [
      `| program | ${steps} |`,
      `|---|${"---|".repeat(steps.split(" | ").length)}`,
      ...some.map(({ tool, steps }) => `| ${tool} | ${Object.values(steps).map(inCell).join(" | ")} |`),
    ].join("\n"),
  );
  await writeFile(file, `${[head.trim(), ...tables].join("\n\n")}\n`);
}

const inCell = (text: string): string => (text === "ok" ? "✓" : text.replaceAll("|", "\\|").replace(/\s+/g, " ").slice(0, 200));
