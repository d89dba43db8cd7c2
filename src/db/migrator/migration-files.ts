// Finds and reads the files of migrations.

import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Knex } from "knex";

type RawConnection = {
  query(text: string): Promise<unknown>;
};

/** A statement that waits for a lock on a table makes all later statements on the table wait, so a migration gives up soon and is tried again. */
const lockTimeoutMs = 2_000;

/** A file, or a folder of `.sql` files that are one migration. */
const namePattern = /^(\d{4}_[a-z0-9_]+)(\.sql|\.ts|\/)$/;

/**
 * Lists the migrations of a directory in order, named by their files without the extension (`0001_baseline`).
 * Throws an Error when a file has another form of name, or when two have the same number.
 */
export async function listMigrations(directory: string): Promise<string[]> {
  const names = (await readdir(directory, { withFileTypes: true }))
    .filter(({ name }) => !name.startsWith("."))
    .map((entry) => migrationName(entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  const duplicate = names.find((name, index) => numberOf(name) === numberOf(names[index - 1] ?? ""));
  if (duplicate)
    throw new Error(`Two migrations in ${directory} have the number ${numberOf(duplicate)}: give one of them the next free number.`);
  return names;
}

/**
 * Loads a migration. A `.sql` file is sent to the database as one text, or statement by statement when it runs without a transaction, and so
 * are those of a folder, one after the other in the order of their names; a `.ts` file exports `up(knex)`.
 */
export async function loadMigration(directory: string, name: string): Promise<Knex.Migration> {
  const files = await readFiles(directory, name);
  const head = readHead(textOf(files));
  const { up }: Pick<Knex.Migration, "up"> = files[0]?.file.endsWith(".ts")
    ? await import(pathToFileURL(join(directory, `${name}.ts`)).href)
    : { up: (knex) => runSql(knex, files, head) };
  return {
    up: async (knex) => {
      if (head.transaction) await knex.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      return up(knex);
    },
    down: rejectRollback,
    config: { transaction: head.transaction },
  } as Knex.Migration;
}

/** Reads the text of a migration: that of its file, or of all files in its folder. */
export async function readMigration(directory: string, name: string): Promise<string> {
  return textOf(await readFiles(directory, name));
}

type SqlFile = { file: string; text: string };

/** Knex reads all migrations at once, and there may be more than a process with few descriptors may open. */
async function readFiles(directory: string, name: string): Promise<SqlFile[]> {
  const isOfMigration = (file: string): boolean =>
    file === `${name}.sql` || file === `${name}.ts` || (file.startsWith(`${name}${sep}`) && file.endsWith(".sql"));
  const files = (await readdir(directory, { recursive: true })).filter(isOfMigration).sort();
  if (files.length === 0) throw new Error(`There is no migration ${name} in ${directory}.`);
  return files.map((file) => ({ file, text: readFileSync(join(directory, file), "utf8") }));
}

const textOf = (files: readonly SqlFile[]): string => files.map(({ text }) => text).join("\n");

function migrationName(file: string): string {
  const name = namePattern.exec(file)?.[1];
  if (!name) throw new Error(`${file} is not named like a migration: use 0001_what_it_does.sql or .ts.`);
  return name;
}

/** The number at the beginning of a migration's name, with its zeros. */
export function numberOf(name: string): string {
  return name.slice(0, 4);
}

/** Sends the texts to `pg` directly, because Knex would take every question mark for a binding. */
async function runSql(knex: Knex, files: readonly SqlFile[], head: MigrationHead): Promise<void> {
  const connection: RawConnection = await knex.client.acquireConnection();
  try {
    for (const { file, text } of files)
      for (const part of head.transaction ? [text] : statementsOf(text))
        await connection.query(part).catch((cause: Error & { position?: string }) => {
          const line = describeLine(text, cause.position && String(Number(cause.position) + text.indexOf(part)));
          throw new Error(`Migration ${file}${line} failed: ${cause.message}`, { cause });
        });
  } finally {
    await knex.client.releaseConnection(connection);
  }
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

// What a migration says about itself, in comment lines of its file.

export type MigrationHead = Readonly<{
  /**
   * The number of a migration: programs whose newest migration is this one or a later one run on the schema that the migration makes.
   * Null: earlier programs do not, and refuse to start.
   */
  compatibleSince: string | null;
  /** False: each of its statements commits by itself, such as `create index concurrently`. */
  transaction: boolean;
}>;

/** Reads the lines `-- compatible since 0019` and `-- without a transaction` (in a `.ts` file after `//`). */
export function readHead(text: string): MigrationHead {
  return {
    compatibleSince: /^(?:--|\/\/) compatible since (\d{4})\b/m.exec(text)?.[1] ?? null,
    transaction: !/^(?:--|\/\/) without a transaction\b/m.test(text),
  };
}

/** The statements of a migration without a transaction: each ends with a semicolon at the end of a line. */
export function statementsOf(text: string): string[] {
  const statements = text.split(/;[ \t]*(?:--[^\n]*)?(?:\r?\n|$)/);
  return statements.filter((statement) => statement.replaceAll(/^\s*--.*$/gm, "").trim() !== "");
}
