// Checks that everything that is made of donations agrees with them.

import type { Knex } from "knex";
import { type Verified, verify } from "../backup/verify.ts";
import { countSearchFaults } from "../donations/search/verify-blocks.ts";
import { countRollUpFaults } from "../reports/roll-ups/verify-roll-ups.ts";

/** Compares roll-ups, alerts and the search index with the donations of all streamers. */
export function verifyDatabase(knex: Knex): Promise<Verified> {
  return verify(knex, { searchFaults: () => countSearchFaults(knex), rollUpFaults: () => countRollUpFaults(knex) });
}
