import { expect, test } from "vitest";

import { at, emptyDays, nativeAt, report } from "../../suite/models/reports.ts";
import { operatorOf } from "../../suite/values/target.ts";

const channels = ["bank_transfer", "card", "external", "other", "promptpay", "truemoney"];

test("every channel is answered, even one without donations, the largest total first", async (context) => {
  const operator = operatorOf(context);
  const [day = ""] = await emptyDays(1);
  await at(`${day}T12:00+07:00`, { amount: 10 });
  await at(`${day}T12:00+07:00`, { amount: 5 });
  await nativeAt(operator, `${day}T12:00+07:00`, "promptpay", 85);
  await nativeAt(operator, `${day}T12:00+07:00`, "card", 999, "test");
  const data = await report("breakdown", { from: day, to: day });
  expect(data).toMatchObject({ total: 100, count: 3 });
  expect(data.channels.slice(0, 2)).toEqual([
    { channel: "promptpay", total: 85, count: 1, average: 85, percentage: 85 },
    { channel: "external", total: 15, count: 2, average: 7.5, percentage: 15 },
  ]);
  expect(data.channels.map(({ channel }) => channel).sort()).toEqual(channels);
  for (const empty of data.channels.slice(2)) expect(empty).toMatchObject({ total: 0, count: 0, average: null, percentage: 0 });
});

test("percentages of channels have two decimals and add up to 100: the largest remainders are rounded up", async (context) => {
  const operator = operatorOf(context);
  const [day = ""] = await emptyDays(1);
  for (const channel of ["promptpay", "card", "truemoney"]) await nativeAt(operator, `${day}T12:00+07:00`, channel, 0.1);
  const { channels: shares } = await report("breakdown", { from: day, to: day });
  // Which of equal remainders is rounded up is a matter of the server.
  expect(shares.map(({ percentage }) => percentage).sort((a, b) => b - a)).toEqual([33.34, 33.33, 33.33, 0, 0, 0]);
});

test("what percentages of channels lack when they are rounded down goes to the largest remainders, not to the largest channel", async (context) => {
  const operator = operatorOf(context);
  const [day = ""] = await emptyDays(1);
  await at(`${day}T12:00+07:00`, { amount: 49_980 });
  for (const channel of channels.filter((one) => one !== "external")) await nativeAt(operator, `${day}T12:00+07:00`, channel, 10_004);
  const { channels: shares } = await report("breakdown", { from: day, to: day });
  // 49.98 exactly, and five times 10.004: two of these are rounded up. Which ones is a matter of the server.
  expect(shares.map(({ percentage }) => percentage).sort((a, b) => b - a)).toEqual([49.98, 10.01, 10.01, 10, 10, 10]);
});

test("a single channel has 100 percent, however small its total, which has all of its decimals", async () => {
  const [day = ""] = await emptyDays(1);
  await at(`${day}T12:00+07:00`, { amount: 5e-324 });
  const { channels: shares, total } = await report("breakdown", { from: day, to: day });
  const [single] = shares;
  expect([total, single]).toEqual([5e-324, { channel: "external", total: 5e-324, count: 1, average: 0, percentage: 100 }]);
});

test("every channel has 0 percent while there are no donations", async () => {
  const [day = ""] = await emptyDays(1);
  const { channels: shares, total, count } = await report("breakdown", { from: day, to: day });
  expect([total, count, ...shares.map(({ percentage }) => percentage)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});
