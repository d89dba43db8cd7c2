// Runs a program of a check and collects its output.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { checkout } from "../../conformance/suite/contract/sources.ts";

export type Outcome = { code: number; output: string };

const programs = join(checkout, "node_modules/.bin");

/** Runs a program in the checkout, found in node_modules/.bin or else on PATH. `output` is its stdout followed by its stderr. */
export async function runProgram([program = "", ...args]: readonly string[]): Promise<Outcome> {
  const env = {
    ...process.env,
    PATH: `${programs}:${process.env.PATH}`,
    NODE_COMPILE_CACHE: join(checkout, "node_modules/.cache/compiled"),
  };
  const child = spawn(program, args, { cwd: checkout, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number>((resolve, reject) => child.once("error", reject).once("close", (code) => resolve(code ?? 1)));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: (out + err).trim() };
}
