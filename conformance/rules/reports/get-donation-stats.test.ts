import { describe, expect, test } from "vitest";
import { get, keyWithoutDonations, type Query, readDonation } from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { maxAmount } from "../../suite/contract/interface.ts";
import { at, emptyDays, nativeAt, report } from "../../suite/models/reports.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { freshIdentifier } from "../../suite/values/donations.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";

/** Records donations of these amounts on a day without any others. */
async function dayOf(amounts: number[]): Promise<{ range: Query; day: string }> {
  const [day = ""] = await emptyDays(1);
  for (const [index, amount] of amounts.entries()) await at(`${day}T12:00:0${index}+07:00`, { amount });
  return { range: { from: day, to: day }, day };
}

describe("figures", () => {
  test.each<[string, number[], object]>([
    ["one donation", [20], { total: 20, count: 1, average: 20, median: 20, min: 20, max: 20 }],
    ["the median of an even number is the mean of the middle two", [1, 2, 4, 100], { total: 107, average: 26.75, median: 3 }],
    ["the median of an odd number is the middle one", [100, 0.5, 7], { median: 7, min: 0.5, max: 100 }],
    ["sums are exact: a tenth and two tenths are three tenths", [0.1, 0.2], { total: 0.3, median: 0.15, average: 0.15 }],
    ["sums have as many decimals as their amounts", [0.1, 0.2, 1e-7], { total: 0.3000001, median: 0.1 }],
    ["the largest amount has all of its decimals", [0.0015, 0.001], { total: 0.0025, max: 0.0015, min: 0.001 }],
    ["an average is rounded half away from zero", [0.01, 0.02], { total: 0.03, average: 0.02, median: 0.015 }],
    ["the smallest double counts", [5e-324, 5e-324, 1], { min: 5e-324, median: 5e-324, average: 0.33 }],
    ["the largest amount counts", [maxAmount, maxAmount, 0.1], { total: 2 * maxAmount + 0.1, max: maxAmount, median: maxAmount }],
  ])("donation stats: %s", async (_, amounts, figures) => {
    const { range } = await dayOf(amounts);
    expect(await report("stats", range)).toMatchObject(figures);
  });

  test("donation stats without donations: sums are 0 and everything else is null", async () => {
    const [day = ""] = await emptyDays(1);
    expect(await report("stats", { from: day, to: day })).toMatchObject({
      total: 0,
      count: 0,
      average: null,
      median: null,
      min: null,
      max: null,
      uniqueDonators: 0,
      largest: null,
      latest: null,
    });
  });

  test("largest and latest are donations as getDonation reads them; among equals the one recorded last", async () => {
    const { range, day } = await dayOf([5, 70, 70, 3]);
    const later = await at(`${day}T12:00:03+07:00`, { amount: 70, message: "later" });
    await at(`${day}T12:00:02+07:00`, { amount: 1 });
    const { largest, latest } = await report("stats", range);
    expect(largest).toEqual(readDonation(await get(later.id)));
    expect(latest).toEqual(readDonation(await get(later.id)));
  });

  test("largest and latest show another application no idempotency key", async (context) => {
    const [day = ""] = await emptyDays(1);
    await at(`${day}T12:00+07:00`, { idempotencyKey: freshIdentifier() });
    const { largest } = await report("stats", { from: day, to: day }, { key: keyOf(context, "secondApplication") });
    expect(largest?.idempotencyKey).toBeNull();
  });

  test("test donations count in the stats only when source names them", async (context) => {
    fullOnly(context, "it waits for the operator's command line");
    const operator = operatorOf(context);
    const { range, day } = await dayOf([5]);
    await nativeAt(operator, `${day}T13:00+07:00`, "promptpay", 7);
    await nativeAt(operator, `${day}T14:00+07:00`, "card", 900, "test");
    expect(await report("stats", range)).toMatchObject({ total: 12, count: 2, max: 7 });
    expect(await report("stats", { ...range, source: "test" })).toMatchObject({ total: 900, count: 1 });
    expect(await report("stats", { ...range, source: ["external", "native", "test"] })).toMatchObject({ total: 912, count: 3 });
  });
});

