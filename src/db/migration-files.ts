// Finds and reads the files of migrations.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Knex } from "knex";

type RawConnection = {
  query(text: string): Promise<unknown>;
};

const fileNamePattern = /^(\d{4}_[a-z0-9_]+)\.(sql|ts)$/;

/**
 * Lists the migrations of a directory in order, named by their files without the extension (`0001_spine`).
 * Throws an Error when a file has another form of name, or when two have the same number.
 */
export async function listMigrations(directory: string): Promise<string[]> {
  const names = (await readdir(directory))
    .filter((file) => !file.startsWith("."))
    .map(migrationName)
    .sort();
  const duplicate = names.find((name, index) => numberOf(name) === numberOf(names[index - 1] ?? ""));
  if (duplicate)
    throw new Error(`Two migrations in ${directory} have the number ${numberOf(duplicate)}: give one of them the next free number.`);
  return names;
}

/** Loads a migration. A `.sql` file is sent to the database as one text; a `.ts` file exports `up(knex)` and optionally Knex's `config`. */
export async function loadMigration(directory: string, name: string): Promise<Knex.Migration> {
  const files = await readdir(directory);
  const migration = files.includes(`${name}.sql`)
    ? sqlMigration(name, await readFile(join(directory, `${name}.sql`), "utf8"))
    : await import(pathToFileURL(join(directory, `${name}.ts`)).href);
  return { ...migration, down: rejectRollback };
}

/** Reads the text of a migration's file. */
export async function readMigration(directory: string, name: string): Promise<string> {
  const file = (await readdir(directory)).find((file) => file === `${name}.sql` || file === `${name}.ts`);
  if (!file) throw new Error(`There is no migration ${name} in ${directory}.`);
  return readFile(join(directory, file), "utf8");
}

function migrationName(file: string): string {
  const name = fileNamePattern.exec(file)?.[1];
  if (!name) throw new Error(`${file} is not named like a migration: use 0001_what_it_does.sql or .ts.`);
  return name;
}

function numberOf(name: string): string {
  return name.slice(0, 4);
}

/** Sends the text to `pg` directly, because Knex would take every question mark for a binding. */
function sqlMigration(name: string, text: string): Pick<Knex.Migration, "up"> {
  return {
    up: async (knex: Knex) => {
      const connection: RawConnection = await knex.client.acquireConnection();
      await connection.query(text).catch((cause: Error & { position?: string }) => {
        throw new Error(`Migration ${name}.sql${describeLine(text, cause.position)} failed: ${cause.message}`, { cause });
      });
    },
  };
}

/** `, line 4,` for the position of an error in the text; "" when the database gave none. */
function describeLine(text: string, position: string | undefined): string {
  if (position === undefined) return "";
  const before = [...text].slice(0, Number(position));
  return `, line ${before.join("").split("\n").length},`;
}

async function rejectRollback(): Promise<never> {
  throw new Error("Migrations go forward only: write a new one that undoes the change.");
}
