import * as fc from "fast-check";
import type { Knex } from "knex";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { type TemporaryServer, temporaryServer } from "../db/testing.ts";
import type { Principal, Schemas } from "../http/operations.ts";
import { getAmountTrends, getChannelBreakdown, getCountTrends, getDonationStats, listTopDonators, type ReportParts } from "./handlers.ts";
import { exact, figuresOf, nearest, rounded, statsOf, sumOf, topOf } from "./model.ts";
import { type Case, cases, written } from "./model-cases.ts";
import { arePeriods, arePoints, isBreakdown, isRange, read, within } from "./model-checks.ts";
import { application, newStreamer, play, readSeed } from "./testing.ts";

// SEED=123 repeats a run of the model test, SEED=123:4:0 one failure of it. RUNS=20000 looks harder.
const { seed, path } = readSeed(process.env.SEED);
const runs = Number(process.env.RUNS ?? 1_000);
const lanes = path === undefined ? 4 : 1;

let server: TemporaryServer;
let database: Database;
let knex: Knex;

beforeAll(async () => {
  server = await temporaryServer();
  database = await server.freshDatabase();
  await migrate(database);
  knex = database.knex;
});

afterAll(async () => {
  await database.close();
  await server.remove();
});

test(`every report is that of a naive model (SEED=${seed})`, { timeout: 300_000 }, async () => {
  const each = Math.ceil(runs / lanes);
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      fc.assert(fc.asyncProperty(cases, agrees), {
        seed: seed + (path === undefined ? lane : 0),
        path,
        numRuns: each,
        endOnFailure: false,
      }),
    ),
  );
});

const caller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "127.0.0.1" };

async function agrees({ timezone, now, steps, question }: Case): Promise<void> {
  const streamer = await newStreamer(knex);
  const donations = await play(knex, streamer, steps);
  const parts = partsAt(now);
  const { sources, from, to, interval, by, limit, cumulative } = question;
  const reader = principal(streamer);
  const range = { ...(from && { from: written(from, timezone) }), ...(to && { to: written(to, timezone) }) };
  const source: Schemas["Source"][] = sources ?? ["external", "native"];
  const query = { timezone, ...range, source };
  const counted = donations.filter((donation) => source.includes(donation.source));
  const asked = <Extra extends object>(extra: Extra) => ({
    caller,
    path: {},
    header: {},
    query: { ...query, ...extra },
    given: [],
    body: undefined,
  });

  const stats = await orProblem(getDonationStats(parts)(asked({}), reader));
  if (typeof stats === "string") expect(stats).toBe("invalid_range");
  else {
    const { data } = stats.body;
    isRange(data, { timezone, from, to });
    const inRange = within(counted, data);
    expect({ ...data, largest: data.largest?.id ?? null, latest: data.latest?.id ?? null }).toMatchObject(statsOf(inRange));
    arePeriods(data.periods, { counted, timezone, now });

    const top = (await listTopDonators(parts)(asked({ by, limit }), reader)).body.data;
    expect(top.donators.map((one) => ({ ...one, firstAt: read(one.firstAt), lastAt: read(one.lastAt) }))).toEqual(
      topOf(inRange, by, limit),
    );

    isBreakdown((await getChannelBreakdown(parts)(asked({}), reader)).body.data, inRange);
  }

  const amounts = await orProblem(getAmountTrends(parts)(asked({ interval, cumulative }), reader));
  const counts = await orProblem(getCountTrends(parts)(asked({ interval }), reader));
  if (typeof amounts === "string" || typeof counts === "string") {
    expect(["invalid_range", "too_many_buckets"]).toContain(amounts);
    expect(counts).toBe(amounts);
    return;
  }
  const { data } = amounts.body;
  arePoints(data, { counted, interval, timezone });
  let soFar = 0n;
  const expected = data.points.map((point) => {
    const inside = within(counted, point);
    soFar += sumOf(inside);
    return { ...figuresOf(inside), cumulative: cumulative ? nearest(soFar) : null };
  });
  expect(data.points).toMatchObject(expected);
  const same = ({ label, from: first, to: after, count }: Schemas["CountPoint"] | Schemas["AmountPoint"]) => ({
    label,
    first,
    after,
    count,
  });
  expect(counts.body.data.points.map(same)).toEqual(data.points.map(same));
  expect(counts.body.data.points.map(({ uniqueDonators }) => uniqueDonators)).toEqual(
    data.points.map((point) => new Set(within(counted, point).map(({ who }) => who)).size),
  );
}

function partsAt(now: number): ReportParts {
  return { knex, record: async (_reader, id) => ({ id }) as Schemas["Donation"], now: () => now };
}

function principal(streamerId: string): Principal {
  return { streamerId, applicationId: application, scopes: ["read:donations"], credential: { kind: "api_key", id: "x" } };
}

async function orProblem<T>(answer: Promise<T>): Promise<T | string> {
  return answer.catch((error: { code?: string }) => {
    if (error.code === "invalid_range" || error.code === "too_many_buckets") return error.code;
    throw error;
  });
}

// A test of the model itself, by hand.
test("the model rounds half away from zero and knows the smallest double", () => {
  expect([rounded(1n, 8n), rounded(-1n, 8n), rounded(1n, 3n)]).toEqual([0.13, -0.13, 0.33]);
  expect(nearest(exact(5e-324))).toBe(5e-324);
});
