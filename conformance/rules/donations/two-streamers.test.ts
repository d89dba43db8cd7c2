import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  create,
  type Donation,
  expectNone,
  expectProblem,
  get,
  list,
  listAll,
  pageOf,
  type Query,
  recorded,
  search,
} from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { exported } from "../../suite/client/workbook.ts";
import { scopes } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { offline } from "../../suite/contract/offline-rules.ts";
import { listFilters, pathsOf, sorts, streamerFaults } from "../../suite/models/derive/streamer-paths.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// Two streamers whose donations differ in a name only: no answer to one contains anything of the other.

type Side = { canary: string; other: () => Side; key: string; donations: Donation[] };

const side = (canary: string, other: () => Side): Side => ({ canary, other, key: "", donations: [] });
const one: Side = side("canaryone", () => two);
const two: Side = side("canarytwo", () => one);
const sides = [one, two];
const sameKey = "two-streamers:";
const count = 24;

beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  for (const own of sides) {
    const handle = `${own.canary}-${crypto.randomUUID().slice(0, 8)}`;
    own.key = (await addStreamerWithKeys(operator, handle, scopes.join(" "))).key;
  }
  for (let number = 0; number < count; number += 1) await donateToBoth(number);
  // Whatever a server keeps by the time of the last donation alone, it would mix up now.
  for (let number = count; number < count + maxPairs && !haveSameTime(); number += 1) await donateToBoth(number);
});

/** At the same moment, so that a server that records several donations at once gives both the same time. */
async function donateToBoth(number: number): Promise<void> {
  const replies = await Promise.all(sides.map((own) => create(donationOf(own, number), { key: own.key })));
  for (const [index, own] of sides.entries()) own.donations.push(recorded(replies[index] as Reply));
}

/** Pairs of donations that are recorded until two have the same time. */
const maxPairs = 30;

const haveSameTime = (): boolean => one.donations.at(-1)?.receivedAt === two.donations.at(-1)?.receivedAt;

/** Donations that are equal for both except for the canary: amounts, instants, identifiers and even idempotency keys. */
function donationOf({ canary }: Side, number: number) {
  const identifier = number % 3 === 0 ? `${canary}-${number % 6}` : number % 3 === 1 ? `both-${number % 2}` : undefined;
  return {
    donatorName: `${canary} ${number % 5}`,
    amount: 10 + (number % 4),
    message: `hello ${canary} ${number}`,
    ...(identifier ? { identifier } : {}),
    idempotencyKey: sameKey + number,
    createdAt: `2024-0${1 + (number % 9)}-10T12:00+07:00`,
    skipAlert: true,
  };
}

test("every operation that reads donations is tried with two streamers", offline, () => expectNone(streamerFaults()));

/** Texts that reveal this streamer. */
const tracesOf = ({ canary, donations }: Side): string[] => [canary, ...donations.map(({ id }) => id)];

function expectNoTrace(text: string, own: Side): void {
  for (const trace of tracesOf(own.other())) expect(text).not.toContain(trace);
}

/** The answer without names, ids and the time of the request, which differ between the streamers. */
function masked(value: unknown, { canary, donations }: Side): string {
  const numbers = new Map(donations.map(({ id }, index) => [id, `id ${index}`]));
  return JSON.stringify(value, (name, part) =>
    ["asOf", "receivedAt", "nextCursor"].includes(name)
      ? typeof part
      : typeof part === "string"
        ? (numbers.get(part) ?? part.replaceAll(canary, "name"))
        : part,
  );
}

describe("two streamers with the same donations", () => {
  beforeEach((context) => void operatorOf(context));

  test.each(Object.entries(pathsOf))(
    "%s: neither of two streamers sees the other, whatever the filter, and equal donations look equal to both",
    async (_, paths) => {
      for (const path of paths) {
        const replies = await Promise.all(sides.map(({ key }) => send({ path: `/api/v1${path}`, key })));
        for (const [index, { status, text }] of replies.entries()) {
          expect(status, text).toBe(200);
          expectNoTrace(text, sides[index] as Side);
        }
        const [mine, yours] = replies.map(({ body }, index) => masked(body, sides[index] as Side));
        expect(mine, path).toBe(yours);
      }
    },
  );

  test("each of two streamers reads all of its own donations", async () => {
    for (const limit of [100, 99, 98, 7]) // whole lists first: a cache gives the second streamer what the first has just read
      for (const { key, donations } of sides)
        expect((await listAll({ limit, sort: "receivedAt" }, { key })).map(({ id }) => id)).toEqual(donations.map(({ id }) => id));
  });

  test("a filter or id that names another streamer's donation finds nothing", async () => {
    for (const own of sides) {
      const { canary, donations } = own.other();
      for (const { id } of donations) expectProblem(await get(id, { key: own.key }), 404, "donation_not_found");
      const queries: Query[] = [
        ...donations.map(({ id }) => ({ q: id })),
        { q: canary },
        { q: canary.toUpperCase() },
        { q: canary.slice(-3) },
      ];
      for (const query of queries) expect(pageOf(await search(query, { key: own.key })).data).toEqual([]);
      const page = pageOf(await list({ identifier: `${canary}-0` }, { key: own.key }));
      expect(page).toEqual({ data: [], pagination: { nextCursor: null, hasMore: false, limit: 20 } });
    }
  });

  test("another streamer's cursors are invalid: those of every sort and of a search, whole or patched with parts of an own one", async () => {
    for (const own of sides) {
      const theirs = own.other().key;
      const lists = sorts.map((sort): [typeof search, Query] => [list, { sort, limit: 2 }]);
      const pages: typeof lists = [...lists, [search, { q: "hello", limit: 2 }]];
      for (const [ask, query] of pages) {
        const [foreign, genuine] = await Promise.all(
          [theirs, own.key].map(async (key) => pageOf(await ask(query, { key })).pagination.nextCursor ?? ""),
        );
        expect(foreign).not.toBe(genuine); // equal except for the signature
        expect(foreign?.length).toBeGreaterThan(20);
        const half = Math.floor((foreign as string).length / 2);
        const forgeries = [
          foreign as string,
          `${genuine?.slice(0, half)}${foreign?.slice(half)}`,
          `${foreign?.slice(0, half)}${genuine?.slice(half)}`,
          `${genuine?.slice(0, 24)}${foreign?.slice(24)}`,
          `${foreign?.slice(0, -1)}${foreign?.endsWith("A") ? "B" : "A"}`,
        ];
        for (const cursor of forgeries.filter((forged) => forged !== genuine))
          expectProblem(await ask({ cursor }, { key: own.key }), 400, "invalid_cursor");
        expectNoTrace((await ask({ cursor: genuine as string }, { key: own.key })).text, own);
      }
    }
  });

  test("an export holds nothing of another streamer", async () => {
    for (const own of sides)
      for (const query of listFilters) {
        const { rows, summary } = await exported(query, own.key);
        expectNoTrace(JSON.stringify([rows, summary]), own);
        const listed = await listAll({ limit: 100, ...query }, { key: own.key });
        expect(rows.map((row) => row["Donation id"]?.v)).toEqual(listed.map(({ id }) => id));
      }
  });
});
