// Edits of the compiled contract, for mutants of it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { checkout } from "../../suite/contract/sources.ts";
import { applyEdit } from "./copy.ts";
import type { Edit } from "./mutant.ts";

const file = "generated/openapi.json";
const contract = readFileSync(join(checkout, file), "utf8");

// Edits of the contract in the mutant's copy. The suite reads the unchanged contract.

/** An edit of one schema or shared parameter. */
export function inSchema(name: string, from: string, to: string): Edit {
  const [schema = ""] = new RegExp(`^      "${name}": \\{[^]*?^      \\}`, "m").exec(contract) ?? [];
  return { file, from: schema, to: applyEdit(schema, { file: `${file}, ${name},`, from, to }) };
}

/** An edit of one operation. */
export function inOperation(path: string, from: string, to: string): Edit {
  const start = contract.indexOf(`    "${path}": {`);
  const node = contract.slice(start, contract.indexOf("\n    }", start));
  return { file, from: node, to: applyEdit(node, { file: `${file}, ${path},`, from, to }) };
}

/** An edit anywhere in the contract, such as the extension `"x-max-nesting": 32`. */
export const inContract = (from: string, to: string): Edit => ({ file, from, to });

/** An edit of the pattern of createdAt. */
export const inDateTime = (from: string, to: string): Edit => inSchema("createdAt", escaped(from), escaped(to));

/** Escapes a pattern as in a JSON string. */
const escaped = (pattern: string): string => pattern.replaceAll("\\", "\\\\");
