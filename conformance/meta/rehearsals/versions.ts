// Versions of the program as folders of code: of a commit, and one after this checkout.

import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { checkout } from "../../suite/contract/sources.ts";

const run = promisify(execFile);
const git = async (...words: string[]): Promise<string> => (await run("git", words, { cwd: checkout })).stdout.trim();

export type Version = { name: string; code: string; remove: () => Promise<void> };

/** The code of a commit in a folder of its own, with the packages of this checkout. Throws where the commit needs others. */
export async function versionOf(commit: string): Promise<Version> {
  const lock = await git("show", `${commit}:package-lock.json`);
  if (lock !== (await readFile(join(checkout, "package-lock.json"), "utf8")).trim())
    console.log("the packages of that commit differ from those of this checkout, which it is run with");
  const code = await mkdtemp(join(tmpdir(), "namjai-version-"));
  await run("bash", ["-c", 'set -o pipefail; git archive "$1" | tar -x -C "$2"', "bash", commit, code], { cwd: checkout });
  await symlink(join(checkout, "node_modules"), join(code, "node_modules"));
  return { name: commit.slice(0, 9), code, remove: () => rm(code, { recursive: true, force: true }) };
}

export const thisVersion: Version = { name: "this version", code: checkout, remove: async () => {} };

/** The last commit, with the migrations of src/ops/upgrade/sample that expand its schema. */
export async function laterVersion(): Promise<Version> {
  const version = await versionOf("HEAD");
  const samples = join(checkout, "src/ops/upgrade/sample");
  for (const name of ["9001_void_remarks.sql", "9002_void_remark_index"])
    await cp(join(samples, name), join(version.code, "src/db/migrations", name), { recursive: true });
  return { ...version, name: "a later version" };
}
