// Fails when generated/ is not what spec/ compiles to. It compiles only when an input has changed since the last successful check:
// node_modules/.cache/drift contains the hash of all inputs. Without that file, as in CI, it always compiles.

import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "../harness/server/start-server.ts";
import { listGitFiles } from "./git-files.ts";
import { type Outcome, runProgram } from "./run.ts";

const cache = join(checkout, "node_modules/.cache/drift");
const generated = join(checkout, "generated");
const remedy = "Run: make generate (and delete files of generated/ that it does not write)";

const fault = (await findDrift()) ?? (await untrackedFiles());
if (fault) {
  console.error(fault);
  process.exit(1);
}

/** Returns the difference in words; null when there is none. */
async function findDrift(): Promise<string | null> {
  const key = await currentKey();
  if ((await readFile(cache, "utf8").catch(() => "")) === key) return null;
  const compiled = await mkdtemp(join(tmpdir(), "generated-"));
  try {
    const failed = (await compile(compiled)).find(({ code }) => code !== 0);
    if (failed) return failed.output;
    const { code, output } = await runProgram(["diff", "-ru", generated, compiled]);
    if (code !== 0) return `${output}\ngenerated/ is not what spec/ compiles to. ${remedy}`;
    await mkdir(join(cache, ".."), { recursive: true });
    await writeFile(cache, key);
    return null;
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
  return [await runProgram(["openapi-typescript", document, "--output", join(folder, "api.d.ts"), "--default-non-nullable", "false"])];
}

/** Hash of all inputs and outputs. package-lock.json determines the versions of the compilers. */
async function currentKey(): Promise<string> {
  const inFolder = async (folder: string) => (await readdir(join(checkout, folder))).sort().map((name) => `${folder}/${name}`);
  const specs = [...(await inFolder("spec")), ...(await inFolder("spec/lib"))].filter((file) => /\.(tsp|ts)$/.test(file));
  const files = [...specs, ...(await inFolder("generated")), "tspconfig.yaml", "package-lock.json", "conformance/checks/drift.ts"];
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(await readFile(join(checkout, file)))
      .update("\0");
  return hash.digest("hex");
}

async function untrackedFiles(): Promise<string | null> {
  const files = await listGitFiles(["--others", "generated"]).catch(({ message }: Error) => message);
  if (typeof files === "string") return files;
  if (files === null) console.log("not run: whether git tracks every file of generated/, because this is no checkout of git");
  if (files === null || files.length === 0) return null;
  return `${files.join("\n")}\ngenerated/ contains files that git does not track. Run: make generate && git add generated`;
}
