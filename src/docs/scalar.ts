// The program that draws the reference: one file of 4 MB, which nobody reads before somebody asks for it.

import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { StaticFile } from "../http/files.ts";

// The package exports its style sheet, but not the program beside it.
const styles = createRequire(import.meta.url).resolve("@scalar/api-reference/style.css");
const program = new URL("browser/standalone.js", `file://${styles}`);
const { version } = JSON.parse(readFileSync(new URL("../package.json", `file://${styles}`), "utf8")) as { version: string };

/** Changes with the version, so that the file may be kept for ever. */
export const scalarName = `scalar-${version}.js`;

export function scalarProgram(): StaticFile {
  return { type: "text/javascript", size: statSync(program).size, load: () => readFile(program), cache: "immutable" };
}
