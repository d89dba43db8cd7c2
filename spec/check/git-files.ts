// Files as git knows them. As a command: fails when generated/ contains a file that git does not track.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkout } from "../../conformance/suite/contract/sources.ts";
import { type Outcome, runProgram } from "./run.ts";

/**
 * Files of a folder, as `git ls-files` with these options names them. Null where the folder is in no checkout of git, as that of an unpacked
 * archive. Throws an Error when git fails in a checkout, as where that belongs to another user ("dubious ownership").
 */
export async function listGitFiles(options: readonly string[], folder: string = checkout): Promise<string[] | null> {
  if (!isInCheckout(folder)) return null;
  const { code, output } = await runProgram(["git", "-C", folder, "ls-files", ...options]).catch(notStarted);
  if (code !== 0) throw new Error(`git can't list the files of ${folder} (exit code ${code}): ${output}`);
  return output.split("\n").filter((file) => file !== "");
}

/** In a worktree `.git` is a file. */
function isInCheckout(folder: string): boolean {
  return existsSync(join(folder, ".git")) || (dirname(folder) !== folder && isInCheckout(dirname(folder)));
}

const notStarted = ({ message }: Error): Outcome => ({ code: 127, output: message });

if (import.meta.main) {
  const files = await listGitFiles(["--others", "generated"]);
  if (files === null) console.log("not run: whether git tracks every file of generated/, because this is no checkout of git");
  else if (files.length > 0) {
    console.error(`${files.join("\n")}\ngenerated/ contains files that git does not track. Run: make generate && git add generated`);
    process.exit(1);
  }
}
