// Random donations and report requests for the tests: near changes of clocks, the turn of a year, the first and the last year.

import * as fc from "fast-check";
import type { Schemas } from "../../http/operations.ts";
import { localTime } from "./testing-model.ts";

/** `void` takes a donation back, `erase` erases a donator with all donations: chosen by this number among the donations that are there. */
export type Step = { donation: Draft } | { imported: Draft } | { fold: number } | { void: number } | { erase: number };
export type Draft = {
  when: number;
  amount: number;
  donator: { name: string; identifier: string | null };
  origin: Origin;
  skipAlert: boolean;
};
type Origin = { source: Schemas["Source"]; channel: Schemas["Channel"] };
export type Case = { timezone: string; now: number; steps: Step[]; question: Question };
type Question = {
  sources: Schemas["Source"][] | null;
  from: Bound | null;
  to: Bound | null;
  interval: Schemas["Interval"];
  by: "amount" | "count";
  limit: number;
  cumulative: boolean;
};
export type Bound = { ms: number; date: boolean };

const zones = [
  "Asia/Bangkok",
  "UTC",
  "America/New_York",
  "Europe/Berlin",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Apia",
  "America/Sao_Paulo",
  "Pacific/Chatham",
  "Africa/Casablanca",
  "Asia/Tokyo",
];
// Instants near which the cases lie: changes of clocks, the turn of a year, a leap day, a skipped day, the end of local mean time.
const anchors = [
  "2026-11-20T12:30:00Z",
  "2026-03-29T01:00:00Z",
  "2026-11-01T06:00:00Z",
  "2024-02-29T17:00:00Z",
  "2023-12-31T17:00:00Z",
  "2011-12-30T10:00:00Z",
  "2026-04-04T15:00:00Z",
  "1920-03-31T17:17:56Z",
  "1969-12-31T17:00:00Z",
].map((text) => Date.parse(text));
const firstOfAll = -62_167_219_200_000;
const lastOfAll = 253_402_300_799_999;

const unitsMs = { minute: 60_000, quarter: 900_000, hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000, month: 30 * 86_400_000 };
const near = (anchor: number) =>
  fc
    .record({
      unit: fc.constantFrom(...Object.values(unitsMs)),
      times: fc.integer({ min: -40, max: 40 }),
      ms: fc.constantFrom(-1, 0, 0, 1, 1234),
    })
    .map(({ unit, times, ms }) => anchor + unit * times + ms);
const instants = (anchor: number) =>
  fc.oneof(
    { weight: 12, arbitrary: near(anchor) },
    { weight: 1, arbitrary: fc.integer({ min: firstOfAll + 86_400_000, max: lastOfAll - 86_400_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(firstOfAll, firstOfAll - 86_340_000, lastOfAll, lastOfAll + 86_340_000) },
  );

const donators = fc.constantFrom(
  ...["สมชาย", "Somchai", "SOMCHAI", " somchai ", "@somchai", "ｓｏｍｃｈａｉ", "b", "c", "d", "e"].map((name) => ({
    name,
    identifier: null,
  })),
  ...["x", "y", "X", "somchai"].flatMap((identifier) => ["b", "New name"].map((name) => ({ name, identifier }))),
);
const origins = fc.constantFrom<Origin>(
  { source: "external", channel: "external" },
  { source: "external", channel: "external" },
  { source: "native", channel: "promptpay" },
  { source: "native", channel: "card" },
  { source: "native", channel: "other" },
  { source: "test", channel: "truemoney" },
);
const amounts = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(20, 20, 50, 100, 100, 500, 1000) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 99_999 }).map((satang) => satang / 100) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1_000_000, 5e-324, 1e-7, 0.01, 0.1, 0.30000000000000004, 999_999.9999999999, 3.3333333333333335),
  },
  { weight: 1, arbitrary: fc.double({ min: 5e-324, max: 1_000_000, noNaN: true }) },
);
const draftNear = (anchor: number) =>
  fc.record({ when: instants(anchor), amount: amounts, donator: donators, origin: origins, skipAlert: fc.boolean() });
export const draft = draftNear(anchors[0]!);
const stepsNear = (anchor: number): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 36, arbitrary: draftNear(anchor).map((donation) => ({ donation })) },
    { weight: 9, arbitrary: draftNear(anchor).map((imported) => ({ imported })) },
    { weight: 5, arbitrary: fc.constantFrom(1, 3, 100).map((fold) => ({ fold })) },
    { weight: 10, arbitrary: fc.nat(999).map((chosen) => ({ void: chosen })) },
    { weight: 1, arbitrary: fc.nat(999).map((chosen) => ({ erase: chosen })) }, // the slowest one
  );
export const steps = stepsNear(anchors[0]!);
const bounds = (anchor: number): fc.Arbitrary<Bound> => fc.record({ ms: near(anchor), date: fc.boolean() });

export const cases: fc.Arbitrary<Case> = fc.constantFrom(...anchors).chain((anchor) =>
  fc.record({
    timezone: fc.oneof(fc.constant("Asia/Bangkok"), fc.constantFrom(...zones)),
    now: near(anchor),
    steps: fc.array(stepsNear(anchor), { maxLength: 40 }),
    question: fc.record({
      sources: fc.option(fc.subarray<Schemas["Source"]>(["external", "native", "test"], { minLength: 1 })),
      from: fc.option(bounds(anchor)),
      to: fc.option(bounds(anchor)),
      interval: fc.constantFrom<Schemas["Interval"]>("hour", "day", "week", "month", "year"),
      by: fc.constantFrom<"amount" | "count">("amount", "count"),
      limit: fc.constantFrom(1, 2, 3, 10, 100),
      cumulative: fc.boolean(),
    }),
  }),
);

/** Formats a bound of a range as a client sends it. */
export function formatBound({ ms, date }: Bound, timezone: string): string {
  if (!date) return new Date(ms).toISOString();
  const { year, month, day } = localTime(ms, timezone);
  return [String(year).padStart(4, "0"), String(month).padStart(2, "0"), String(day).padStart(2, "0")].join("-");
}
