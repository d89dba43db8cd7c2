import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useDatabase } from "../testing.ts";
import { requirePlacements } from "./distribute.ts";
import { placements } from "./placements.ts";

let tables: string[];
useDatabase(async ({ knex }) => {
  tables = await knex("pg_tables").where("schemaname", "public").pluck("tablename");
});

test("every table of the schema has a placement, and every placement is that of a table", () => {
  expect(() => requirePlacements(tables)).not.toThrow();
  expect(Object.keys(placements).filter((name) => !tables.includes(name))).toEqual([]);
});

test("a table that nobody has said the placement of is named", () =>
  expect(() => requirePlacements(["donations", "gifts"])).toThrow("placements.ts how the table gifts is distributed"));

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
