// Whether this version of the program runs on the schema of a database that a newer version has migrated.
//
// During a rolling upgrade the version before goes on serving while the next one has migrated already, and a step back starts it again. Each
// migration says since which migration programs understand the schema it makes; the database keeps that beside the migration's checksum.

import type { Knex } from "knex";
import { numberOf } from "./migration-files.ts";

type Applied = { name: string; compatibleSince: string | null };

/** Whether migrations were applied that do not begin with the baseline, the first of `names`, those of this program. */
export function isBeforeBaseline(applied: readonly string[], names: readonly string[]): boolean {
  return applied.length > 0 && !applied.includes(names[0] ?? "");
}

/**
 * Throws an Error when a checkout before 1.0.0 has made the database; or when it has migrations that `names`, those of this program, lack,
 * unless each of them is compatible with the newest of `names`.
 */
export async function rejectIncompatible(pool: Knex, names: readonly string[]): Promise<void> {
  const applied = await readApplied(pool);
  const appliedNames = applied.map(({ name }) => name);
  if (isBeforeBaseline(appliedNames, names))
    throw new Error(
      "A checkout before 1.0.0 has made this database, and this version changes nothing in it: begin with an empty one (another DATABASE_URL " +
        "or DATA_DIR), and import the donations there that you export in the studio of the old checkout.",
    );
  const newer = applied.filter(({ name }) => !names.includes(name));
  const newest = numberOf(names.at(-1) ?? "");
  const incompatible = newer.filter(({ compatibleSince }) => compatibleSince === null || compatibleSince > newest);
  if (incompatible.length === 0) return;
  throw new Error(
    `The database has the migration ${incompatible.map(({ name }) => name).join(", ")}, which this version of the program does not have, ` +
      "and with which it cannot run: a newer version of the program has migrated it. Start that version or a later one, or restore a backup made before it.",
  );
}

async function readApplied(pool: Knex): Promise<Applied[]> {
  if (!(await pool.schema.hasTable("knex_migrations"))) return [];
  const names: string[] = await pool("knex_migrations").orderBy("id").pluck("name");
  // A process that ended right after its first migrations has not recorded their checksums yet.
  if (!(await pool.schema.hasTable("migration_checksums"))) return names.map((name) => ({ name, compatibleSince: null }));
  const rows = await pool<{ name: string; compatible_since: string | null }>("migration_checksums").select("name", "compatible_since");
  const since = new Map(rows.map((row) => [row.name, row.compatible_since]));
  return names.map((name) => ({ name, compatibleSince: since.get(name) ?? null }));
}
