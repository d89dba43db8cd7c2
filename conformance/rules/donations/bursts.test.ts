import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { create, expectProblem, listAll, me, type Query, recorded, replayed } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { clientOf, expectRevoked, needsClients, newGrant, revoke } from "../../suite/client/oauth/oauth-client.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { emptyDays, report } from "../../suite/models/reports.ts";
import { type Body, donation, freshIdentifier, freshKey, fullDonation } from "../../suite/values/donations.ts";
import { edge, expectEdges } from "../../suite/values/score.ts";

// Checks that reads during concurrent recordings are explained by one order in which each happened at one moment (serializability).

/** Start and end by the caller's clock, in ms. */
type Interval = { from: number; to: number };

type Recording = Interval & { id: number };

/** A read and the recordings that it saw. */
type Read = Interval & { name: string; saw: ReadonlySet<number> };

async function timed<T>(act: () => Promise<T>): Promise<{ value: T } & Interval> {
  const from = performance.now();
  const value = await act();
  return { value, from, to: performance.now() };
}

/** Throws unless one order of the recordings, with each read somewhere between them, explains what every read saw. */
function expectSerial(recordings: readonly Recording[], reads: readonly Read[]): void {
  for (const read of reads) expectInTime(recordings, read);
  const inOrder = reads.toSorted((a, b) => a.saw.size - b.saw.size);
  for (const [index, later] of inOrder.entries()) {
    const earlier = inOrder[index - 1];
    if (earlier) expectHolds(later, earlier, "no order explains both");
  }
  for (const later of reads)
    for (const earlier of reads.filter(({ to }) => to < later.from)) expectHolds(later, earlier, "what was seen is gone");
}

/** A read contains what was answered before it began, and nothing that was sent after its end. */
function expectInTime(recordings: readonly Recording[], { name, saw, from, to }: Read): void {
  for (const one of recordings) {
    if (one.to < from) expect(saw.has(one.id), `${name} misses recording ${one.id}, which was answered before it began`).toBe(true);
    if (one.from > to) expect(saw.has(one.id), `${name} saw recording ${one.id} before it was sent`).toBe(false);
  }
}

function expectHolds(later: Read, earlier: Read, reason: string): void {
  const missing = [...earlier.saw].filter((id) => !later.saw.has(id));
  expect(missing, `${reason}: ${earlier.name} saw what ${later.name} did not`).toEqual([]);
}

// Concurrent requests: every outcome must look as if one had followed the other.

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

/** Posts until the answer is final: 409 means that the first one is still in flight, so the request is repeated. */
async function settled(body: Body, tries = 20): Promise<Reply> {
  const reply = await create(body);
  if (reply.status !== 409 || tries === 0) return reply;
  expectProblem(reply, 409, "idempotency_in_progress");
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
  edge("still in flight");
  await sleep(50);
  return settled(body, tries - 1);
}

const statuses = (replies: Reply[]): number[] => replies.map(({ status }) => status);
const count = (replies: Reply[], status: number): number => statuses(replies).filter((one) => one === status).length;

test("16 equal concurrent donations with one idempotency key are recorded once, and the others are replays", () =>
  holds(
    fc.integer({ min: 2, max: 16 }),
    async (size) => {
      const body = fullDonation();
      const replies = await Promise.all(times(size, () => settled(body)));
      expect([count(replies, 201), count(replies, 200)]).toEqual([1, size - 1]);
      const [original] = replies.filter(({ status }) => status === 201).map(recorded);
      for (const reply of replies.filter(({ status }) => status === 200)) expect(replayed(reply)).toEqual(original);
      expect(await listAll({ identifier: String(body.identifier) })).toEqual([original]);
    },
    { runs: 24, concurrency: 4 },
  ));

test("16 different concurrent donations with one idempotency key: one is recorded, the others are refused", () =>
  holds(
    fc.integer({ min: 2, max: 16 }),
    async (size) => {
      const [idempotencyKey, identifier] = [freshKey(), freshIdentifier()];
      const replies = await Promise.all(
        times(size, (index) => settled(donation({ skipAlert: true, identifier, idempotencyKey, amount: index + 1 }))),
      );
      expect([count(replies, 201), count(replies, 422)]).toEqual([1, size - 1]);
      for (const reply of replies.filter(({ status }) => status === 422)) expectProblem(reply, 422, "idempotency_key_reused");
      expect(await listAll({ identifier })).toEqual(replies.filter(({ status }) => status === 201).map(recorded));
    },
    { runs: 24, concurrency: 4 },
  ));

test("any concurrent donations with few idempotency keys: each key is used by one, its equals replay it, the others are refused", () => {
  const some = fc.array(fc.record({ key: fc.nat(3), amount: fc.integer({ min: 1, max: 3 }) }), { minLength: 2, maxLength: 24 });
  return holds(
    some,
    async (wanted) => {
      const identifier = freshIdentifier();
      const keys = times(4, freshKey);
      const replies = await Promise.all(
        wanted.map(({ key, amount }) => settled(donation({ skipAlert: true, identifier, idempotencyKey: keys[key], amount }))),
      );
      const winners = replies.filter(({ status }) => status === 201).map(recorded);
      expect(winners.map((one) => one.idempotencyKey).sort()).toEqual([...new Set(wanted.map(({ key }) => keys[key]))].sort());
      for (const [index, reply] of replies.entries()) {
        const winner = winners.find((one) => one.idempotencyKey === keys[wanted[index]?.key ?? 0]);
        if (reply.status === 201) continue;
        if (wanted[index]?.amount === winner?.amount) expect(replayed(reply)).toEqual(winner);
        else expectProblem(reply, 422, "idempotency_key_reused");
      }
      expect((await listAll({ identifier, sort: "receivedAt" })).map(({ id }) => id).sort()).toEqual(winners.map(({ id }) => id).sort());
    },
    { runs: 40, concurrency: 4 },
  );
});

