// Checks that everything that is made of donations agrees with them: roll-ups, alerts, the search index.

import type { Knex } from "knex";
import { countSearchFaults } from "../../donations/search/blocks.ts";
import { countRollUpFaults } from "../../reports/roll-ups/verify-roll-ups.ts";

/** A check: SQL that finds what disagrees, a row each. */
type Check = Readonly<{ name: string; sql: string }>;

/** By check: how many rows disagree. */
type Verified = Readonly<{ faults: number; checks: Readonly<Record<string, number>> }>;

const checks: readonly Check[] = [
  {
    name: "donations without their alert",
    sql: "select from donations d left join alerts a on a.streamer_id = d.streamer_id and a.donation_id = d.id where not d.skip_alert and a.donation_id is null",
  },
  {
    name: "alerts without their donation",
    sql: `select from alerts a left join donations d on d.streamer_id = a.streamer_id and d.id = a.donation_id
      where d.id is null or d.sequence <> a.sequence`,
  },
  {
    name: "alerts that differ from their latest playback",
    sql: `select from alerts a cross join lateral (
        select state from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id order by number desc limit 1
      ) p where p.state <> a.status`,
  },
  {
    name: "donations above the streamer's counter",
    sql: "select from donations d join streamers s on s.id = d.streamer_id where d.sequence > s.last_sequence",
  },
  {
    name: "erased donations with something left",
    sql: `select from donations where donator_key like 'e:%'
      and (donator_name <> '(erased)' or message <> '' or identifier is not null or idempotency_key is not null)`,
  },
];

/** Compares roll-ups, alerts and the search index with the donations of all streamers. Reads one snapshot for each check. */
export async function verifyDatabase(knex: Knex): Promise<Verified> {
  const found: Record<string, number> = { ...(await countRollUpFaults(knex)) };
  for (const { name, sql } of checks) {
    const { rows } = await knex.raw<{ rows: { count: number }[] }>(`select count(*) as count from (${sql}) as fault`);
    found[name] = rows[0]?.count ?? 0;
  }
  found["search blocks"] = await countSearchFaults(knex);
  return { faults: Object.values(found).reduce((sum, count) => sum + count, 0), checks: found };
}
