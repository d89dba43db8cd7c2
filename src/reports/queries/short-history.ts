// Reports of a short history are computed in memory: its donations are read once and cached for as long as nothing is recorded, which costs a
// fraction of a statement that adds up roll-ups (docs/performance.md).

import type { Knex } from "knex";
import { compare, type Decimal, decimal, plus, zero } from "../../db/decimal.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Span } from "../roll-ups/periods.ts";

export type Channel = Schemas["Channel"];
export type Source = Schemas["Source"];
export type Sum = Readonly<{ total: Decimal; count: number }>;
export type Donator = Sum & Readonly<{ rank: number; name: string; identifier: string | null; firstAt: number; lastAt: number }>;
export type Extremes = Readonly<{ smallest: Decimal; largest: Decimal; largestId: string; latestId: string }>;

export type CountedDonation = Readonly<{
  id: string;
  amount: Decimal;
  /** Its place by amount; of equal amounts the one recorded last has the highest. */
  size: number;
  donatorKey: string;
  /** What the donations of one donator share: their key, or their number where keys were erased, because a donator has several then. */
  donator: string;
  name: string;
  identifier: string | null;
  source: Source;
  channel: Channel;
  /** `createdAt` in milliseconds since 1970. */
  at: number;
}>;

/** Donations by `createdAt`, then in the order in which they were recorded. */
type Donations = readonly CountedDonation[];

/** `byteLength`: about what they take in memory. */
type History = Readonly<{ donations: Donations; byteLength: number }>;

type Row = Omit<CountedDonation, "amount" | "size"> & { amount: string; sequence: number };

const donator = `coalesce(case when (select has_erasures from streamers where id = $1) then (
    select r.donator::text from report_donators r where r.streamer_id = $1 and r.key = donations.donator_key
  ) end, donator_key)`;
const text = `select id, amount, donator_key as "donatorKey", ${donator} as donator, donator_name as name, identifier, source, channel, to_millis(created_at) as at, sequence
  from donations where streamer_id = $1 and voided_at is null order by amount, sequence`;

/** Beside the texts of donators. Measured: 390 bytes with names of eight letters, and 75 for the running total. */
const donationBytes = 430;

/** Reads the donations of a streamer that count: all but the void ones. */
export async function readHistory(pool: Knex, streamerId: string): Promise<History> {
  const rows = await preparedQuery<Row>(pool, { name: "history", text }, [streamerId]);
  const donations = rows.map((row, size) => ({ ...row, amount: decimal(row.amount), size }));
  donations.sort((a, b) => a.at - b.at || a.sequence - b.sequence);
  const characters = donations.reduce((sum, { name, identifier, donatorKey }) => sum + `${name}${identifier}${donatorKey}`.length, 0);
  return { donations, byteLength: donations.length * donationBytes + 2 * characters };
}

/** The same array when all are of these sources, so that what was computed of it can be used again. */
export function ofSources(donations: Donations, sources: readonly Source[]): Donations {
  const those = donations.filter(({ source }) => sources.includes(source));
  return those.length === donations.length ? donations : those;
}

/** Sum and count of every span. */
export function sumsOf(donations: Donations, spans: readonly Span[]): Sum[] {
  const totals = runningTotals.get(donations) ?? runningTotalsOf(donations);
  return spans.map((span) => {
    const [first, after] = edges(donations, span);
    const [before, upTo] = [totals[first], totals[after]] as [Decimal, Decimal];
    return { total: plus(upTo, { units: -before.units, scale: before.scale }), count: after - first };
  });
}

/** Sums of the first n donations, as long as the donations are kept. */
const runningTotals = new WeakMap<Donations, Decimal[]>();

function runningTotalsOf(donations: Donations): Decimal[] {
  const totals = [zero];
  for (const { amount } of donations) totals.push(plus(totals.at(-1) as Decimal, amount));
  runningTotals.set(donations, totals);
  return totals;
}

/** Sum and count of each channel with donations. */
export function channelSumsOf(donations: Donations, span: Span): Map<Channel, Sum> {
  return new Map([...Map.groupBy(within(donations, span), ({ channel }) => channel)].map(([channel, those]) => [channel, sumOf(those)]));
}

/** Smallest, largest and latest of a span; null without donations. */
export function extremesOf(donations: Donations, span: Span): Extremes | null {
  const found = within(donations, span);
  const latest = found.at(-1);
  if (!latest) return null;
  const smallest = found.reduce((a, b) => (b.size < a.size ? b : a));
  const largest = found.reduce((a, b) => (b.size > a.size ? b : a));
  return { smallest: smallest.amount, largest: largest.amount, largestId: largest.id, latestId: latest.id };
}

/** The two amounts in the middle, which are equal when there is only one; null without donations. */
export function middleAmountsOf(donations: Donations, span: Span): [Decimal, Decimal] | null {
  const found = within(donations, span);
  const sizes = new Uint32Array(found.map(({ size }) => size)).sort();
  const [lower, upper] = [sizes[Math.ceil(sizes.length / 2) - 1], sizes[Math.floor(sizes.length / 2)]];
  const amountOf = (wanted: number) => (found.find(({ size }) => size === wanted) as CountedDonation).amount;
  return lower === undefined || upper === undefined ? null : [amountOf(lower), amountOf(upper)];
}

/** How many different donators each span has. */
export function uniqueDonatorsOf(donations: Donations, spans: readonly Span[]): number[] {
  return spans.map((span) => new Set(within(donations, span).map(({ donator }) => donator)).size);
}

/** The donators with the highest sums or counts; of equal ones the one who donated last comes first. `named`: without those who were erased. */
export function topDonatorsOf(
  donations: Donations,
  span: Span,
  { by, limit, named = false }: { by: "amount" | "count"; limit: number; named?: boolean },
): (Donator & { key: string })[] {
  const better = (a: Sum, b: Sum) => (by === "amount" ? compare(b.total, a.total) : b.count - a.count);
  const donators = [...Map.groupBy(within(donations, span), ({ donator }) => donator)].map(([, theirs]) => {
    const [first, latest] = [theirs[0], theirs.at(-1)] as [CountedDonation, CountedDonation];
    return {
      key: latest.donatorKey,
      ...sumOf(theirs),
      name: latest.name,
      identifier: latest.identifier,
      firstAt: first.at,
      lastAt: latest.at,
    };
  });
  const all = named ? donators.filter(({ key }) => !key.startsWith("e:")) : donators;
  all.sort((a, b) => better(a, b) || b.lastAt - a.lastAt || Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  let rank = 1;
  return all.slice(0, limit).map((one, index) => {
    if (index > 0 && better(all[index - 1] as Sum, one) !== 0) rank = index + 1;
    return { ...one, rank };
  });
}

function within(donations: Donations, span: Span): Donations {
  return donations.slice(...edges(donations, span));
}

/** The places of the first donation of a span and of the first one after it. */
function edges(donations: Donations, { from, to }: Span): [number, number] {
  return [from === null ? 0 : placeAt(donations, from), to === null ? donations.length : placeAt(donations, to)];
}

/** The place of the first donation at an instant or after it. */
function placeAt(donations: Donations, ms: number): number {
  let [low, high] = [0, donations.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((donations[middle] as CountedDonation).at < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sumOf(donations: Donations): Sum {
  return { total: donations.reduce((sum, { amount }) => plus(sum, amount), zero), count: donations.length };
}
