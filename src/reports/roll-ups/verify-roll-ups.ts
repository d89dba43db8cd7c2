// Compares every table of roll-ups, in every grain, with a plain group by of the donations that it was made of.

import type { Knex } from "knex";

/** SQL of a roll-up's rows, and of what they are by the donations; or of the rows at fault. */
type Comparison = Readonly<{ kept: string; counted: string } | { faults: string }>;

/** Rows that one side has and the other has not, by table of roll-ups. */
type RollUpFaults = Readonly<Record<string, readonly unknown[]>>;

const start = (unit: string, time: string) => `date_trunc('${unit}', ${time})`;
const universal = "(d.created_at at time zone 'UTC')";
const local = "(d.created_at at time zone interval '07:00')";
const seconds = "extract(epoch from start)";
const days = `(${seconds} / 86400)`;
const year = "(extract(year from start) + (extract(year from start) < 0)::int)"; // 1 BC is the year 0

/** Begin of the period of a donation, in each grain: quarters of an hour, hours, and local days, weeks, months and years; all time. */
const starts = `values (1, date_bin('15 minutes', ${universal}, timestamp '1970-01-01')), (2, ${start("hour", universal)}), (3, ${start("day", local)}),
  (4, ${start("week", local)}), (5, ${start("month", local)}), (6, ${start("year", local)}), (7, null)`;

const period = `case when grain = 1 then ${seconds} / 900 when grain = 2 then ${seconds} / 3600 when grain = 3 then ${days}
  when grain = 4 then (${days} + 3) / 7 when grain = 5 then ${year} * 12 + extract(month from start) - 1 when grain = 6 then ${year} else 0 end::int`;

/** One streamer, or all when it is null. */
const chosen = (column: string) => `(:streamerId::uuid is null or ${column} = :streamerId::uuid)`;

/** Donations that are in the roll-ups, once for each of the grains. */
const folded = (grains: string) => `(
  select d.streamer_id, d.sequence, d.source, d.channel, d.amount, d.created_at, r.donator, g.grain, g.start
  from donations d join report_progress p on p.streamer_id = d.streamer_id and d.sequence <= p.rolled_sequence
  join report_donators r on r.streamer_id = d.streamer_id and r.key = d.donator_key
  cross join lateral (${starts}) g(grain, start)
  where d.voided_at is null and g.grain in (${grains}) and ${chosen("d.streamer_id")}
) d`;

const keptIn = (table: string, columns: string) =>
  `select streamer_id, grain, period, ${columns} from ${table} where ${chosen("streamer_id")}`;
const lastSequence = "(array_agg(sequence order by created_at desc, sequence desc))[1]";

const comparisons: Readonly<Record<string, Comparison>> = {
  report_sums: {
    kept: keptIn("report_sums", "source, channel, count, amount, smallest, largest, largest_sequence, last_at, last_sequence"),
    counted: `select streamer_id, grain, ${period}, source, channel, count(*), sum(amount), min(amount), max(amount),
      (array_agg(sequence order by amount desc, sequence desc))[1], max(created_at), ${lastSequence}
      from ${folded("1, 2, 3, 5, 6, 7")} group by streamer_id, grain, start, source, channel`,
  },
  report_donator_sums: {
    kept: keptIn("report_donator_sums", "donator, source, count, amount, first_at, last_at, last_sequence"),
    counted: `select streamer_id, grain, ${period}, donator, source, count(*), sum(amount), min(created_at), max(created_at), ${lastSequence}
      from ${folded("2, 3, 4, 5, 6, 7")} group by streamer_id, grain, start, donator, source`,
  },
  report_donator_counts: {
    kept: `${keptIn("report_donator_counts", "sources, donators")} and donators <> 0`,
    counted: `select streamer_id, grain, ${period}, sources, count(*) from (
      select streamer_id, grain, start, donator, bit_or(source_bit(source)) as sources
      from ${folded("2, 3, 4, 5, 6, 7")} group by streamer_id, grain, start, donator
    ) d group by streamer_id, grain, start, sources`,
  },
  report_classes: {
    kept: keptIn("report_classes", "source, class, count"),
    counted: `select streamer_id, grain, ${period}, source, amount_class(amount), count(*)
      from ${folded("3, 5, 6, 7")} group by streamer_id, grain, start, source, amount_class(amount)`,
  },
  report_amounts: {
    kept: keptIn("report_amounts", "source, class, amount, count"),
    counted: `select streamer_id, grain, ${period}, source, amount_class(amount), amount, count(*)
      from ${folded("3, 5, 6, 7")} group by streamer_id, grain, start, source, amount`,
  },
  // While a donator is erased, the old key and the new one, which begins with e:, have the same number.
  report_donators: {
    faults: `select d.streamer_id, d.donator_key, null::bigint as donators from donations d
        join report_progress p on p.streamer_id = d.streamer_id and d.sequence <= p.rolled_sequence
      where d.voided_at is null and ${chosen("d.streamer_id")}
        and not exists (select from report_donators r where r.streamer_id = d.streamer_id and r.key = d.donator_key)
      union all
      select r.streamer_id, min(r.key), count(*) from report_donators r join report_progress p using (streamer_id)
      where ${chosen("r.streamer_id")} group by r.streamer_id, r.donator, p.donators
      having count(*) filter (where r.key not like 'e:%') > 1 or r.donator not between 1 and p.donators`,
  },
};

/** Of one streamer. For tests: resolves to every row that differs, and holds all of them in memory. */
export async function findRollUpFaults(knex: Knex, streamerId: string): Promise<RollUpFaults> {
  const found: Record<string, unknown[]> = {};
  for (const [table, comparison] of Object.entries(comparisons)) {
    const { rows } = await knex.raw<{ rows: unknown[] }>(differences(comparison), { streamerId });
    if (rows.length > 0) found[table] = rows;
  }
  return found;
}

/** Of all streamers: how many rows of each table differ. Reads one snapshot for each table. */
export async function countRollUpFaults(knex: Knex): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [table, comparison] of Object.entries(comparisons)) {
    const { rows } = await knex.raw<{ rows: { count: number }[] }>(`select count(*) as count from (${differences(comparison)}) as fault`, {
      streamerId: null,
    });
    found[table] = rows[0]?.count ?? 0;
  }
  return found;
}

/** What one side has and the other has not, in both directions. */
function differences(comparison: Comparison): string {
  if ("faults" in comparison) return comparison.faults;
  const { kept, counted } = comparison;
  return `((${kept}) except all (${counted})) union all ((${counted}) except all (${kept}))`;
}