describe("uniqueDonators", () => {
  /** None, and U+0040 with the full-width and the small one, which NFKC makes it. */
  const ats = ["", "@", "\uff20", "\ufe6b"];
  const blanks = ["", " ", "  ", "\u00a0", "\u3000"];

  test("equal identifiers are one donator, whatever the name; different identifiers are two", async () => {
    const [day = ""] = await emptyDays(1);
    const [one, two] = [freshIdentifier(), freshIdentifier()];
    for (const [identifier, donatorName] of [
      [one, "a"],
      [one, "b"],
      [one, "c"],
      [two, "a"],
    ] as const)
      await at(`${day}T12:00+07:00`, { identifier, donatorName });
    expect((await report("stats", { from: day, to: day })).uniqueDonators).toBe(2);
  });

  test("names that differ in case, width, blanks or a leading @ are one donator", async () => {
    const [day = ""] = await emptyDays(1);
    for (const donatorName of [
      "Nam Jai",
      "nam  jai",
      " NAM JAI ",
      "@Nam Jai",
      "ｎａｍ ｊａｉ",
      "Nam\u00a0Jai",
      "NAM\u2028jai",
      "nam\r\njai\n",
    ])
      await at(`${day}T12:00+07:00`, { donatorName });
    expect((await report("stats", { from: day, to: day })).uniqueDonators).toBe(1);
    await at(`${day}T12:00+07:00`, { donatorName: "Nam Chai" });
    expect((await report("stats", { from: day, to: day })).uniqueDonators).toBe(2);
  });

  test("names that differ in a character that nobody sees are different donators", async () => {
    const [day = ""] = await emptyDays(1);
    const names = ["", "\u00ad", "\u200b", "\u200d", "\u2060", "\ufe0f"].map((unseen) => `nam${unseen}jai`);
    for (const donatorName of names) await at(`${day}T12:00+07:00`, { donatorName });
    expect((await report("stats", { from: day, to: day })).uniqueDonators).toBe(names.length);
  });

  test("a name is one donator with every leading @ that NFKC knows, and with every blank beside it", async () => {
    const [day = ""] = await emptyDays(1);
    const names = ["namjai", "ＮＡＭＪＡＩ"].flatMap((name) => ats.flatMap((at) => blanks.map((blank) => `${blank}${at}${blank}${name}`)));
    await holdsForEach(names, (donatorName) => at(`${day}T12:00+07:00`, { donatorName }), 16);
    expect((await report("stats", { from: day, to: day })).uniqueDonators).toBe(1);
  });

  test("names of which nothing is left without blanks and a leading @ are compared as they are written", async () => {
    const [day = ""] = await emptyDays(1);
    const names = [...ats.filter(Boolean), ...blanks.filter(Boolean), "@ ", " @"];
    for (const donatorName of [...names, ...names]) await at(`${day}T12:00+07:00`, { donatorName });
    expect((await report("stats", { from: day, to: day })).uniqueDonators).toBe(names.length);
  });

  test("only the first @ of a name is left out when names are compared", async () => {
    const [day = ""] = await emptyDays(1);
    for (const donatorName of ["namjai", "@namjai", "@@namjai", "namjai@"]) await at(`${day}T12:00+07:00`, { donatorName });
    expect((await report("stats", { from: day, to: day })).uniqueDonators).toBe(3);
  });

  test.each(["Zoë ﬁ①", "㎒ Ⅳ", "ก้ำ", "\u212a\u212b", "가", "Straße Σίσυφος"])(
    "the name %s is one donator in every normal form and case",
    async (name) => {
      const [day = ""] = await emptyDays(1);
      for (const form of ["NFC", "NFD", "NFKC", "NFKD"])
        for (const donatorName of [name, name.toLowerCase(), name.toUpperCase()])
          await at(`${day}T12:00+07:00`, { donatorName: donatorName.normalize(form) });
      expect((await report("stats", { from: day, to: day })).uniqueDonators).toBe(1);
    },
  );
});

