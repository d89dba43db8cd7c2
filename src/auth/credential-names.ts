// The names that credentials and applications have, for pages that say who did something.

import type { Knex } from "knex";

/** The names of API keys by their ids, revoked ones included; only of this streamer's. */
export async function findKeyNames(knex: Knex, streamerId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return namesOf(ids.length === 0 ? [] : await knex("api_keys").where("streamer_id", streamerId).whereIn("id", ids).select("id", "name"));
}

/** The names of applications by their ids. */
export async function findApplicationNames(knex: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return namesOf(ids.length === 0 ? [] : await knex("applications").whereIn("id", ids).select("id", "name"));
}

function namesOf(rows: readonly { id: string; name: string }[]): ReadonlyMap<string, string> {
  return new Map(rows.map(({ id, name }) => [id, name]));
}
