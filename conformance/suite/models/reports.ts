// Asks for reports, and computes those of any donations from a plain list, to compare a server's answers with.

import fc from "fast-check";
import { expect } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import { create, type Donation, list, listAll, type Options, pageOf, type Query, recorded } from "../client/api.ts";
import { send } from "../client/http-client.ts";
import { importAll, outcomesOf } from "../client/imports.ts";
import { cli, cliAll, keyCall } from "../client/operator.ts";
import { dayOf, dayText } from "../contract/date-time.ts";
import type { Reply } from "../contract/http-request.ts";
import { type Body, donation, freshKey } from "../values/donations.ts";
import { type Operator, target } from "../values/target.ts";

type Schemas = components["schemas"];
export type Reports = {
  stats: Schemas["DonationStats"];
  "top-donators": Schemas["TopDonators"];
  breakdown: Schemas["ChannelBreakdown"];
  "trends/amount": Schemas["AmountTrends"];
  "trends/count": Schemas["CountTrends"];
};

export const askReport = (name: keyof Reports, query: Query = {}, options: Options = {}): Promise<Reply> => {
  const pairs = Object.entries(query).flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, String(one)]));
  return send({ path: `/api/v1/donations/${name}?${new URLSearchParams(pairs)}`, ...options });
};

/** The report's `data`. */
export async function report<Name extends keyof Reports>(name: Name, query: Query = {}, options: Options = {}): Promise<Reports[Name]> {
  const reply = await askReport(name, query, options);
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { data: Reports[Name] }).data;
}

const usedDays = new Set<number>();

/** Some days in a row that nobody else in this file was given. In texts `YYYY-MM-DD`. */
function ownDays(count: number): string[] {
  const first = 1_000_000 + Math.floor(Math.random() * 2_000_000); // from 0000-01-01, the years 2738 to 8214
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  if (numbers.some((number) => usedDays.has(number))) return ownDays(count);
  for (const number of numbers) usedDays.add(number);
  return numbers.map((number) => dayText(dayOf(number) ?? { year: 0, month: 0, day: 0 }));
}

/** Some days in a row on which, as the server says, nothing has ever been donated: rules about dates donate on any day. In texts `YYYY-MM-DD`. */
export async function emptyDays(count: number): Promise<string[]> {
  const days = ownDays(count + 2); // days begin elsewhere in other time zones
  const page = await list({ from: days[0] ?? "", to: days.at(-1) ?? "", limit: 1, source: ["external", "native", "test"] });
  return pageOf(page).data.length === 0 ? days.slice(1, -1) : emptyDays(count);
}

/** Records a donation at this instant, without an alert. */
export const at = async (createdAt: string, members: Body = {}): Promise<Donation> =>
  recorded(await create(donation({ createdAt, skipAlert: true, ...members })));

/** One that did not come through the API. */
export const nativeAt = (operator: Operator, createdAt: string, channel: string, amount: number, source = "native"): Promise<string> =>
  cli(
    operator,
    ...`donations add --streamer ${operator.handle} --source ${source} --channel ${channel} --amount ${amount} --created-at ${createdAt}`.split(
      " ",
    ),
  );

// Computes reports of any donations from a plain list, to compare a server's answers with, and records histories that try their borders. Amounts
// are whole satang, so that sums are exact.

/** A range as an answer states it. */
type Stated = { from: string | null; to: string | null };

/** `ms`: its createdAt, in milliseconds since 1970. */
export type Counted = Donation & { ms: number };

/** In the order of recording. */
export type Donations = readonly Counted[];

const countedFrom = (donations: readonly Donation[]): Donations => donations.map((one) => ({ ...one, ms: Date.parse(one.createdAt) }));

export function between(donations: Donations, { from, to }: Stated): Donations {
  const [first, after] = [
    from === null ? Number.NEGATIVE_INFINITY : Date.parse(from),
    to === null ? Number.POSITIVE_INFINITY : Date.parse(to),
  ];
  return donations.filter(({ ms }) => ms >= first && ms < after);
}

export function figuresOf(donations: Donations): { total: number; count: number; average: number | null } {
  return { total: satangOf(donations) / 100, count: donations.length, average: quotient(satangOf(donations), donations.length) };
}

