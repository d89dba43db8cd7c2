// Runs the conformance command as a process: the program of the package, which starts sooner and has the same rules (package.test.ts), or
// the project's, where a test is about git, vitest's workers or servers that the command starts.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { checkout, node } from "../../suite/contract/sources.ts";
import { compileCache } from "../../suite/servers/serve.ts";

/** A credential that no output may contain. */
export const secret = "fakes_v1_Kq8ZtB3nVw5YrM1xPd7LsHg2Fj4Cb6Ne";

export type Outcome = { code: number | null; output: string; report: (name: string) => string };

/** A running command; `ended` resolves when it has exited. */
export type Running = { child: ChildProcess; output: () => string; ended: Promise<Outcome> };

/** Runs the package's command until it exits, with its reports in `folder` (a temporary one). */
export const conformance = (words: readonly string[], env?: Record<string, string>, folder?: string): Promise<Outcome> =>
  startPackage(words, env, folder).ended;

/** Starts the package's command, one process, with its reports in `folder` (a temporary one). */
export const startPackage = (
  words: readonly string[],
  env: Record<string, string> = { API_KEY: secret },
  folder: string = temporaryFolder(),
): Running => start([join(inject("builtPackage"), "namjai-conformance.js"), ...words], env, folder);

/** Runs the project's command until it exits, with its reports in a temporary folder. */
export const conformanceOfProject = (words: readonly string[], env: Record<string, string> = { API_KEY: secret }): Promise<Outcome> =>
  startConformance(words, env).ended;

/** Starts the project's command, with its reports and journals in a temporary folder. */
export const startConformance = (words: readonly string[], env: Record<string, string>): Running =>
  start(["conformance/main.ts", ...words], env, temporaryFolder());

function start([program = "", ...words]: readonly string[], env: Record<string, string>, folder: string): Running {
  const { PATH = "", HOME = "" } = process.env;
  const known = { PATH, HOME, NODE_COMPILE_CACHE: compileCache, NAMJAI_CONFORMANCE_STATE: join(folder, "state") };
  const child = spawn(node, [program, "--corpus", join(folder, "corpus"), ...words, "--report", folder], {
    cwd: checkout,
    env: { ...known, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const parts: string[] = [];
  const output = (): string => parts.join("");
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => parts.push(part));
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  const ended = exited.then((code) => ({ code, output: output(), report: (name: string) => readFileSync(join(folder, name), "utf8") }));
  return { child, output, ended };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "namjai-selftest-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
