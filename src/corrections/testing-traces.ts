// Looks for what somebody wrote in the files of a directory, for tests of erasures.

import { readdir, readFile, stat } from "node:fs/promises";
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

/** The files below a directory that contain one of these. */
export async function filesWith(directory: string, traces: readonly Buffer[]): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  const found: string[] = [];
  for (const name of names) {
    const file = join(directory, name);
    if (!(await stat(file).catch(() => null))?.isFile()) continue;
    const content = await readFile(file);
    if (traces.some((trace) => content.includes(trace))) found.push(name);
  }
  return found;
}
