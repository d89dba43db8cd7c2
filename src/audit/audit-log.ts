// Appends lines to the audit log, in the transaction of the action that they tell of.

import type { Knex } from "knex";
import { type Actor, currentActor } from "./actor.ts";

/** Everything that is recorded: a noun and what was done to it. A name that stands in a log is never given another meaning. */
export type AuditAction =
  | "alert.approved"
  | "alert.denied"
  | "alert.masked"
  | "alert.put_next"
  | "overlay.chosen"
  | "alert.replayed"
  | "alert.skipped"
  | "alert.timed_out"
  | "alert_file.added"
  | "alert_file.removed"
  | "alert_settings.changed"
  | "alerts.cleared"
  | "alerts.hidden"
  | "alerts.paused"
  | "alerts.resumed"
  | "alerts.unhidden"
  | "api_key.created"
  | "api_key.revoked"
  | "client.changed"
  | "client.created"
  | "client.removed"
  | "client.secret_rotated"
  | "database.backed_up"
  | "database.purged"
  | "database.restored"
  | "donation.voided"
  | "donations.erased_by_age"
  | "erasure.began"
  | "erasure.finished"
  | "grant.approved"
  | "grant.revoked"
  | "import.started"
  | "import.undone"
  | "login.failed"
  | "login.succeeded"
  | "login.unlocked"
  | "overlay_key.changed"
  | "overlay_key.created"
  | "overlay_key.revoked"
  | "password.set"
  | "preferences.changed"
  | "retention.set"
  | "session.ended"
  | "sessions.ended"
  | "signing_key.rotated"
  | "streamer.created"
  | "timer.adjusted"
  | "timer.ended"
  | "timer.paused"
  | "timer.resumed"
  | "timer.started"
  | "timer_rules.changed"
  | "token.revoked"
  | "webhook.changed"
  | "webhook.created"
  | "webhook.removed"
  | "webhook.secret_rotated";

/** Numbers, ids and words of the program: never a name, a message or anything else that a donator wrote (decision 0018). */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

type AuditEntry = Readonly<{
  /** Whose chain gets the line; null: the operator's. */
  streamerId: string | null;
  action: AuditAction;
  /** The id of what was acted on; the action's noun says what it is. */
  target?: string | undefined;
  outcome?: "done" | "refused";
  details?: AuditDetails;
}>;

/** The chain of what concerns no single streamer. */
const operatorChain = "operator";

/** An entry as it is stored; the order of its members is part of what is hashed. */
export type StoredEntry = Readonly<{
  action: AuditAction;
  outcome: "done" | "refused";
  actor: Actor;
  target: string | null;
  details: AuditDetails;
}>;

/**
 * Appends a line. Call it last in the transaction of the action: it holds the chain until the commit, and who waits for nothing more can be
 * part of no deadlock.
 */
export async function recordAudit(trx: Knex, entry: AuditEntry): Promise<void> {
  await recordAudits(trx, [entry]);
}

/** Appends lines in their order, which are all of one chain. Call it last, as recordAudit. */
export async function recordAudits(trx: Knex, entries: readonly AuditEntry[]): Promise<void> {
  const [first] = entries;
  if (!first) return;
  const texts = entries.map((entry) => JSON.stringify(toStored(entry)));
  await trx.raw("select append_audit_line(?, entry) from unnest(?::text[]) as entry", [first.streamerId ?? operatorChain, texts]);
}

function toStored({ action, target, outcome = "done", details = {} }: AuditEntry): StoredEntry {
  return { action, outcome, actor: currentActor(), target: target ?? null, details };
}

/** Does `work` and appends the line that its result calls for in one transaction; null calls for none. */
export function audited<Result>(
  knex: Knex,
  work: (trx: Knex) => Promise<Result>,
  entryOf: (result: Result) => AuditEntry | null,
): Promise<Result> {
  return knex.transaction(async (trx) => {
    const result = await work(trx);
    const entry = entryOf(result);
    if (entry) await recordAudit(trx, entry);
    return result;
  });
}
