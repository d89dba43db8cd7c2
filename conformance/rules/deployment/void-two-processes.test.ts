import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { create, type Donation, listAll, recorded, takeBack, voidDonation } from "../../suite/client/api.ts";
import { listAllEvents } from "../../suite/client/events/event-stream.ts";
import { send } from "../../suite/client/http-client.ts";
import { importAll, outcomesOf } from "../../suite/client/imports.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { report } from "../../suite/models/reports.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { type Body, donation, freshKey } from "../../suite/values/donations.ts";
import { target } from "../../suite/values/target.ts";

// Voids, imports and erasures on the server under test and on a second process on its database.

beforeEach(needsOwnProcess);
const streamer = newStreamer();
const streamerOfAll = newStreamer();

let second: Process | null = null;
beforeAll(async () => {
  const { operator } = target();
  second = operator && (await startProcess(operator, "second"));
});
afterAll(() => second?.stop());

/** What a request to one of the processes is sent with; the number chooses. */
const on = (number: number, key: string) => ({ key, ...(number % 2 === 0 ? {} : { server: second?.url ?? "" }) });
const record = async (amount: number, options: object) => recorded(await create(donation({ amount, skipAlert: true }), options));

/** Asks again while the streamer's donations stay locked, as a busy machine may have it: nothing was changed then. */
async function untilUnlocked(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await ask();
    if (reply.status !== 503) return reply;
    await sleep(1_000);
  }
}

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
        const replies = await Promise.all(
          [0, 1].map((number) => untilUnlocked(() => voidDonation(one.id, { reason: "mistake" }, on(number, key)))),
        );
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

const people = [0, 1, 2];
const steps = fc.record({
  kind: fc.constantFrom("create", "create", "import", "void", "erase"),
  process: fc.constantFrom(0, 1),
  person: fc.constantFrom(...people),
  amount: fc.integer({ min: 1, max: 5_000 }),
});
/** What clients do at the same time as each other, each one step after the other. */
const plans = (clients: number) => fc.sample(fc.array(steps, { minLength: 8, maxLength: 12 }), { seed: target().seed, numRuns: clients });

const erase = async (identifier: string, options: object) => {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ identifier });
  const reply = await untilUnlocked(() => send({ method: "POST", path: "/api/v1/donators/erase", headers, body, ...options }));
  expect(reply.status, reply.text).toBe(200);
};

test("donations that two processes record, import, void and erase at the same time are counted exactly, and a repeated request brings nobody back", async (context) => {
  const key = streamerOfAll(context);
  const run = freshKey();
  const identifierOf = (person: number) => `${run} ${person}`;
  const sent = new Map<string, Body>();
  const bodyOf = (person: number, amount: number): Body =>
    donation({ donatorName: `คนที่ ${person}`, identifier: identifierOf(person), amount, skipAlert: true, idempotencyKey: freshKey() });
  await Promise.all(
    plans(6).map(async (plan) => {
      const own: string[] = [];
      const note = (id: string, body: Body) => {
        own.push(id);
        sent.set(id, body);
      };
      for (const { kind, process, person, amount } of plan) {
        const options = on(process, key);
        if (kind === "erase") await erase(identifierOf(person), options);
        else if (kind === "create" || own.length === 0) {
          const body = bodyOf(person, amount);
          note(recorded(await create(body, options)).id, body);
        } else if (kind === "import") {
          const bodies = [1, 2, 3].map((more) => bodyOf(person, amount + more));
          for (const { index, donationId } of outcomesOf(await importAll("JSON", bodies, options)))
            note(donationId ?? "", bodies[index] ?? {});
        } else {
          const id = own[amount % own.length] ?? "";
          expect((await untilUnlocked(() => voidDonation(id, { reason: "mistake" }, options))).status).toBe(200);
        }
      }
    }),
  );
  for (const person of people) await erase(identifierOf(person), on(person, key));

  const all = await listAll({ status: "all", limit: 100 }, { key });
  const amounts = (pairs: Iterable<[string, unknown]>) => [...pairs].toSorted(([a], [b]) => (a < b ? -1 : 1));
  expect(amounts(all.map(({ id, amount }) => [id, amount]))).toEqual(amounts([...sent].map(([id, { amount }]) => [id, amount])));
  const agrees = async () => {
    const reports = await Promise.all([0, 1].map((number) => report("stats", {}, on(number, key))));
    for (const stats of reports) expect(figures(stats)).toEqual(figuresOf(all));
    const [here, there] = await Promise.all([0, 1].map((number) => report("top-donators", {}, on(number, key))));
    expect(here?.donators).toEqual(there?.donators);
    expect(reports[0]?.uniqueDonators).toBe(reports[1]?.uniqueDonators);
    for (const number of [0, 1]) expect(figures(await report("breakdown", {}, on(number, key)))).toEqual(figuresOf(all));
  };
  await agrees();

  for (const [index, [id, body]] of [...sent].entries())
    expect(await create(body, on(index, key))).toMatchObject({ status: 200, body: { data: { id } } });
  const after = await listAll({ status: "all", limit: 100 }, { key });
  expect(after).toEqual(all);
  const texts = JSON.stringify(after);
  expect(people.filter((person) => texts.includes(identifierOf(person)) || texts.includes(`คนที่ ${person}`))).toEqual([]);
  await agrees();
});
