// Histories of a streamer of their own, with donations at the borders of days, weeks, months and years, and with many that are equal.

import fc from "fast-check";
import { expect } from "vitest";

import { listAll } from "../client/api.ts";
import { importAll, outcomesOf } from "../client/imports.ts";
import { cliAll, keyCall } from "../client/operator.ts";
import { type Body, freshKey } from "../values/donations.ts";
import { type Operator, target } from "../values/target.ts";
import { countedFrom, type Donations } from "./report-model.ts";

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
