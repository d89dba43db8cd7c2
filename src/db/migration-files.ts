import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Knex } from "knex";

interface RawConnection {
  query(text: string): Promise<unknown>;
}

const FILE_NAME = /^(\d{4}_[a-z0-9_]+)\.(sql|ts)$/;

/**
 * The migrations of a directory in order, named by file without its ending (`0001_spine`).
 * Throws when a file is named otherwise or two of them bear the same number.
 */
export async function listMigrations(directory: string): Promise<string[]> {
  const names = (await readdir(directory))
    .filter((file) => !file.startsWith("."))
    .map(migrationName)
    .sort();
  const twice = names.find((name, index) => number(name) === number(names[index - 1] ?? ""));
  if (twice) throw new Error(`Two migrations in ${directory} have the number ${number(twice)}: give one of them the next free number.`);
  return names;
}

/** A `.sql` file is one text for the database; a `.ts` file exports `up(knex)` and perhaps Knex's `config`. */
export async function loadMigration(directory: string, name: string): Promise<Knex.Migration> {
  const files = await readdir(directory);
  const migration = files.includes(`${name}.sql`)
    ? sqlMigration(name, await readFile(join(directory, `${name}.sql`), "utf8"))
    : await import(pathToFileURL(join(directory, `${name}.ts`)).href);
  return { ...migration, down: refuseToGoBack };
}

/** The text of a migration's file. */
export async function readMigration(directory: string, name: string): Promise<string> {
  const file = (await readdir(directory)).find((file) => file === `${name}.sql` || file === `${name}.ts`);
  if (!file) throw new Error(`There is no migration ${name} in ${directory}.`);
  return readFile(join(directory, file), "utf8");
}

function migrationName(file: string): string {
  const name = FILE_NAME.exec(file)?.[1];
  if (!name) throw new Error(`${file} is not named like a migration: use 0001_what_it_does.sql or .ts.`);
  return name;
}

function number(name: string): string {
  return name.slice(0, 4);
}

// Past Knex, straight to `pg`: Knex would take every question mark of the text for a binding.
function sqlMigration(name: string, text: string): Pick<Knex.Migration, "up"> {
  return {
    up: async (knex: Knex) => {
      const connection: RawConnection = await knex.client.acquireConnection();
      await connection.query(text).catch((cause: Error & { position?: string }) => {
        throw new Error(`Migration ${name}.sql${line(text, cause.position)} failed: ${cause.message}`, { cause });
      });
    },
  };
}

function line(text: string, position: string | undefined): string {
  if (position === undefined) return "";
  const before = [...text].slice(0, Number(position));
  return `, line ${before.join("").split("\n").length},`;
}

async function refuseToGoBack(): Promise<never> {
  throw new Error("Migrations go forward only: write a new one that undoes the change.");
}
