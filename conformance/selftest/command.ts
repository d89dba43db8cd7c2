import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

import { compileCache } from "../harness/server/serve.ts";
import { checkout, node } from "../harness/server/start-server.ts";

// Runs the conformance command as a process.

/** A credential that no output may contain. */
export const secret = "fakes_v1_Kq8ZtB3nVw5YrM1xPd7LsHg2Fj4Cb6Ne";

export type Outcome = { code: number | null; output: string; report: (name: string) => string };

/** Runs the command until it exits, with its reports in a temporary folder. */
export async function conformance(words: readonly string[], env: Record<string, string> = { API_KEY: secret }): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "namjai-selftest-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { PATH = "", HOME = "" } = process.env;
  const known = { PATH, HOME, NODE_COMPILE_CACHE: compileCache };
  const child = spawn(node, ["conformance/main.ts", ...words, "--report", folder], { cwd: checkout, env: { ...known, ...env } });
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => parts.push(part));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, output: parts.join(""), report: (name) => readFileSync(join(folder, name), "utf8") };
}
