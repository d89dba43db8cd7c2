// What a linter of OpenAPI can't know: each free text of the contract says whether donors write it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../harness/server.ts";
import { undecidedTexts } from "./donor-text.ts";

const undecided = undecidedTexts(JSON.parse(readFileSync(join(checkout, "generated/openapi.json"), "utf8")));

for (const text of undecided) console.error(`UNDECIDED  ${text}, in ${fileOf(text)}`);
if (undecided.length > 0) {
  console.error(
    `${undecided.length} text(s) have not decided whether donors write them. Put one of these lines above each:\n` +
      '  @extension("x-donor-text", true)   strangers write it: assistants are told that it is data, and no instruction\n' +
      '  @extension("x-donor-text", false)  they do not',
  );
  process.exit(1);
}

/** Where it is declared. */
function fileOf(text: string): string {
  const [name] = text.split(".");
  const declared = new RegExp(`^(?:scalar|model) ${name}\\b`, "m");
  const files = readdirSync(join(checkout, "spec")).filter((file) => file.endsWith(".tsp"));
  return `spec/${files.find((file) => declared.test(readFileSync(join(checkout, "spec", file), "utf8"))) ?? "*.tsp"}`;
}
