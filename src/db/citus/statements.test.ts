import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../..");

/** Statements on tables of PostgreSQL itself, which are not distributed. */
const excepted = /db\/requirements\.ts$|\.test\.ts$/;

test("no statement has a case that compares one value: Citus 13.2 sends it to a node as a comparison with null", async () => {
  const found: string[] = [];
  for await (const file of glob("**/*.{ts,sql}", { cwd: src }))
    if (!excepted.test(file) && hasSimpleCase(await readFile(join(src, file), "utf8"))) found.push(file);
  expect(found, "write  case when x = 'a' then …  in these files").toEqual([]);
});

test("a case that compares one value is noticed, and one with conditions is not", () => {
  expect(hasSimpleCase("select case a.status when 'held' then 1 end")).toBe(true);
  expect(hasSimpleCase("select case when a.status = 'held' then 1 end")).toBe(false);
});

/** Comments of SQL may have the words. */
function hasSimpleCase(text: string): boolean {
  return /\bcase\s+(?!when\b)[\w.]+\s+when\s+['\d$:]/.test(text.replace(/--.*$/gm, ""));
}
