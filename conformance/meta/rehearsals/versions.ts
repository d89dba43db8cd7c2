// The version of this checkout, and the one before its newest migration, as folders of code.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { checkout } from "../../suite/contract/sources.ts";

const run = promisify(execFile);
const git = async (...words: string[]): Promise<string> => (await run("git", words, { cwd: checkout })).stdout.trim();

/** The commit before the one that added the newest migration. Throws where git does not know it, as in a shallow clone. */
export async function commitBeforeNewestMigration(): Promise<string> {
  const files = (await git("ls-files", "src/db/migrations")).split("\n").filter((file) => /\d{4}_\w+\.(sql|ts)$/.test(file));
  const newest = files.toSorted().at(-1) as string;
  const added = await git("log", "--diff-filter=A", "--format=%H", "--", newest);
  return git("rev-parse", `${added.split("\n").at(-1)}^`);
}

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