/** Stats without their periods; `largest` and `latest` are ids. */
export function statsOf(donations: Donations): object {
  const amounts = donations.map(satang).sort((a, b) => a - b);
  const middle = [amounts[(amounts.length - 1) >> 1], amounts[amounts.length >> 1]] as const;
  const baht = (one: number | undefined): number | null => (one === undefined ? null : one / 100);
  return {
    ...figuresOf(donations),
    median: middle[0] === undefined || middle[1] === undefined ? null : (middle[0] + middle[1]) / 200,
    min: baht(amounts[0]),
    max: baht(amounts.at(-1)),
    uniqueDonators: new Set(donations.map(donatorOf)).size,
    largest: lastBy(donations, satang)?.id ?? null,
    latest: lastBy(donations, timeOf)?.id ?? null,
  };
}

/** Growth in percent; null when there was nothing before. */
export const growth = (now: number, before: number): number | null => quotient((now - before) * 10_000, before);

export function topDonatorsOf(donations: Donations, by: "amount" | "count", limit: number): object[] {
  const score = (theirs: Donations): number => (by === "amount" ? satangOf(theirs) : theirs.length);
  const all = [...Map.groupBy(donations, donatorOf)].map(([donator, theirs]) => ({
    donator,
    theirs,
    latest: lastBy(theirs, timeOf) as Counted,
  }));
  const before = (a: string, b: string): number => (a < b ? -1 : 1);
  all.sort((a, b) => score(b.theirs) - score(a.theirs) || timeOf(b.latest) - timeOf(a.latest) || before(a.donator, b.donator));
  return all.slice(0, limit).map(({ theirs, latest }) => ({
    rank: 1 + all.filter((other) => score(other.theirs) > score(theirs)).length,
    name: latest.donatorName,
    identifier: latest.identifier,
    ...figuresOf(theirs),
    firstAt: new Date(Math.min(...theirs.map(timeOf))).toISOString(),
    lastAt: latest.createdAt,
  }));
}

/** Every channel that has donations. Shares are left out: of equal remainders the contract does not say which is rounded up. */
export const channelsOf = (donations: Donations): Map<Schemas["Channel"], object> =>
  new Map([...Map.groupBy(donations, ({ channel }) => channel)].map(([channel, theirs]) => [channel, { channel, ...figuresOf(theirs) }]));

/** Names that differ in case or by a leading @ are one donator; names of the model differ in nothing else. */
const donatorOf = ({ identifier, donatorName }: Donation): string =>
  identifier === null ? `n:${donatorName.toLowerCase().replace(/^@/, "")}` : `i:${identifier}`;

const timeOf = ({ ms }: Counted): number => ms;
const satang = ({ amount }: Donation): number => Math.round(amount * 100);
const satangOf = (donations: Donations): number => donations.reduce((sum, one) => sum + satang(one), 0);

/** The donation with the highest value; of equal ones the one recorded last. */
const lastBy = (donations: Donations, value: (one: Counted) => number): Counted | undefined =>
  donations.reduce<Counted | undefined>((best, one) => (best && value(best) > value(one) ? best : one), undefined);

/** The quotient of whole numbers as hundredths, a half rounded away from zero; null for a division by 0. */
function quotient(numerator: number, denominator: number): number | null {
  if (denominator === 0) return null;
  const [units, by] = [BigInt(Math.abs(numerator)), BigInt(denominator)];
  const hundredths = Number((2n * units + by) / (2n * by));
  return (numerator < 0 ? -hundredths : hundredths) / 100;
}

// Histories of a streamer of their own, with donations at the borders of days, weeks, months and years, and with many that are equal.

export type HistoryOwner = { handle: string; key: string };

/** Local midnights of Bangkok, UTC, Berlin and Nepal at the ends of months, years and ISO years, and where Berlin changes its clocks. */
const borders = [
  ...["2023-12-31T17:00Z", "2024-01-01T00:00Z", "2023-12-31T23:00Z", "2023-12-31T18:15Z"],
  ...["2024-01-31T17:00Z", "2024-02-29T17:00Z", "2024-02-29T23:00Z", "2024-03-01T00:00Z"],
  ...["2024-03-31T01:00Z", "2024-03-30T23:00Z", "2024-03-31T22:00Z", "2024-10-27T01:00Z"],
  ...["2024-01-07T17:00Z", "2024-06-10T10:00Z", "2024-06-10T10:15Z", "2024-12-29T17:00Z", "2024-12-29T18:15Z", "2024-12-31T17:00Z"],
].map((text) => Date.parse(text));

const [firstMs, lastMs] = [Date.parse("2023-11-01T00:00Z"), Date.parse("2025-02-28T00:00Z")];
const dayMs = 86_400_000;
const tenMinutes = 600_000;

