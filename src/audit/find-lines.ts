// Finds lines of the audit log about one thing, for pages that say who did what.

import type { Knex } from "knex";
import type { AuditAction, StoredEntry } from "./audit-log.ts";

/** `at`: milliseconds since 1970. */
export type FoundLine = StoredEntry & Readonly<{ at: number }>;

/** `moments`: when the actions were done, in milliseconds since 1970. */
type Wanted = Readonly<{ chain: string; target: string; actions: readonly AuditAction[]; moments: readonly number[] }>;

/** A line is appended at the end of the transaction of its action. */
const longestTransactionMs = 60_000;
/** Between the clocks of two machines of a distributed database. */
const clockSkewMs = 5_000;
/** Moments that one statement looks at. */
const mostMoments = 20;

/** Whether a line of this time may be of an action that was done at this moment, both in milliseconds. */
export function isSoonAfter(at: number, moment: number): boolean {
  return at >= moment - clockSkewMs && at < moment + longestTransactionMs;
}

/**
 * Finds the lines of these actions on the target, oldest first. A chain may be long and has no index by target, so only what was appended
 * soon after the latest of the moments is read.
 */
export async function findLines(knex: Knex, { chain, target, actions, moments }: Wanted): Promise<FoundLine[]> {
  if (moments.length === 0) return [];
  const latest = moments.toSorted((a, b) => a - b).slice(-mostMoments);
  const near = latest.map(() => "(at >= from_millis(?::bigint) and at < from_millis(?::bigint))").join(" or ");
  const { rows } = await knex.raw<{ rows: { entry: string; at: number }[] }>(
    `select entry, to_millis(at) as at from audit_log
     where chain = ? and (${near}) and entry::jsonb ->> 'target' = ? and entry::jsonb ->> 'action' = any(?::text[]) order by audit_log.at, number`,
    [chain, ...latest.flatMap((moment) => [moment - clockSkewMs, moment + longestTransactionMs]), target, actions],
  );
  return rows.map(({ entry, at }) => ({ ...(JSON.parse(entry) as StoredEntry), at }));
}

/** `among`: of so many of the chain's latest lines. */
type WantedLatest = Readonly<{ chain: string; action: AuditAction; lines: number; among: number }>;

/** Finds the latest lines of this action, the last ones first. */
export async function findLatest(knex: Knex, { chain, action, lines, among }: WantedLatest): Promise<FoundLine[]> {
  const { rows } = await knex.raw<{ rows: { entry: string; at: number }[] }>(
    `select entry, to_millis(at) as at from (select entry, at, number from audit_log where chain = ? order by number desc limit ?) as latest
     where entry::jsonb ->> 'action' = ? order by number desc limit ?`,
    [chain, among, action, lines],
  );
  return rows.map(({ entry, at }) => ({ ...(JSON.parse(entry) as StoredEntry), at }));
}
