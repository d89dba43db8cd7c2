// Fails when generated/ is not what spec/ compiles to. Compiles only when something has changed since they were last seen to agree:
// node_modules/.cache/drift holds the hash of everything that decides it. Without it, as in CI, it always compiles.

import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "../harness/server/start-server.ts";
import { type Outcome, run } from "./run.ts";

const cache = join(checkout, "node_modules/.cache/drift");
const generated = join(checkout, "generated");
const remedy = "Run: make generate (and remove what it does not make)";

const complaint = (await drift()) ?? (await untracked());
if (complaint) {
  console.error(complaint);
  process.exit(1);
}

/** What is wrong; null: nothing. */
async function drift(): Promise<string | null> {
  const key = await keyNow();
  if ((await readFile(cache, "utf8").catch(() => "")) === key) return null;
  const made = await mkdtemp(join(tmpdir(), "generated-"));
  try {
    const failed = (await compile(made)).find(({ code }) => code !== 0);
    if (failed) return failed.output;
    const { code, output } = await run(["diff", "-ru", generated, made]);
    if (code !== 0) return `${output}\ngenerated/ is not what spec/ compiles to. ${remedy}`;
    await mkdir(join(cache, ".."), { recursive: true });
    await writeFile(cache, key);
    return null;
  } finally {
    await rm(made, { recursive: true });
  }
}

/** As `make generate` does it. */
async function compile(folder: string): Promise<Outcome[]> {
  const document = join(folder, "openapi.json");
  const option = `namjai.emitter-output-dir=${folder}`;
  const compiled = await run(["tsp", "compile", "spec/main.tsp", "--warn-as-error", "--option", option]);
  if (compiled.code !== 0) return [compiled];
  return [await run(["openapi-typescript", document, "--output", join(folder, "api.d.ts"), "--default-non-nullable", "false"])];
}

/** package-lock.json stands for the versions of the compilers. */
async function keyNow(): Promise<string> {
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

async function untracked(): Promise<string | null> {
  const { code, output } = await run(["git", "ls-files", "--others", "generated"]);
  if (code !== 0 || output === "") return null; // not a repository: nothing to say
  return `${output}\ngenerated/ holds files that git does not track. Run: make generate && git add generated`;
}
