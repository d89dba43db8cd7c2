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
