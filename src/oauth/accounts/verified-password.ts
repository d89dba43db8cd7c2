// A password that was right a moment ago. Checking one takes a third of a second, in which it may be changed.

import type { Knex } from "knex";

/** `changedAt`: when the password was set, as the database writes it; it tells one password of a streamer from the next. */
export type VerifiedPassword = Readonly<{ streamerId: string; changedAt: string }>;

/**
 * Keeps a verified password from being changed until the transaction ends. False when it was changed since it was verified. `update`: the
 * caller changes it.
 */
export async function lockPassword(trx: Knex, { streamerId, changedAt }: VerifiedPassword, lock: "share" | "update"): Promise<boolean> {
  const query = trx("streamer_passwords").where({ streamer_id: streamerId }).whereRaw("changed_at = ?::timestamptz", [changedAt]);
  const row = await (lock === "share" ? query.forShare() : query.forUpdate()).first("streamer_id");
  return row !== undefined;
}
