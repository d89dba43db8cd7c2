// An independent, simple computation of every report, for the tests: all donations in memory, one loop each, sums as big integers.

import type { Schemas } from "../../http/operations.ts";

export type ModelDonation = {
  sequence: number;
  id: string;
  name: string;
  identifier: string | null;
  /** Identifies the donator in the test. */
  who: string;
  amount: number;
  source: Schemas["Source"];
  channel: Schemas["Channel"];
  createdAt: number;
};

const scale = 340; // decimals of the smallest double that a donation can be

/** The shortest decimal of a double, in units of 10^-340. */
export function exact(amount: number): bigint {
  const [digits = "", exponent = "0"] = String(amount).split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(scale + Number(exponent) - fraction.length);
}

export function nearest(value: bigint): number {
  return Number(`${value}e-${scale}`);
}

/** A quotient with two decimals, rounded half away from zero; null for a division by 0. */
export function rounded(numerator: bigint, denominator: bigint): number | null {
  if (denominator === 0n) return null;
  const negative = numerator < 0n !== denominator < 0n;
  const [n, d] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  const down = (n * 100n) / d;
  const hundredths = (n * 100n - down * d) * 2n >= d ? down + 1n : down;
  return Number(`${negative ? -hundredths : hundredths}e-2`);
}

export function sumOf(donations: readonly ModelDonation[]): bigint {
  return donations.reduce((sum, { amount }) => sum + exact(amount), 0n);
}

export function figuresOf(donations: readonly ModelDonation[]) {
  const total = sumOf(donations);
  return { total: nearest(total), count: donations.length, average: rounded(total, BigInt(donations.length) * 10n ** BigInt(scale)) };
}

export function statsOf(donations: readonly ModelDonation[]) {
  const amounts = donations.map(({ amount }) => exact(amount)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const middle =
    amounts.length % 2 === 1
      ? amounts[(amounts.length - 1) / 2]! * 2n
      : amounts.length > 0
        ? amounts[amounts.length / 2 - 1]! + amounts[amounts.length / 2]!
        : null;
  const best = (better: (a: ModelDonation, b: ModelDonation) => boolean) =>
    donations.reduce<ModelDonation | null>((chosen, one) => (chosen === null || better(one, chosen) ? one : chosen), null);
  const later = (a: ModelDonation, b: ModelDonation) =>
    a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.sequence > b.sequence);
  const larger = (a: ModelDonation, b: ModelDonation) => a.amount > b.amount || (a.amount === b.amount && a.sequence > b.sequence);
  return {
    ...figuresOf(donations),
    median: middle === null ? null : nearest((middle * 5n) / 10n),
    min: amounts.length > 0 ? nearest(amounts[0]!) : null,
    max: amounts.length > 0 ? nearest(amounts.at(-1)!) : null,
    uniqueDonators: new Set(donations.map(({ who }) => who)).size,
    largest: best(larger)?.id ?? null,
    latest: best(later)?.id ?? null,
  };
}

export function topOf(donations: readonly ModelDonation[], by: "amount" | "count", limit: number) {
  const groups = [...Map.groupBy(donations, ({ who }) => who)].map(([who, theirs]) => {
    const inTime = theirs.toSorted((a, b) => a.createdAt - b.createdAt || a.sequence - b.sequence);
    const latest = inTime.at(-1)!;
    return { who, score: by === "amount" ? sumOf(theirs) : BigInt(theirs.length), theirs, first: inTime[0]!.createdAt, latest };
  });
  const ordered = groups.sort(
    (a, b) => (a.score < b.score ? 1 : a.score > b.score ? -1 : 0) || b.latest.createdAt - a.latest.createdAt || (a.who < b.who ? -1 : 1),
  );
  return ordered.slice(0, limit).map((one) => ({
    rank: ordered.findIndex(({ score }) => score === one.score) + 1,
    name: one.latest.name,
    identifier: one.latest.identifier,
    ...figuresOf(one.theirs),
    firstAt: one.first,
    lastAt: one.latest.createdAt,
  }));
}

/** The local date and time of a zone, computed by Intl, which the program does not use for this. */
export function localTime(ms: number, timeZone: string) {
  const format = (formats[timeZone] ??= new Intl.DateTimeFormat("en-US-u-ca-gregory", {
    timeZone,
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
  }));
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const year = parts.era?.startsWith("B") ? 1 - Number(parts.year) : Number(parts.year);
  const [month, day, hour, minute, second] = [parts.month, parts.day, parts.hour, parts.minute, parts.second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const dayNumber = Math.floor(utc(year, month, day) / 86_400_000);
  const offset = utc(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 - Math.floor(ms / 1000) * 1000;
  return { year, month, day, hour, dayNumber, weekday: ((((dayNumber + 3) % 7) + 7) % 7) + 1, offset };
}

/** The name of the bucket of a local time. */
export function labelOf(ms: number, interval: Schemas["Interval"], timeZone: string): string {
  const { year, month, day, hour, dayNumber, weekday, offset } = localTime(ms, timeZone);
  const date = `${signed(year)}-${pad(month)}-${pad(day)}`;
  if (interval === "hour") {
    const minutes = Math.round(Math.abs(offset) / 60_000);
    return `${date}T${pad(hour)}:00${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
  }
  if (interval === "day") return date;
  if (interval === "month") return `${signed(year)}-${pad(month)}`;
  if (interval === "year") return signed(year);
  const thursday = new Date((dayNumber - weekday + 4) * 86_400_000); // a week belongs to the year of its Thursday
  const weekYear = thursday.getUTCFullYear();
  return `${signed(weekYear)}-W${pad(Math.floor((thursday.getTime() - utc(weekYear, 1, 1)) / (7 * 86_400_000)) + 1)}`;
}

const formats: Record<string, Intl.DateTimeFormat> = {};

function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function signed(year: number): string {
  return year >= 0 && year <= 9999 ? String(year).padStart(4, "0") : `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
