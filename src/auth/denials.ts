// Access tokens that are refused although their signature and time are good: single tokens (jti) and whole grants.

import type { Knex } from "knex";
import { raiseCredentialVersion } from "./changes.ts";

export type Denials = {
  /** Whether this process has learned that a token or grant was revoked. */
  has: (id: string) => boolean;
  /** Denies ids for as long as a token can carry them: here at once, elsewhere within a second. Runs in `trx` when given. */
  deny: (ids: readonly string[], trx?: Knex) => Promise<void>;
  /** Reads what was denied anywhere. */
  reload: () => Promise<void>;
};

/** Seconds an access token lives. */
export const accessTokenLifetime = 3_600;
const margin = 300;

export async function loadDenials(knex: Knex): Promise<Denials> {
  let denied = new Set<string>();
  /** Denied here since the last reload began: its snapshot may be older than they are. */
  let own = new Set<string>();

  const deny: Denials["deny"] = async (ids, trx = knex) => {
    if (ids.length === 0) return;
    for (const id of ids) own.add(id);
    await trx("denials")
      .insert(ids.map((id) => ({ id, expires_at: knex.raw("now() + ? * interval '1 second'", [accessTokenLifetime + margin]) })))
      .onConflict("id")
      .ignore();
    await raiseCredentialVersion(trx);
  };

  const reload = async () => {
    const before = own;
    own = new Set();
    const current = new Set<string>(await knex("denials").where("expires_at", ">", knex.fn.now()).pluck("id"));
    // What was denied here before the reload may still be uncommitted: it is kept until the next one, which that denial calls for.
    denied = new Set([...current, ...before]);
  };

  await reload();
  return { has: (id) => denied.has(id) || own.has(id), deny, reload };
}
