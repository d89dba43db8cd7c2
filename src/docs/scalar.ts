// The program that draws the reference: one file of 4 MB, which nobody reads before somebody asks for it. `make generate` copies it.

import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { generatedFolder } from "../http/contract/published.ts";
import type { StaticFile } from "../http/files.ts";

/** Changes with the version, so that the file may be kept for ever. */
export const scalarName = readdirSync(generatedFolder).find((name) => /^scalar-[\d.]+\.js$/.test(name)) as string;

export function scalarProgram(): StaticFile {
  const file = new URL(scalarName, generatedFolder);
  return { type: "text/javascript", size: statSync(file).size, load: () => readFile(file), cache: "immutable" };
}
