// Fails when generated/ is not what spec/ compiles to. Its overlay/ and fonts/ are made by bundle-pages.ts.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "../../conformance/suite/contract/sources.ts";
import { type Outcome, runProgram } from "./run.ts";

const generated = join(checkout, "generated");

const fault = await findDrift();
if (fault) {
  console.error(fault);
  process.exit(1);
}

/** Returns the difference in words; null when there is none. */
async function findDrift(): Promise<string | null> {
  const compiled = await mkdtemp(join(tmpdir(), "generated-"));
  try {
    const failed = (await compile(compiled)).find(({ code }) => code !== 0);
    if (failed) return failed.output;
    const { code, output } = await runProgram(["diff", "-ru", "--exclude=overlay", "--exclude=fonts", generated, compiled]);
    if (code === 0) return null;
    return `${output}\ngenerated/ is not what spec/ compiles to. Run: make generate (and delete files of generated/ that it does not write)`;
  } finally {
    await rm(compiled, { recursive: true });
  }
}

/** Compiles the contract into a folder, with the commands of `make generate`. */
async function compile(folder: string): Promise<Outcome[]> {
  const document = join(folder, "openapi.json");
  const option = `namjai.emitter-output-dir=${folder}`;
  const compiled = await runProgram(["tsp", "compile", "spec/main.tsp", "--warn-as-error", "--option", option]);
  if (compiled.code !== 0) return [compiled];
  return Promise.all([
    runProgram(["openapi-typescript", document, "--output", join(folder, "api.d.ts"), "--default-non-nullable", "false"]),
    runProgram(["node", "spec/check/copy-scalar.ts", folder]),
  ]);
}
