// Reads the audit log, for tests.

import type { Knex } from "knex";
import type { StoredEntry } from "./audit-log.ts";

type Line = StoredEntry & { chain: string; number: number };

/** All lines of a chain, or of all chains, oldest first. */
export async function auditLines(knex: Knex, chain?: string): Promise<Line[]> {
  const rows: { chain: string; number: number; entry: string }[] = await knex("audit_log")
    .modify((lines) => void (chain !== undefined && lines.where({ chain })))
    .orderBy(["at", "chain", "number"])
    .select("chain", "number", "entry");
  return rows.map(({ entry, ...line }) => ({ ...line, ...JSON.parse(entry) }));
}

/** What somebody does who may switch the triggers of the table off. */
export async function tamper(knex: Knex, sql: string, table = "audit_log"): Promise<void> {
  await knex.raw(`alter table ${table} disable trigger user`);
  await knex.raw(sql);
  await knex.raw(`alter table ${table} enable trigger user`);
}
