import { describe, expect, test } from "vitest";
import {
  create,
  type Donation,
  ids,
  list,
  listAll,
  post,
  type Query,
  recorded,
  recordSome,
  replayed,
  search,
  searchAll,
  takeBack,
  voidReasons,
} from "../../suite/client/api.ts";
import { endOfLog, listAllEvents } from "../../suite/client/events/event-stream.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { exported } from "../../suite/client/workbook.ts";
import { sorts } from "../../suite/models/donation-state.ts";
import { at, emptyDays, type Reports, report } from "../../suite/models/reports.ts";
import { donation, freshIdentifier, freshKey } from "../../suite/values/donations.ts";

// Where a void donation is left out: reports always, lists, searches and exports unless they are asked for it.

const streamer = newStreamer();
/** Of a short history, so that pages of a donator's donations are full. */
const pagedStreamer = newStreamer();

type Statuses = { active: string[]; voided: string[]; all: string[] };

/** Some donations of which two are void. */
async function someVoid(): Promise<{ identifier: string; donations: Donation[] }> {
  const { identifier, donations } = await recordSome(7);
  for (const place of [2, 5]) donations[place] = await takeBack(donations[place] as Donation, "refund");
  return { identifier, donations };
}

const statusesOf = (donations: readonly Donation[]): Statuses => ({
  active: ids(donations.filter(({ voided }) => voided === null)),
  voided: ids(donations.filter(({ voided }) => voided !== null)),
  all: ids(donations),
});

async function byStatus(read: (query: Query) => Promise<string[]>): Promise<Statuses> {
  const [active, unasked, voided, all] = [
    await read({ status: "active" }),
    await read({}),
    await read({ status: "voided" }),
    await read({ status: "all" }),
  ];
  expect(unasked).toEqual(active);
  return { active, voided, all };
}

test.each(sorts.map((sort) => ({ sort })))(
  "a list sorted by $sort leaves void donations out, has them alone with status=voided, and both with status=all",
  async ({ sort }) => {
    const { identifier } = await someVoid();
    const everything = await listAll({ identifier, sort, status: "all" });
    const pages: Query[] = [{ limit: 100 }, { limit: 1 }, { limit: 2, from: "2024-01-01", to: "2024-12-31" }];
    for (const query of pages)
      expect(await byStatus(async (status) => ids(await listAll({ identifier, sort, ...query, ...status })))).toEqual(
        statusesOf(everything),
      );
  },
);

test("a search leaves void donations out, finds them alone with status=voided, and both with status=all", async () => {
  const { identifier } = await someVoid();
  const everything = await searchAll({ q: identifier, status: "all" });
  expect(everything).toHaveLength(7);
  for (const limit of [100, 1])
    expect(await byStatus(async (status) => ids(await searchAll({ q: identifier, limit, ...status })))).toEqual(statusesOf(everything));
});

test("an export leaves void donations out; asked for them, it says when and why each was voided", async () => {
  const { identifier, donations } = await someVoid();
  const read = async (status: Query) => (await exported({ identifier, sort: "createdAt", ...status, timezone: "UTC" })).rows;
  const idsIn = async (status: Query) => (await read(status)).map((row) => String(row["Donation id"]?.v));
  expect(await byStatus(idsIn)).toEqual(statusesOf(await listAll({ identifier, sort: "createdAt", status: "all" })));
  for (const row of await read({ status: "all" })) {
    const { voided } = donations.find(({ id }) => id === row["Donation id"]?.v) as Donation;
    expect([row["Void reason"]?.v ?? null, row["Voided at"]?.w ?? null]).toEqual([
      voided?.reason ?? null,
      voided?.at.replace("T", " ").replace("Z", "") ?? null,
    ]);
  }
});

test("an export names each of the reasons for which a donation is void", async () => {
  const identifier = freshIdentifier();
  for (const reason of voidReasons) await takeBack(await post({ identifier, message: reason }), reason);
  const { rows } = await exported({ identifier, status: "voided", sort: "receivedAt" });
  expect(rows.map((row) => [row.Message?.v, row["Void reason"]?.v])).toEqual(voidReasons.map((reason) => [reason, reason]));
});

