// Takes donations out of a streamer's roll-ups, exactly and at once: every sum that they are in is added up again, each period from the next
// shorter ones and the quarters and hours from their donations. Subtracting would not do: it cannot tell which amount is the smallest now,
// which donation the latest, and who donated nothing else.

import type { Knex } from "knex";
import type { Client } from "pg";
import { placed } from "../../db/citus/layout.ts";
import { holdFolds } from "./donator-numbers.ts";

type HeldRollUps = {
  /**
   * Takes these donations of the streamer, by their sequences, out of the roll-ups. Those that are not in them yet are passed over: a fold
   * leaves void donations out. Does not read whether they are void, so that they can be marked afterwards.
   */
  remove: (sequences: readonly number[]) => Promise<void>;
};

/** Waits until nobody folds the streamer's donations, and keeps others from it until the transaction ends. */
export async function holdRollUps(transaction: Knex.Transaction, streamerId: string): Promise<HeldRollUps> {
  const rolled = await holdFolds(transaction, streamerId);
  return {
    remove: async (sequences) => {
      const folded = sequences.filter((sequence) => sequence <= rolled);
      if (folded.length === 0) return;
      await transaction.raw("set local enable_seqscan = off; set local jit = off");
      for (const { text, readsDonations } of removalOn(transaction))
        await queryNative(transaction, text, readsDonations ? [streamerId, folded, rolled] : [streamerId, folded]);
    },
  };
}

/** Runs a statement with numbered parameters directly in `pg`: Knex only has question marks. */
async function queryNative(transaction: Knex.Transaction, text: string, values: readonly unknown[]): Promise<void> {
  const client: Client = await transaction.client.acquireConnection();
  await client.query(text, [...values]);
}

// The statements that take donations out. Each has $1 streamer and $2 the sequences of the donations that leave; those that read donations, $3
// the sequence up to which the roll-ups reach. They run in this order, the shortest periods first: a longer period is added up from the shorter
// ones after these have changed.

type Level = Readonly<{
  grain: number;
  /** The period of a donation that leaves: a column of `leaving`. */
  period: string;
  /** The grain that this one is added up from; null: from the donations. */
  from: number | null;
  /** The first and the last period of that grain in a period of this one, by the columns of `leaving`. */
  first: string;
  last: string;
}>;

const quarter: Level = {
  grain: 1,
  period: "quarter",
  from: null,
  first: "quarter * 900000::bigint",
  last: "(quarter + 1) * 900000::bigint",
};
const hour: Level = { grain: 2, period: "hour", from: 1, first: "hour * 4", last: "hour * 4 + 3" };
const hourOfDonations: Level = { ...hour, from: null, first: "hour * 3600000::bigint", last: "(hour + 1) * 3600000::bigint" };
const day: Level = { grain: 3, period: "day", from: 2, first: "day * 24 - 7", last: "day * 24 + 16" };
const week: Level = { grain: 4, period: "week", from: 3, first: "week * 7 - 3", last: "week * 7 + 3" };
const month: Level = { grain: 5, period: "month", from: 3, first: "month_first", last: "month_last" };
const year: Level = { grain: 6, period: "year", from: 5, first: "year * 12", last: "year * 12 + 11" };
/** Of all years that the roll-ups have: there are few. */
const allTime: Level = {
  grain: 7,
  period: "0",
  from: 6,
  first: "(select min(period) from report_sums where streamer_id = $1 and grain = 6)",
  last: "(select max(period) from report_sums where streamer_id = $1 and grain = 6)",
};

/** The donations that leave, with their periods. */
const leaving = `leaving as materialized (
    select d.sequence, d.donator_key, d.source, d.channel, d.amount, p.*, y.year, y.year * 12 + extract(month from p.month_begin)::int - 1 as month,
      p.month_begin::date - date '1970-01-01' as month_first,
      (p.month_begin + interval '1 month')::date - date '1970-01-01' - 1 as month_last
    from donations d
    cross join lateral (select floor(to_millis(d.created_at)::float8 / 900000)::int as quarter) q
    cross join lateral (
      select q.quarter, floor(q.quarter / 4.0)::int as hour, floor((q.quarter + 28) / 96.0)::int as day,
        floor((floor((q.quarter + 28) / 96.0) + 3) / 7)::int as week,
        date_trunc('month', from_millis(q.quarter * 900000::bigint) at time zone interval '07:00') as month_begin
    ) p
    -- 1 BC is the year 0.
    cross join lateral (select extract(year from p.month_begin)::int + (extract(year from p.month_begin) < 0)::int as year) y
    where d.streamer_id = $1 and d.sequence = any($2::bigint[])
  )`;