/** How recent donations are, in days: the stats compare today, this week, this month and this year with what was before. */
const recent = fc
  .tuple(fc.constantFrom(0, 0, 1, 2, 5, 8, 20, 33, 70, 300), fc.nat(dayMs / 4))
  .map(([days, ms]) => Date.now() - days * dayMs - ms);

const times = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...borders), fc.constantFrom(-tenMinutes, -1, 0, 0, 1, tenMinutes))
      .map(([border, ms]) => border + ms),
  },
  { weight: 2, arbitrary: fc.integer({ min: firstMs, max: lastMs }) },
  { weight: 1, arbitrary: recent },
);

const donators = [
  ...["Ann", "ANN", "@ann", "bob", "Bob", "Cat"].map((donatorName) => ({ donatorName })),
  ...["ann", "x:1", "x:2"].flatMap((identifier) => ["first", "second"].map((donatorName) => ({ donatorName, identifier }))),
];

const bodies: fc.Arbitrary<Body> = fc
  .tuple(fc.constantFrom(...donators), fc.constantFrom(0.01, 0.05, 1, 20, 20, 20, 49.99, 50, 1000, 5000), times)
  .map(([donator, amount, ms]) => ({ ...donator, amount, createdAt: new Date(ms).toISOString() }));

const sampled = (count: number, salt: number): Body[] => fc.sample(bodies, { seed: target().seed + salt, numRuns: count });

/** Amounts of a day each, of an even number of donations whose two in the middle differ. */
const evenDays: Readonly<Record<string, readonly number[]>> = {
  "2022-05-01": [1, 1000],
  "2022-05-02": [0.01, 0.02],
  "2022-05-03": [0.01, 20, 49.99, 5000],
};
/** The local days of Bangkok on which the median is between two amounts, however often a history was imported. */
export const daysOfEvenCount = Object.keys(evenDays);

const onEvenDays: readonly Body[] = Object.entries(evenDays).flatMap(([day, amounts]) =>
  amounts.map((amount) => ({ donatorName: "Even", amount, createdAt: `${day}T12:00+07:00` })),
);

/** A donator's first, middle and last donation, in one month. */
export const edgeDonations: readonly Body[] = ["02", "15", "27"].map((day) => ({
  donatorName: `Edge ${day}`,
  identifier: "edge",
  amount: 20,
  createdAt: `2024-02-${day}T12:00Z`,
}));

/** Records donations in one import. */
export async function importDonations({ key }: HistoryOwner, bodies: readonly Body[]): Promise<void> {
  const outcomes = outcomesOf(
    await importAll(
      "NDJSON",
      bodies.map((body) => ({ ...body, idempotencyKey: freshKey() })),
      { key },
    ),
  );
  expect(outcomes.filter(({ status }) => status !== 201)).toEqual([]);
}

/** Records so many donations in one import, beside those of `daysOfEvenCount`. `salt`: others with another one. */
export const importHistory = (owner: HistoryOwner, count: number, salt: number): Promise<void> =>
  importDonations(owner, [...sampled(count, salt), ...onEvenDays]);

/** A new streamer with donations that did not come through the API, of other channels, and tests. */
export async function historyOwner(operator: Operator): Promise<HistoryOwner> {
  const handle = `history-${crypto.randomUUID().slice(0, 8)}`;
  const channels = ["promptpay", "card", "truemoney", "promptpay"];
  const others = sampled(24, 1).map(({ donatorName, identifier, amount, createdAt }, index) => [
    ...["donations", "add", "--streamer", handle, "--skip-alert", "--source", index % 3 === 2 ? "test" : "native"],
    ...["--channel", channels[index % channels.length] as string, "--amount", String(amount), "--created-at", String(createdAt)],
    ...["--name", String(donatorName), ...(identifier === undefined ? [] : ["--identifier", String(identifier)])],
  ]);
  const key = keyCall(handle, "read:donations write:donations void:donations");
  const outputs = await cliAll(operator, [["streamers", "create", handle], key, ...others]);
  return { handle, key: outputs[1] ?? "" };
}

/** Every donation of the streamer in the order of recording, void ones and tests as well. */
export const wholeHistory = async ({ key }: HistoryOwner): Promise<Donations> =>
  countedFrom(await listAll({ sort: "receivedAt", limit: 100, status: "all", source: ["external", "native", "test"] }, { key }));
