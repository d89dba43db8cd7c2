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