/** Donations in the roll-ups that do not leave, of a period from `first` to `last` in milliseconds. */
const staying = `streamer_id = $1 and created_at >= from_millis(t.first) and created_at < from_millis(t.last)
      and sequence + 0 <= $3 and voided_at is null and sequence <> all($2::bigint[])`;

const sumsOfDonations = `select count(*) as count, sum(amount) as amount, min(amount) as smallest, max(amount) as largest,
      (array_agg(sequence order by amount desc, sequence desc))[1] as largest_sequence, max(created_at) as last_at,
      (array_agg(sequence order by created_at desc, sequence desc))[1] as last_sequence
    from (select amount, sequence, created_at from donations where ${staying} and source = t.source and channel = t.channel
      order by created_at, sequence offset 0) d`;

const sumsOfPeriods = (from: number) => `select coalesce(sum(count), 0)::bigint as count, sum(amount) as amount, min(smallest) as smallest,
      max(largest) as largest, (array_agg(largest_sequence order by largest desc, largest_sequence desc))[1] as largest_sequence,
      max(last_at) as last_at, (array_agg(last_sequence order by last_at desc, last_sequence desc))[1] as last_sequence
    from (select * from report_sums where streamer_id = $1 and grain = ${from} and period between t.first and t.last
      and source = t.source and channel = t.channel offset 0) s`;

/** Adds up the sums of one grain again, of the periods, sources and channels of the donations that leave. */
function sumStatement({ grain, period, from, first, last }: Level): string {
  const row = `streamer_id = $1 and grain = ${grain} and period = f.period and source = f.source and channel = f.channel`;
  return `with ${leaving},
  touched as materialized (select distinct ${period} as period, ${first} as first, ${last} as last, source, channel from leaving),
  fresh as materialized (
    select t.period, t.source, t.channel, f.* from touched t cross join lateral (${from === null ? sumsOfDonations : sumsOfPeriods(from)}) f
  ),
  ${found("report_sums", row)},
  emptied as (delete from report_sums s using found f where s.streamer_id = $1 and f.count = 0 and s.ctid = f.row)
  update report_sums s set count = f.count, amount = f.amount, smallest = f.smallest, largest = f.largest,
    largest_sequence = f.largest_sequence, last_at = f.last_at, last_sequence = f.last_sequence
  from found f where s.streamer_id = $1 and f.count > 0 and s.ctid = f.row`;
}

/**
 * The rows that change, by their place: a join by the key would be planned by the statistics, which for a new or a busy streamer are those of
 * an hour ago, and read all rows of a grain for each. Nobody else changes them meanwhile.
 */
const found = (table: string, row: string) => `found as materialized (
    select f.*, r.row from fresh f cross join lateral (select ctid as row from ${table} where ${row} offset 0) r
  )`;

/** Of all donators of an hour at once: a donator has no index of donations. */
const donatorSumsOfDonations = `select t.period, t.donator, t.source, count(d.sequence) as count, sum(d.amount) as amount,
      min(d.created_at) as first_at, max(d.created_at) as last_at,
      (array_agg(d.sequence order by d.created_at desc, d.sequence desc))[1] as last_sequence
    from touched t left join (
      select t.period, d.* from (select distinct period, first, last from touched) t
      cross join lateral (select donator_key, source, amount, sequence, created_at from donations where ${staying} order by created_at, sequence offset 0) d
    ) d on d.period = t.period and d.donator_key = t.donator_key and d.source = t.source
    group by t.period, t.donator, t.source`;

/** The shorter periods in a period. Years may lie thousands of years apart, so those that there are are read. */
const shorterPeriods = (from: number) =>
  from === year.grain
    ? `(select distinct period from report_sums where streamer_id = $1 and grain = ${from})`
    : "generate_series(t.first, t.last)";

const donatorSumsOfPeriods = (from: number) => `select t.period, t.donator, t.source, f.* from touched t cross join lateral (
      select coalesce(sum(count), 0)::bigint as count, sum(amount) as amount, min(first_at) as first_at, max(last_at) as last_at,
        (array_agg(last_sequence order by last_at desc, last_sequence desc))[1] as last_sequence
      from ${shorterPeriods(from)} as shorter(period) cross join lateral (
        select * from report_donator_sums
        where streamer_id = $1 and grain = ${from} and period = shorter.period and donator = t.donator and source = t.source offset 0
      ) s
    ) f`;

/**
 * Adds up the sums of donators of one grain again (`summed`), and moves donators between the counts by sets of sources (`counted`), which reads
 * the sums as they were before.
 */
