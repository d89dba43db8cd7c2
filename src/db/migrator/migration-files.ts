// Reads the files of migrations.

import { createHash } from "node:crypto";
import { type Dirent, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, parse } from "node:path";

/** A `.sql` file, or a folder of them that run in the order of their names. */
export type Migration = Readonly<{
  /** That of its file or folder, such as `0001_baseline`. */
  name: string;
  files: readonly SqlFile[];
  /** Of its text, in hex. Line ends are ignored, because they depend on the system of the checkout. */
  sha256: string;
  /**
   * From the line `-- compatible since 0019`. Programs whose newest migration has this number or a later one run on the schema that the migration
   * makes. Null: earlier programs do not, and refuse to start.
   */
  compatibleSince: string | null;
  /** False with the line `-- without a transaction`: each of its files is one statement, such as `create index concurrently`. */
  transaction: boolean;
}>;

export type SqlFile = Readonly<{ file: string; text: string }>;

/** Reads the migrations of a directory, in order. Throws an Error when a file has another form of name, or when two have the same number. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = (await readdir(directory, { withFileTypes: true })).filter(({ name }) => !name.startsWith("."));
  const migrations = await Promise.all(entries.map((entry) => readMigration(directory, entry)));
  migrations.sort((a, b) => (a.name < b.name ? -1 : 1));
  const duplicate = migrations.find(({ name }, index) => numberOf(name) === numberOf(migrations[index - 1]?.name ?? ""));
  if (duplicate)
    throw new Error(`Two migrations in ${directory} have the number ${numberOf(duplicate.name)}: give one of them the next free number.`);
  return migrations;
}

/** The number at the beginning of a migration's name, with its zeros. */
export function numberOf(name: string): string {
  return name.slice(0, 4);
}

async function readMigration(directory: string, entry: Dirent): Promise<Migration> {
  const { name, ext } = parse(entry.name);
  if (!/^\d{4}_[a-z0-9_]+$/.test(name) || ext !== (entry.isDirectory() ? "" : ".sql"))
    throw new Error(`${entry.name} is not named like a migration: use 0001_what_it_does.sql.`);
  const names = entry.isDirectory() ? await readdir(join(directory, name)) : [];
  const parts = names.filter((file) => file.endsWith(".sql")).map((file) => join(name, file));
  const files = (entry.isDirectory() ? parts.sort() : [entry.name]).map((file) => ({
    file,
    text: readFileSync(join(directory, file), "utf8"), // one after the other: a process with few descriptors may not open all
  }));
  const text = files.map(({ text }) => text).join("\n");
  return {
    ...{ name, files },
    sha256: createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex"),
    compatibleSince: /^-- compatible since (\d{4})\b/m.exec(text)?.[1] ?? null,
    transaction: !/^-- without a transaction\b/m.test(text),
  };
}
