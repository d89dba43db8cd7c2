// The command that makes one page of the results of many servers.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { type Result, readResult } from "../report/result.ts";
import { type MutantRow, tableOf } from "../report/table.ts";
import { UsageError } from "./usage-error.ts";

/** Writes `index.html` into the folder and returns what to print. Throws UsageError for a folder without results and for a file that is no result. */
export function writeTable(folder: string): string {
  if (!existsSync(folder)) throw new UsageError(`table: there is no folder ${folder}`);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const matrices = files.filter((file) => file.endsWith("matrix.json")).sort();
  const isOfMutants = (file: string): boolean => matrices.some((matrix) => !relative(dirname(matrix), file).startsWith(".."));
  const results = files.filter((file) => file.endsWith("result.yaml") && !isOfMutants(file)).sort();
  if (results.length + matrices.length === 0) throw new UsageError(`table: there is no result.yaml and no matrix.json in ${folder}`);
  const page = join(folder, "index.html");
  writeFileSync(page, tableOf(results.map(read), matrices.flatMap(readMatrix)));
  return `${page}: ${results.length} results, ${matrices.length} kill matrices\n`;
}

function read(file: string): Result {
  try {
    return readResult(readFileSync(file, "utf8"), file);
  } catch (error) {
    throw new UsageError(`table: ${error instanceof Error ? error.message : error}`);
  }
}

function readMatrix(file: string): MutantRow[] {
  try {
    const rows: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(rows) && rows.every(isMutantRow)) return rows;
  } catch (error) {
    throw new UsageError(`table: ${file}: ${error instanceof Error ? error.message : error}`);
  }
  throw new UsageError(`table: ${file} is no kill matrix: each row needs name, outcome, broken and failed`);
}

const isMutantRow = (row: unknown): row is MutantRow =>
  typeof row === "object" && row !== null && ["name", "outcome", "broken", "failed"].every((name) => name in row);
