import { beforeAll, expect, test } from "vitest";

import { create, recorded } from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { maxAmount } from "../../suite/contract/interface.ts";
import { at, emptyDays, report } from "../../suite/models/report-requests.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { donation, freshIdentifier } from "../../suite/values/donations.ts";
import { operatorOf } from "../../suite/values/target.ts";

// Averages and changes have two decimals, and a half is rounded away from zero: at the half itself, and right beside it.

/** Amounts of one day, and their average. */
const cases: readonly [amounts: readonly number[], average: number][] = [
  [[0.005], 0.01],
  [[0.015], 0.02],
  [[0.025], 0.03],
  [[0.035], 0.04],
  [[0.995], 1],
  [[1.005], 1.01], // the nearest double is below
  [[2.675], 2.68], // and so it is here
  [[1.115], 1.12], // here it is above
  [[8.345], 8.35],
  [[0.004999999999999999], 0],
  [[0.0249999999999999], 0.02],
  [[0.0250000000000001], 0.03],
  [[0.02, 0.03], 0.03],
  [[0.01, 0.02], 0.02],
  [[1.1, 1.11], 1.11],
  [[0.01, 0.01, 0.01, 0.03], 0.02],
  [[0.01, 0.01, 0.03, 0.05], 0.03],
  [[0.04, 0.03, 0.03], 0.03],
  [[0.05, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04, 0.07], 0.05],
  [[10, 10, 20], 13.33],
  [[10, 20, 20], 16.67],
  [[maxAmount - 0.005], maxAmount],
  [[maxAmount, maxAmount - 0.01], maxAmount],
];

type Recorded = { day: string; identifier: string; average: number };

let days: Recorded[] = [];
beforeAll(async () => {
  const empty = await emptyDays(cases.length);
  const own = freshIdentifier();
  days = cases.map(([, average], index) => ({ day: empty[index] ?? "", identifier: `${own}${index}`, average }));
  for (const [index, { day, identifier }] of days.entries())
    for (const amount of cases[index]?.[0] ?? []) await at(`${day}T12:00+07:00`, { amount, identifier });
});

const rangeOf = ({ day }: Recorded): { from: string; to: string } => ({ from: day, to: day });

test("averages of the stats are rounded half away from zero, to two decimals", () =>
  holdsForEach(days, async (one) => expect((await report("stats", rangeOf(one))).average).toBe(one.average), 8));

test("averages of the channel breakdown are rounded half away from zero, to two decimals", () =>
  holdsForEach(days, async (one) => expect((await report("breakdown", rangeOf(one))).channels[0]?.average).toBe(one.average), 8));

test("averages of the points of a trend are rounded half away from zero, to two decimals", async () => {
  const { points } = await report("trends/amount", { from: days[0]?.day ?? "", to: days.at(-1)?.day ?? "" });
  expect(points.map(({ label, average }) => [label, average])).toEqual(days.map(({ day, average }) => [day, average]));
});

test("averages of top donators are rounded half away from zero, to two decimals", async () => {
  const { donators } = await report("top-donators", { from: days[0]?.day ?? "", to: days.at(-1)?.day ?? "", limit: 100 });
  const averages = new Map(donators.map(({ identifier, average }) => [identifier, average]));
  expect(days.map(({ identifier }) => averages.get(identifier))).toEqual(days.map(({ average }) => average));
});

/** A zone in which it is around noon, so that no day ends while a rule runs. */
function zoneAtNoon(): { timezone: string; hoursAhead: number } {
  const hoursAhead = 12 - new Date().getUTCHours();
  return { timezone: `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`, hoursAhead };
}

test("a change in percent and the average of a period are rounded half away from zero, whether it is growth or a fall", async (context) => {
  fullOnly(context, "it waits for the operator's command line");
  const operator = operatorOf(context);
  const { timezone, hoursAhead } = zoneAtNoon();
  const noon = Math.floor((Date.now() + hoursAhead * 3_600_000) / 86_400_000) * 86_400_000 + (12 - hoursAhead) * 3_600_000;
  const handle = `rounding-${freshIdentifier().slice(-6)}-${Date.now().toString(36)}`;
  const { key } = await addStreamerWithKeys(operator, handle, "read:donations write:donations");
  const post = async (amount: number, ms: number): Promise<unknown> =>
    recorded(await create(donation({ amount, skipAlert: true, createdAt: new Date(ms).toISOString() }), { key }));
  const today = async () => (await report("stats", { timezone }, { key })).periods.today;

  await post(800, noon - 86_400_000);
  // Each change is an odd number of eighths of a percent.
  for (const [amounts, change] of [
    [[793], -0.88],
    [[1, 1], -0.63],
    [[2], -0.38],
    [[2], -0.13],
    [[2], 0.13],
    [[2], 0.38],
    [[2], 0.63],
  ] as const) {
    for (const amount of amounts) await post(amount, noon);
    expect((await today()).change?.total).toBe(change);
  }
  expect((await today()).average).toBe(100.63); // 805 / 8
});
