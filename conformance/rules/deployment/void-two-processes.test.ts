import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { create, type Donation, listAll, recorded } from "../../harness/client/api.ts";
import { takeBack, voidDonation } from "../../harness/client/void-donation.ts";
import { listAllEvents } from "../../harness/events/event-stream.ts";
import { ownStreamer } from "../../harness/events/webhooks.ts";
import { donation } from "../../harness/generators/donations.ts";
import { report } from "../../harness/models/report-requests.ts";
import { needsOwnProcess, type Process, startProcess } from "../../harness/server/process.ts";
import { target } from "../../harness/server/target.ts";

// Voids on the server under test and on a second process on its database.

beforeEach(needsOwnProcess);
const streamer = ownStreamer();

let second: Process | null = null;
beforeAll(async () => {
  const { operator } = target();
  second = operator && (await startProcess(operator, "second"));
});
afterAll(() => second?.stop());

/** What a request to one of the processes is sent with; the number chooses. */
const on = (number: number, key: string) => ({ key, ...(number % 2 === 0 ? {} : { server: second?.url ?? "" }) });
const record = async (amount: number, options: object) => recorded(await create(donation({ amount, skipAlert: true }), options));
const figures = ({ total, count }: { total: number; count: number }) => ({ total, count });
const figuresOf = (donations: readonly Donation[]) => {
  const valid = donations.filter(({ voided }) => voided === null);
  return { total: valid.reduce((sum, { amount }) => sum + amount, 0), count: valid.length };
};

test("a donation that one process voids is left out of the other's statistics and lists at once, which it had answered before", async (context) => {
  const key = streamer(context);
  const donations: Donation[] = [];
  for (let index = 0; index < 12; index += 1) donations.push(await record(1 + index, on(index, key)));
  for (let index = 0; index < 12; index += 1) {
    // Twice, so that both processes keep the answer.
    for (const number of [0, 1, 0, 1]) expect(figures(await report("stats", {}, on(number, key)))).toEqual(figuresOf(donations));
    donations[index] = await takeBack(donations[index] as Donation, "refund", on(index, key));
    for (const number of [0, 1]) {
      expect(figures(await report("stats", {}, on(number, key)))).toEqual(figuresOf(donations));
      expect(await listAll({ status: "all", sort: "receivedAt" }, on(number, key))).toEqual(donations);
    }
  }
});

test("donations that two processes record and void at the same time are counted exactly, and each void is told once", async (context) => {
  const key = streamer(context);
  const before = await record(1_000, on(0, key));
  const waves = Array.from({ length: 10 }, (_, wave) => wave);
  await Promise.all(
    waves.map(async (wave) => {
      for (let round = 0; round < 6; round += 1) {
        const one = await record(0.25 + wave, on(wave, key));
        if (round % 3 === 0) continue;
        const replies = await Promise.all([0, 1].map((number) => voidDonation(one.id, { reason: "mistake" }, on(number, key))));
        expect(replies.map(({ status }) => status)).toEqual([200, 200]);
      }
    }),
  );
  const all = await listAll({ status: "all", limit: 100 }, { key });
  expect(all.map(({ id }) => id)).toContain(before.id);
  for (const number of [0, 1]) {
    expect(figures(await report("stats", {}, on(number, key)))).toEqual(figuresOf(all));
    expect(figures(await report("breakdown", {}, on(number, key)))).toEqual(figuresOf(all));
  }
  const told = (await listAllEvents({ types: "donation.voided" }, { key })).map(({ data }) => (data as Donation).id);
  expect(told.toSorted()).toEqual(all.flatMap(({ id, voided }) => (voided ? [id] : [])).toSorted());
});