test("the summary of an export sums up void donations apart, and names them only where they were asked for", async () => {
  const { identifier, donations } = await someVoid();
  const summaryOf = async (status: string) => (await exported({ identifier, status })).summary;
  const sumOf = (those: readonly Donation[]) => Number(those.reduce((sum, { amount }) => sum + amount, 0).toFixed(6));
  const [counted, voided] = [donations.filter((one) => one.voided === null), donations.filter((one) => one.voided !== null)];
  for (const [status, ofCounted, ofVoided] of [
    ["active", counted, null],
    ["all", counted, voided],
    ["voided", [], voided],
  ] as const) {
    const summary = await summaryOf(status);
    expect([summary.Donations?.v, summary["Total amount"]?.v], status).toEqual([ofCounted.length, sumOf(ofCounted)]);
    expect([summary["Void donations, not counted above"]?.v, summary["Void amount"]?.v], status).toEqual([
      ofVoided?.length,
      ofVoided ? sumOf(ofVoided) : undefined,
    ]);
  }
});

test("a cursor keeps the status of its first page, and a donation that is voided between two pages is left out of the next one", async () => {
  const { identifier, donations } = await recordSome(4);
  const first = (await search({ q: identifier, limit: 2 })).body as { data: Donation[]; pagination: { nextCursor: string } };
  const cursor = first.pagination.nextCursor;
  const left = donations.filter(({ id }) => !ids(first.data).includes(id));
  await takeBack(left[0] as Donation);
  expect(ids(await searchAll({ cursor, limit: 2 }))).toEqual([left[1]?.id]);
  expect((await search({ cursor, status: "all" })).status).toBe(400);
});

test.for(sorts.map((sort) => ({ sort })))(
  "a list sorted by $sort that is read on after voids has every other donation once, although the cursor stands at a void one",
  async ({ sort }, context) => {
    const key = pagedStreamer(context);
    const { identifier, donations } = await recordSome(6, { key });
    const filters = { identifier, sort, limit: 2 };
    const everything = await listAll({ identifier, sort }, { key });
    const first = (await list(filters, { key })).body as { data: Donation[]; pagination: { nextCursor: string } };
    expect(ids(first.data)).toEqual(ids(everything.slice(0, 2)));
    // One that was read, the one at which the cursor stands, and the next one.
    for (const one of everything.slice(0, 3)) await takeBack(one, "mistake", { key });
    expect(ids(await listAll({ cursor: first.pagination.nextCursor, limit: 2 }, { key }))).toEqual(ids(everything.slice(3)));
    expect(ids(await listAll(filters, { key }))).toEqual(ids(everything.slice(3)));
    expect(new Set(ids(await listAll({ ...filters, status: "all" }, { key })))).toEqual(new Set(ids(donations)));
  },
);

test("a list of all donations that is read on while some are voided has every donation once, and shows at once which are void", async (context) => {
  const key = pagedStreamer(context);
  const { identifier } = await recordSome(6, { key });
  const everything = await listAll({ identifier, status: "all" }, { key });
  const first = (await list({ identifier, status: "all", limit: 3 }, { key })).body as {
    data: Donation[];
    pagination: { nextCursor: string };
  };
  for (const place of [1, 4]) await takeBack(everything[place] as Donation, "mistake", { key });
  const rest = await listAll({ cursor: first.pagination.nextCursor, limit: 3 }, { key });
  expect(ids([...first.data, ...rest])).toEqual(ids(everything));
  expect(rest.map(({ voided }) => voided !== null)).toEqual([false, true, false]);
});

test("an export that runs while donations are voided has every donation as it was before or after its void, once", async (context) => {
  const key = streamer(context);
  const count = 12;
  const donations: Donation[] = [];
  for (let index = 0; index < count; index += 1)
    donations.push(recorded(await create(donation({ skipAlert: true, amount: 1 + index }), { key })));
  const voids = async () => {
    for (const one of donations) await takeBack(one, "refund", { key });
  };
  // One export at a time, because a streamer has one.
  const exports = async () => {
    for (let index = 0; index < 4; index += 1) {
      const { rows } = await exported({ status: "all", sort: "createdAt" }, key);
      expect(rows.map((row) => String(row["Donation id"]?.v)).sort()).toEqual(ids(donations).sort());
      // A snapshot: what was voided before another is void in the file as well.
      const isVoid = new Set(rows.filter((row) => row["Void reason"]?.v).map((row) => String(row["Donation id"]?.v)));
      expect(donations.map(({ id }) => isVoid.has(id))).toEqual(donations.map((_, place) => place < isVoid.size));
    }
  };
  await Promise.all([voids(), exports()]);
});