describe("lists and reports while donations arrive", () => {
  type Reader = { name: string; read: (range: Query) => Promise<number[]> };

  /** Amounts are powers of two, so that a total shows which donations it contains. */
  const bits = (total: number): number[] => times(20, (bit) => bit).filter((bit) => Math.floor(total / 2 ** bit) % 2 === 1);

  function counted({ total, count }: { total: number; count: number }): number[] {
    expect(bits(total).length, "total and count are of one moment").toBe(count);
    return bits(total);
  }

  const sum = <T>(all: T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0);
  const added = (all: { total: number; count: number }[]): number[] =>
    counted({ total: sum(all, ({ total }) => total), count: sum(all, ({ count }) => count) });

  const reads: Reader[] = [
    { name: "stats", read: async (range) => counted(await report("stats", range)) },
    { name: "breakdown", read: async (range) => counted(await report("breakdown", range)) },
    { name: "top donators", read: async (range) => added((await report("top-donators", range)).donators) },
    { name: "trends", read: async (range) => added((await report("trends/amount", range)).points) },
    { name: "list", read: async (range) => (await listAll({ ...range, limit: 100 })).map(({ amount }) => Math.log2(amount)) },
    {
      name: "list by receivedAt",
      read: async (range) => (await listAll({ ...range, sort: "receivedAt", limit: 3 })).map(({ amount }) => Math.log2(amount)),
    },
  ];

  test("each list and report under load sees a moment of one order, and never less than was answered before it", async () => {
    await holds(
      fc.shuffledSubarray(
        times(20, (bit) => bit),
        { minLength: 12 },
      ),
      async (order) => {
        const [day = ""] = await emptyDays(1);
        const range = { from: day, to: day };
        const sights: Read[] = [];
        const recordings: Recording[] = [];
        let arriving = true;
        const watch = async ({ name, read }: Reader): Promise<void> => {
          while (arriving) {
            const { value, from, to } = await timed(() => read(range));
            sights.push({ name, from, to, saw: new Set(value) });
            if (value.length > 0 && value.length < order.length) edge(`${name} in between`);
          }
        };
        const donate = async (bit: number): Promise<void> => {
          const body = donation({ skipAlert: true, amount: 2 ** bit, createdAt: `${day}T12:00+07:00`, donatorName: `d${bit % 3}` });
          const { from, to } = await timed(async () => recorded(await create(body)));
          recordings.push({ id: bit, from, to });
        };
        const rest = order.values();
        const donator = async (): Promise<void> => {
          for (const bit of rest) await donate(bit);
        };
        const watching = reads.map(watch);
        await Promise.all([donator(), donator(), donator()]).finally(() => (arriving = false));
        await Promise.all(watching);
        for (const { name, read } of reads)
          sights.push({ name: `${name} at last`, from: performance.now(), to: performance.now(), saw: new Set(await read(range)) });
        expectSerial(recordings, sights);
      },
      { runs: 12, concurrency: 1 },
    );
    expectEdges(["stats in between", "breakdown in between", "top donators in between", "trends in between", "list in between"]);
  });
});

describe("donations during a revocation", () => {
  beforeEach(needsClients);

  test("donations sent while their token is revoked are recorded or refused, and none is recorded after the revocation was answered", () =>
    holds(
      fc.integer({ min: 1, max: 12 }),
      async (size) => {
        const client = clientOf("confidential");
        const { access_token: key, refresh_token } = await newGrant(client);
        const identifier = freshIdentifier();
        const body = donation({ skipAlert: true, identifier });
        const posts = times(size, () => timed(() => create(body, { key })));
        const revocation = timed(async () => expectRevoked(await revoke(client, refresh_token)));
        const [end, ...all] = await Promise.all([revocation, ...posts, ...times(size, () => timed(() => create(body, { key })))]);
        for (const { value: reply } of all) if (reply.status !== 201) expectProblem(reply, 401, "token_revoked");
        for (const { value: reply, from } of all.filter((one) => one.from > end.to)) expect(reply.status, String(from)).toBe(401);
        expectProblem(await create(body, { key }), 401, "token_revoked");
        expectProblem(await me({ key }), 401, "token_revoked");
        const recordedIds = all.filter(({ value }) => value.status === 201).map(({ value }) => recorded(value).id);
        expect((await listAll({ identifier })).map(({ id }) => id).sort()).toEqual(recordedIds.sort());
      },
      { runs: 12, concurrency: 3 },
    ));
});

describe("the check of a history", () => {
  const recordings: Recording[] = [
    { id: 1, from: 0, to: 10 },
    { id: 2, from: 0, to: 10 },
  ];
  const sight = (saw: number[], from: number, to: number): Read => ({ name: `a read of ${from} to ${to}`, from, to, saw: new Set(saw) });

  test.each<[string, Read[]]>([
    ["one after the other", [sight([1], 5, 6), sight([1, 2], 7, 8)]],
    ["nothing yet, for what has not been answered", [sight([], 5, 12)]],
  ])("the check of a history accepts %s", (_, sights) => expect(() => expectSerial(recordings, sights)).not.toThrow());

  test.each<[string, Read[]]>([
    ["what was answered and is not seen", [sight([1], 11, 12)]],
    ["what is seen before it was sent", [sight([1], -2, -1)]],
    ["two reads in two orders", [sight([1], 5, 9), sight([2], 5, 9)]],
    ["what was seen and is gone", [sight([1, 2], 5, 6), sight([1], 7, 8)]],
  ])("the check of a history refuses %s", (_, sights) => expect(() => expectSerial(recordings, sights)).toThrow());
});
