import { expect, test } from "vitest";
import { imagineYear } from "./imagined-year.ts";

const now = Date.parse("2026-11-20T22:00:00Z");
const year = imagineYear(1, now);
const shareOf = (holds: (one: (typeof year)[number]) => boolean) => year.filter(holds).length / year.length;
const hourInBangkok = (createdAt: string) => (new Date(createdAt).getUTCHours() + 7) % 24;

test("the same seed generates the same year, and another seed another year", () => {
  expect(imagineYear(1, now)).toEqual(year);
  expect(imagineYear(2, now)).not.toEqual(year);
});

test("the donations of the year are within the last 365 days, in order", () => {
  const times = year.map(({ createdAt }) => Date.parse(createdAt));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThan(now - 365 * 86_400_000);
  expect(times.at(-1)).toBeLessThan(now);
});

test("the year has thousands of donations, mostly in the evening, by regular and occasional donators, over every channel, with few tests", () => {
  expect(year.length).toBeGreaterThan(5_000);
  expect(year.length).toBeLessThan(20_000);
  expect(shareOf(({ createdAt }) => hourInBangkok(createdAt) >= 18)).toBeGreaterThan(0.5);
  const perName = Map.groupBy(year, ({ donatorName }) => donatorName);
  expect([...perName.values()].filter((of) => of.length === 1).length).toBeGreaterThan(100);
  expect(Math.max(...[...perName.values()].map((of) => of.length))).toBeGreaterThan(200);
  expect(new Set(year.map(({ channel }) => channel)).size).toBe(6);
  for (const share of [shareOf(({ source }) => source === "test"), shareOf(({ skipAlert }) => skipAlert)]) {
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(0.03);
  }
});
