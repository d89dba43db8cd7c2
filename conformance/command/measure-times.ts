// Writes measured-times.json, by which --shard divides the rule files: node conformance/command/measure-times.ts [conformance-report]

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { readRun } from "./merge.ts";

const file = fileURLToPath(new URL("measured-times.json", import.meta.url));

const [folder = "conformance-report"] = process.argv.slice(2);
const times: Record<string, number> = JSON.parse(readFileSync(file, "utf8"));
const measured: Record<string, number> = {};
for (const { family, milliseconds, state } of readRun(folder).rules)
  if (state !== "not run") measured[family] = (measured[family] ?? 0) + milliseconds;
const rounded = Object.entries({ ...times, ...measured }).map(([family, milliseconds]) => [family, Math.ceil(milliseconds)]);
writeFileSync(file, `${JSON.stringify(Object.fromEntries(rounded.toSorted()), null, 2)}\n`);