describe("periods", () => {
  test("a donation of now counts in every period, whatever range was requested", async () => {
    const [day = ""] = await emptyDays(1);
    const { periods: before } = await report("stats", { from: day, to: day });
    await at(new Date().toISOString(), { amount: 12.5 });
    const { periods: after } = await report("stats", { from: day, to: day });
    for (const name of ["today", "thisWeek", "thisMonth", "thisYear", "allTime"] as const) {
      expect(after[name].count - before[name].count).toBe(1);
      expect(after[name].total - before[name].total).toBeCloseTo(12.5, 6);
    }
  });

  const dayMs = 86_400_000;

  /** The first millisecond of a local day, by the zone's clocks; days are counted from 1970-01-01. */
  function startOf(day: number, timeZone: string): number {
    const clock = new Intl.DateTimeFormat("en", { timeZone, year: "numeric", month: "numeric", day: "numeric" });
    const dayAt = (ms: number): number => Date.parse(`${clock.format(ms)} UTC`) / dayMs;
    let [before, after] = [day - 1, day + 1].map((neighbour) => neighbour * dayMs) as [number, number];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (dayAt(middle) < day) before = middle;
      else after = middle;
    }
    return after;
  }

  const withClockChanges = ["Europe/Berlin", "America/New_York", "America/Havana", "Asia/Jerusalem", "Australia/Lord_Howe"];

  test.each([
    ["UTC", 0],
    ["Asia/Bangkok", 7],
    ["Pacific/Kiritimati", 14],
    ["Pacific/Pago_Pago", -11],
    ["Asia/Kathmandu", 5.75],
    ...withClockChanges.map((zone): [string, null] => [zone, null]),
  ])(
    "periods of %s are local: they begin with today, Monday, the first of the month and of the year, and end with today; the period before each has as many days",
    async (timezone, hoursAhead) => {
      const { periods, asOf } = await report("stats", { timezone });
      const start = (day: number): number => (hoursAhead === null ? startOf(day, timezone) : day * dayMs - hoursAhead * 3_600_000);
      const now = Date.parse(asOf);
      let today = Math.floor(now / dayMs) - 1;
      while (start(today + 1) <= now) today += 1;
      const date = new Date(today * dayMs);
      const firstDays = {
        today,
        thisWeek: today - ((date.getUTCDay() + 6) % 7),
        thisMonth: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / dayMs,
        thisYear: Date.UTC(date.getUTCFullYear(), 0, 1) / dayMs,
      };
      for (const [name, first] of Object.entries(firstDays)) {
        const { from, to, previous } = periods[name as keyof typeof firstDays];
        const after = today + 1;
        expect(
          [from, to, previous?.from, previous?.to].map((text) => Date.parse(text ?? "")),
          name,
        ).toEqual([first, after, first - (after - first), first].map(start));
      }
      expect(periods.allTime).toMatchObject({ from: null, to: null, previous: null, change: null });
    },
  );

  test("change is growth in percent, and null when the period before had nothing", async (context) => {
    const { periods } = await report("stats", {}, { key: await keyWithoutDonations(context) });
    expect(periods.today).toMatchObject({ total: 0, count: 0, average: null, change: { total: null, count: null } });
    const { today } = (await report("stats")).periods;
    const { total, count } = today.previous ?? { total: 0, count: 0 };
    if (count === 0) expect(today.change).toEqual({ total: null, count: null });
    else {
      expect(today.change?.total).toBeCloseTo(((today.total - total) / total) * 100, 1);
      expect(today.change?.count).toBeCloseTo(((today.count - count) / count) * 100, 1);
    }
  });
});
