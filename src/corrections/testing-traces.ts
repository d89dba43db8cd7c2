// Looks for what somebody wrote in the files of a directory, for tests of erasures.

import { readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";

/** The bytes of texts in every encoding that a database or a log may have them in. */
export function bytesOf(texts: readonly string[]): Buffer[] {
  return texts.flatMap((text) => [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le"), Buffer.from(text, "utf16le").swap16()]);
}

/** The bytes of numbers that stand side by side, as PostgreSQL stores them in an int4 array: three of them are found nowhere by chance. */
export function bytesOfGrams(grams: readonly number[]): Buffer[] {
  const stored = Buffer.from(Int32Array.from(grams).buffer);
  return grams.slice(2).map((_, index) => stored.subarray(4 * index, 4 * index + 12));
}

/** The files of a data directory, and of its cluster where that is elsewhere, that contain one of these. */
export async function filesWith(dataDir: string, traces: readonly Buffer[]): Promise<string[]> {
  const [directory, cluster] = [await realpath(dataDir), await realpath(join(dataDir, "postgres"))];
  const directories = cluster.startsWith(directory) ? [directory] : [directory, cluster];
  const found: string[] = [];
  for (const file of (await Promise.all(directories.map(filesBelow))).flat()) {
    const content = await readFile(file).catch(ifDeleted);
    if (traces.some((trace) => content.includes(trace))) found.push(file);
  }
  return found;
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** PostgreSQL deletes files while they are listed. */
function ifDeleted(error: NodeJS.ErrnoException): Buffer {
  if (error.code !== "ENOENT") throw error;
  return Buffer.alloc(0);
}
