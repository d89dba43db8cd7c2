// Access tokens that are refused although their signature and time are good: single tokens (jti) and whole grants.

import type { Knex } from "knex";
import { raiseCredentialVersion } from "./revocation-feed.ts";

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
const ownForMs = 60_000;

export async function loadDenials(knex: Knex): Promise<Denials> {
  let denied = new Set<string>();
  /** Denied by this process, and when: a reload may have read the table before they were committed. */
  const own = new Map<string, number>();

  const deny: Denials["deny"] = async (ids, trx = knex) => {
    if (ids.length === 0) return;
    for (const id of ids) own.set(id, performance.now());
    await trx("denials")
      .insert(ids.map((id) => ({ id, expires_at: knex.raw("now() + ? * interval '1 second'", [accessTokenLifetime + margin]) })))
      .onConflict("id")
      .ignore();
    await raiseCredentialVersion(trx);
  };

  const reload = async () => {
    denied = new Set(await knex("denials").where("expires_at", ">", knex.fn.now()).pluck("id"));
    // By then committed and read, or rolled back.
    for (const [id, since] of own) if (performance.now() - since > ownForMs) own.delete(id);
  };

  await reload();
  return { has: (id) => denied.has(id) || own.has(id), deny, reload };
}
