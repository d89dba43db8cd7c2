// Formats the kill matrix: how many rules of each file failed for each mutant.

import { type EvaluationOfSeeds, isGood } from "./outcome.ts";

export type Row = EvaluationOfSeeds & { name: string; broken: string; milliseconds: number };

/** Formats the kill matrix, one area after the other: how many rules of each rule file failed; `·` when none of those run failed. */
export const matrix = (areas: ReadonlyMap<string, readonly Row[]>): string =>
  [...areas].map(([area, rows]) => `${area}\n${table(rows)}\n`).join("\n");

function table(rows: readonly Row[]): string {
  const families = [...new Set(rows.flatMap(({ run }) => Object.keys(run)))];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const heads = families.map((family, index) => `${" ".repeat(width)}  ${"│ ".repeat(index)}┌ ${family}`);
  const lines = rows.map((row) => `${row.name.padEnd(width)}  ${families.map((family) => cell(row, family)).join(" ")}  ${row.outcome}`);
  return [...heads, ...lines].join("\n");
}

function cell({ run, failed }: Row, family: string): string {
  if (!(family in run)) return " ";
  const count = failed.filter((rule) => rule.family === family).length;
  return count === 0 ? "·" : count > 9 ? "+" : String(count);
}

/** Formats the result of one mutant for the terminal. */
export function line({ name, broken, outcome, failed, faults, seeds, milliseconds }: Row): string {
  const [first] = failed;
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : "";
  const by = first ? `\n    ${first.family} > ${first.title}${more}` : "";
  const why = faults.map((fault) => `\n    ${fault}`).join("");
  const ofSeeds = seeds.of > 1 ? ` with ${seeds.good} seeds of ${seeds.of}` : "";
  return `${mark(outcome)} ${name}: ${broken} (${outcome}${ofSeeds}, ${(milliseconds / 1000).toFixed(1)} s)${by}${why}`;
}

/** Formats the last line. */
export function summary(rows: readonly Row[]): string {
  const mutants = rows.filter(({ outcome }) => outcome !== "sound" && outcome !== "unsound");
  const killed = mutants.filter(({ outcome }) => outcome === "killed");
  const rules = new Set(killed.flatMap(({ failed }) => failed.map(({ family, title }) => `${family} > ${title}`)));
  const files = new Set(killed.flatMap(({ failed }) => failed.map(({ family }) => family)));
  return `${mutants.length} mutants: ${killed.length} killed, by ${rules.size} rules of ${files.size} files`;
}

const mark = (outcome: Row["outcome"]): string => (isGood({ outcome }) ? "✓" : "✗");
