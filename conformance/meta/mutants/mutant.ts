// A mutant: a server with one thing broken, and a copy of the server's code in which the edit of one is applied and undone.

import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "../../suite/contract/sources.ts";
import type { Interceptor } from "./proxy.ts";

/** One exact edit of the server's code: `from` occurs in `file` exactly once. */
export type Edit = { file: string; from: string; to: string };

/** A rule that must fail: its family and a pattern of its title. */
export type Killer = readonly [family: string, title: RegExp];

/** A server with one thing broken, by an edit of its code or by an interceptor between suite and server. */
export type Mutant = {
  /** What is broken, in words. */
  broken: string;
  killedBy: readonly Killer[];
} & ({ edit: Edit } | { interceptor: () => Interceptor });

/** Mutants by name. */
export type Mutants = Record<string, Mutant>;

/** A copy of the server's code. It is reused for many mutants, so that Node's compile cache stays valid. */
export type Copy = {
  folder: string;
  /** Applies the edit. Resolves to a function that undoes it. */
  edit: (edit: Edit) => Promise<() => Promise<void>>;
  remove: () => Promise<void>;
};

export async function copyServer(): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-mutant-"));
  for (const part of ["src", "generated", "package.json", "CHANGELOG.md"])
    await cp(join(checkout, part), join(folder, part), { recursive: true });
  await symlink(join(checkout, "node_modules"), join(folder, "node_modules"));
  return { folder, edit: (edit) => editIn(folder, edit), remove: () => rm(folder, { recursive: true }) };
}

async function editIn(folder: string, edit: Edit): Promise<() => Promise<void>> {
  const path = join(folder, edit.file);
  const before = await readFile(path, "utf8");
  await writeFile(path, applyEdit(before, edit));
  return () => writeFile(path, before);
}

/** Returns the text with the edit applied. Throws when `from` does not occur exactly once: the table must follow the code. */
export function applyEdit(before: string, { file, from, to }: Edit): string {
  const found = before.split(from).length - 1;
  if (found !== 1) throw new Error(`${file} contains this ${found} times instead of once: ${from}`);
  return before.replace(from, () => to);
}
