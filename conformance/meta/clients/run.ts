// Runs programs of this folder, and says what came of them.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

export const folder = import.meta.dirname;

/** Outcomes by step: `ok`, `– reason`, or what went wrong. */
export type Row = { tool: string; steps: Record<string, string> };

type Options = Readonly<Record<string, string>> & { output?: "all" };

/** Returns `ok`, with `output: "all"` what the program prints, or the end of what it says when it fails. Other options are variables. */
export async function run([program = "", ...words]: readonly string[], { output, ...variables }: Options = {}): Promise<string> {
  const child = start([program, ...words], variables);
  let [text, errors] = ["", ""];
  child.stdout.on("data", (part) => (text += part));
  child.stderr.on("data", (part) => (errors += part));
  const [code] = await once(child, "close");
  if (code !== 0) return `exit code ${code}: ${`${text}${errors}`.trim().slice(-1_500)}`;
  return output ? text.trim() : "ok";
}

/** Starts a program of a package, or of a path. */
export function start([program = "", ...words]: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const path = program.includes("/") ? program : `${folder}/node_modules/.bin/${program}`;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, REDOCLY_TELEMETRY: "off", ...variables };
  return spawn(path, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** Names packages with the versions that package.json pins. */
export async function versions(packages: readonly string[]): Promise<string> {
  const { dependencies } = JSON.parse(await readFile(`${folder}/package.json`, "utf8")) as { dependencies: Record<string, string> };
  return packages.map((name) => `\`${name}\` ${dependencies[name]}`).join(", ");
}
