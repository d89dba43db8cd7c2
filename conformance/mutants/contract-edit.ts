import { readFileSync } from "node:fs";
import { join } from "node:path";

import { checkout } from "../harness/server/start-server.ts";
import { edited } from "./copy.ts";
import type { Edit } from "./mutant.ts";

const file = "generated/openapi.json";
const contract = readFileSync(join(checkout, file), "utf8");

/** An edit of one schema or shared parameter in the server's copy of the contract; the suite keeps the right one. */
export function inSchema(name: string, from: string, to: string): Edit {
  const [schema = ""] = new RegExp(`^      "${name}": \\{[^]*?^      \\}`, "m").exec(contract) ?? [];
  return { file, from: schema, to: edited(schema, { file: `${file}, ${name},`, from, to }) };
}

/** An edit of one operation in the server's copy of the contract. */
export function inOperation(path: string, from: string, to: string): Edit {
  const start = contract.indexOf(`    "${path}": {`);
  const node = contract.slice(start, contract.indexOf("\n    }", start));
  return { file, from: node, to: edited(node, { file: `${file}, ${path},`, from, to }) };
}
/** An edit of a bound that stands beside the schemas, such as `"x-max-nesting": 32`. */
export const inContract = (from: string, to: string): Edit => ({ file, from, to });

/** An edit of the pattern that createdAt must have. */
export const inDateTime = (from: string, to: string): Edit => inSchema("createdAt", escaped(from), escaped(to));

/** As JSON writes it. */
const escaped = (pattern: string): string => pattern.replaceAll("\\", "\\\\");