test("a repeated create answers a void donation with 200 as it stands, and nothing is recorded or voided again", async () => {
  const body = donation({ idempotencyKey: freshKey(), skipAlert: true, identifier: freshIdentifier() });
  const one = (await create(body)).body as { data: Donation };
  const voided = await takeBack(one.data, "chargeback");
  const end = await endOfLog();
  expect(replayed(await create(body))).toEqual(voided);
  expect(await listAll({ identifier: String(body.identifier), status: "all" })).toEqual([voided]);
  const since = await listAllEvents({ after: end, types: ["donation.created", "donation.voided"] });
  expect(since.filter(({ data }) => "id" in data && data.id === one.data.id)).toEqual([]);
});

describe("reports", () => {
  const names: readonly (keyof Reports)[] = ["stats", "breakdown", "top-donators", "trends/amount", "trends/count"];
  const queries: readonly Query[] = [{}, { timezone: "America/New_York" }, { source: ["external", "native", "test"] }];

  /** Every report of the days, without the time of asking and the periods around the present. */
  const all = async (days: readonly string[]): Promise<unknown[]> => {
    const range = { from: days[0] as string, to: days.at(-1) as string };
    const asked = names.flatMap((name) => queries.map((query) => [name, query] as const));
    return Promise.all(
      asked.map(async ([name, query]) => ({ ...(await report(name, { ...range, ...query })), asOf: null, periods: null })),
    );
  };

  test("after a donation is voided every report answers at once what it answered before the donation was recorded", async () => {
    const days = await emptyDays(3);
    const names = ["Ann", "Bo", "Ann"];
    for (const [index, donatorName] of names.entries()) await at(`${days[1]}T0${index}:30+07:00`, { donatorName, amount: 10 + index });
    const before = await all(days);
    // The largest, the smallest, the latest, one of a new donator, one that changes a donator's name.
    const others = [
      { donatorName: "ann", amount: 500 },
      { donatorName: "Cy", amount: 0.25 },
      { donatorName: "ANN", amount: 11 },
    ];
    for (const [index, members] of others.entries()) {
      const one = await at(`${days[1]}T1${index}:30+07:00`, members);
      expect(await all(days)).not.toEqual(before);
      await takeBack(one);
      expect(await all(days)).toEqual(before);
    }
  });

  test("the total of the statistics before and after a void differs by exactly the amount, and the count by one", async () => {
    const days = await emptyDays(1);
    const range = { from: days[0] as string, to: days[0] as string };
    const amounts = [0.1, 0.2, 999_999.99, 1e-7, 33.33];
    const donations: Donation[] = [];
    for (const amount of amounts) donations.push(await at(`${days[0]}T12:00+07:00`, { amount }));
    for (const [index, one] of donations.entries()) {
      const left = amounts.slice(index + 1);
      await takeBack(one);
      const { total, count, min, max } = await report("stats", range);
      expect({ count, min, max }).toEqual({
        count: left.length,
        min: left.length > 0 ? Math.min(...left) : null,
        max: left.length > 0 ? Math.max(...left) : null,
      });
      expect(total).toBeCloseTo(
        left.reduce((sum, amount) => sum + amount, 0),
        9,
      );
    }
  });

  test("a donation of today that is voided leaves today, this week, month and year, and all time at once", async (context) => {
    const key = streamer(context);
    const counts = async () => Object.values((await report("stats", {}, { key })).periods).map(({ total, count }) => [total, count]);
    const record = async (amount: number) => recorded(await create(donation({ amount, skipAlert: true }), { key }));
    const [one, other] = [await record(77.5), await record(12.25)];
    expect(await counts()).toEqual(Array(5).fill([89.75, 2]));
    await takeBack(one, "refund", { key });
    expect(await counts()).toEqual(Array(5).fill([12.25, 1]));
    await takeBack(other, "refund", { key });
    expect(await counts()).toEqual(Array(5).fill([0, 0]));
  });
});