function donatorParts({ grain, period, from, first, last }: Level) {
  const row = `streamer_id = $1 and grain = ${grain} and period = f.period and donator = f.donator and source = f.source`;
  const read = `${leaving},
  touched as materialized (
    select l.*, r.donator from (
      select distinct ${period} as period, ${first} as first, ${last} as last, donator_key, source from leaving
    ) l
    cross join lateral (select donator from report_donators where streamer_id = $1 and key = l.donator_key offset 0) r
  ),
  fresh as materialized (${from === null ? donatorSumsOfDonations : donatorSumsOfPeriods(from)})`;
  const moved = `gone as (
    select period, donator, bit_or(source_bit(source)) as sources from fresh where count = 0 group by period, donator
  ),
  moved as (
    select g.period, b.sources as before, (b.sources & ~g.sources)::smallint as after from gone g cross join lateral (
      select bit_or(source_bit(source)) as sources from report_donator_sums
      where streamer_id = $1 and grain = ${grain} and period = g.period and donator = g.donator
    ) b where b.sources is not null
  )`;
  const changes = `${grain}, period, c.sources, sum(c.change)
    from moved cross join lateral (values (before, -1), (after, 1)) c(sources, change)
    where c.sources <> 0
    group by period, c.sources
    having sum(c.change) <> 0
    order by period, c.sources`;
  const counted = (selected: string) => `insert into report_donator_counts as s ${selected}
    on conflict (streamer_id, grain, period, sources) do update set donators = s.donators + excluded.donators`;
  const summed = `${found("report_donator_sums", row)},
  emptied as (delete from report_donator_sums s using found f where s.streamer_id = $1 and f.count = 0 and s.ctid = f.row)
  update report_donator_sums s set count = f.count, amount = f.amount, first_at = f.first_at, last_at = f.last_at,
    last_sequence = f.last_sequence
  from found f where s.streamer_id = $1 and f.count > 0 and s.ctid = f.row`;
  return { read, moved, changes, counted, summed };
}

function donatorStatement(level: Level): string {
  const { read, moved, changes, counted, summed } = donatorParts(level);
  return `with ${read}, ${moved}, counted as (${counted(`select $1, ${changes}`)}), ${summed}`;
}

/** The same in two statements: Citus inserts with none that changes another table, and only what comes from the streamer's row. They take 1.3 times as long. */
function donatorStatements(level: Level): string[] {
  const { read, moved, changes, counted, summed } = donatorParts(level);
  const made = `select s.id, made.* from streamers s cross join (with ${read}, ${moved} select ${changes}) as made where s.id = $1`;
  return [counted(made), `with ${read}, ${summed}`];
}

/** A statement, and whether it reads donations: it has $3 then. */
type Statement = Readonly<{ text: string; readsDonations: boolean }>;

const written = (levels: readonly Level[], write: (level: Level) => string | string[]): Statement[] =>
  levels.flatMap((level) => [write(level)].flat().map((text) => ({ text, readsDonations: level.from === null })));

const ofClass = "streamer_id = $1 and grain = f.grain and period = f.period and source = f.source and class = f.class";

/** Takes the donations out of the numbers of donations by size class: whole numbers can be subtracted. */
const classes = subtraction("report_classes", "class", ofClass);

/** The same by amount. */
const amounts = subtraction("report_amounts", "class, amount", `${ofClass} and amount = f.amount`);

function subtraction(table: string, by: string, row: string): string {
  return `with ${leaving},
  fresh as materialized (
    select g.grain, g.period, source, ${by}, count(*) as count
    from (select *, amount_class(amount) as class from leaving) l
    cross join lateral (values (3::smallint, day), (5, month), (6, year), (7, 0)) g(grain, period)
    group by g.grain, g.period, source, ${by}
  ),
  ${found(table, row)},
  emptied as (delete from ${table} s using found f where s.streamer_id = $1 and s.ctid = f.row and s.count = f.count)
  update ${table} s set count = s.count - f.count from found f where s.streamer_id = $1 and s.ctid = f.row and s.count > f.count`;
}

const removalWith = (write: (level: Level) => string | string[]): readonly Statement[] => [
  ...written([quarter, hour, day, month, year, allTime], sumStatement),
  ...written([hourOfDonations, day, week, month, year, allTime], write),
  { text: classes, readsDonations: false },
  { text: amounts, readsDonations: false },
];

/** In their order. */
const removal = removalWith(donatorStatement);
const removalOnNodes = removalWith(donatorStatements);
const removalOn = placed({ onServer: () => removal, onNodes: () => removalOnNodes });
