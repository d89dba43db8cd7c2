// Checks that everything that is made of donations agrees with them.

import type { Knex } from "knex";
import { countSearchFaults } from "../../donations/search/blocks.ts";
import { countRollUpFaults } from "../../reports/roll-ups/verify-roll-ups.ts";
import { type Verified, verify } from "./verify.ts";

/** Compares roll-ups, alerts and the search index with the donations of all streamers. */
export function verifyDatabase(knex: Knex): Promise<Verified> {
  return verify(knex, { searchFaults: () => countSearchFaults(knex), rollUpFaults: () => countRollUpFaults(knex) });
}
