// Checks that everything that is made of donations agrees with them: roll-ups, alerts, the search index.

import type { Knex } from "knex";

/** A check: SQL that finds what disagrees, a row each. */
type Check = Readonly<{ name: string; sql: string }>;

/** By check: how many rows disagree. */
export type Verified = Readonly<{ faults: number; checks: Readonly<Record<string, number>> }>;

/** Donations that are in the roll-ups. */
const folded = `donations d join report_progress g on g.streamer_id = d.streamer_id and d.sequence <= g.rolled_sequence
  join report_donators r on r.streamer_id = d.streamer_id and r.key = d.donator_key where d.voided_at is null`;
const day = "floor((to_millis(d.created_at) + 25200000) / 86400000.0)::int";

/** What one side has and the other has not, in both directions. */
function differences(stored: string, counted: string): string {
  return `((${stored}) except all (${counted})) union all ((${counted}) except all (${stored}))`;
}

const checks: readonly Check[] = [
  {
    name: "sums of all time",
    sql: differences(
      "select streamer_id, source, channel, count, amount, smallest, largest from report_sums where grain = 7",
      `select d.streamer_id, d.source, d.channel, count(*), sum(d.amount), min(d.amount), max(d.amount) from ${folded} group by 1, 2, 3`,
    ),
  },
  {
    name: "sums of days",
    sql: differences(
      "select streamer_id, period, source, channel, count, amount from report_sums where grain = 3",
      `select d.streamer_id, ${day}, d.source, d.channel, count(*), sum(d.amount) from ${folded} group by 1, 2, 3, 4`,
    ),
  },
  {
    name: "sums of donators",
    sql: differences(
      "select streamer_id, donator, source, count, amount from report_donator_sums where grain = 7",
      `select d.streamer_id, r.donator, d.source, count(*), sum(d.amount) from ${folded} group by 1, 2, 3`,
    ),
  },
  {
    name: "donators without a number",
    sql: `select from donations d join report_progress g on g.streamer_id = d.streamer_id and d.sequence <= g.rolled_sequence
      where d.voided_at is null and not exists (select from report_donators r where r.streamer_id = d.streamer_id and r.key = d.donator_key)`,
  },
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

/** `searchFaults`: how many blocks of the search index disagree with their donations. Reads one snapshot for each check. */
export async function verify(knex: Knex, searchFaults: () => Promise<number>): Promise<Verified> {
  const found: Record<string, number> = {};
  for (const { name, sql } of checks) {
    const { rows } = await knex.raw<{ rows: { count: number }[] }>(`select count(*) as count from (${sql}) as fault`);
    found[name] = rows[0]?.count ?? 0;
  }
  found["search blocks"] = await searchFaults();
  return { faults: Object.values(found).reduce((sum, count) => sum + count, 0), checks: found };
}
