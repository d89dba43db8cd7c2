import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { useDatabase } from "../db/testing.ts";
import { eventTypes } from "../http/contract/published.ts";
import { type EventType, toEvent } from "./event.ts";
import { settleGoals } from "./goals.ts";
import { findDonationEvents, logStart, recordEvents } from "./log.ts";
import { deleteOldEvents } from "./open-events.ts";
import { openLogFixture } from "./testing.ts";

let fixture: ReturnType<typeof openLogFixture>;
let streamerId: string;

useDatabase(async (database: Database) => {
  fixture = openLogFixture(database);
});
beforeAll(async () => {
  streamerId = await fixture.newStreamer();
});

const pageAfter = (after: number, limit = 100, types: readonly EventType[] = eventTypes, of = streamerId) =>
  fixture.log.read({ streamerId: of, after, types, withImported: true, limit });
const end = () => fixture.log.end(streamerId);
const typesAfter = async (after: number) => (await pageAfter(after)).events.map(({ type }) => type);

describe("alerts", () => {
  test.each([
    ["playing", "alert.started"],
    ["shown", "alert.shown"],
    ["skipped", "alert.skipped"],
    ["expired", "alert.expired"],
    ["unconfirmed", "alert.unconfirmed"],
  ])("an alert that becomes %s is the event %s, with the donation that it shows", async (status, type) => {
    const [id = ""] = await fixture.donate(streamerId, { donatorName: "Somsri", amount: 12.5, source: "test" });
    const after = await end();
    await fixture.move([id], status);
    const { events } = await pageAfter(after);
    expect(events.map((logged) => toEvent(logged, "anyone"))).toMatchObject([
      { type, data: { donationId: id, donatorName: "Somsri", amount: 12.5, status, reason: null, isTest: true, isReplay: false } },
    ]);
  });

  test.each(["preparing", "queued", "leased"])("an alert that becomes %s is no event", async (status) => {
    const [id = ""] = await fixture.donate(streamerId, {});
    await fixture.move([id], "shown");
    const after = await end();
    await fixture.move([id], status);
    expect(await typesAfter(after)).toEqual([]);
  });

  test("an alert whose state is written again is no second event", async () => {
    const [id = ""] = await fixture.donate(streamerId, {});
    await fixture.move([id], "shown");
    const after = await end();
    await fixture.move([id], "shown");
    expect(await typesAfter(after)).toEqual([]);
  });

  test("many alerts that are moved at once are events with numbers of their own, and a transaction that fails leaves none", async () => {
    const ids = await fixture.donate(streamerId, {}, {}, {});
    const after = await end();
    const failing = fixture.knex.transaction(async (trx) => {
      await trx("alerts").whereIn("donation_id", ids).update({ status: "playing" });
      throw new Error("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    expect(await typesAfter(after)).toEqual([]);
    await fixture.move(ids, "skipped", "control");
    const { events } = await pageAfter(after);
    expect(events.map(({ details }) => details)).toEqual(ids.map(() => ({ status: "skipped", reason: "control", isReplay: false })));
    expect(new Set(events.map(({ position }) => position)).size).toBe(3);
  });
});

describe("pages", () => {
  test("a page ends with the last event when there are more, and with the end of the log otherwise", async () => {
    const after = await end();
    await fixture.donate(streamerId, {}, {}, {});
    const first = await pageAfter(after, 2);
    expect([first.events.length, first.hasMore, first.position]).toEqual([2, true, first.events[1]?.position]);
    const second = await pageAfter(first.position, 2);
    expect([second.events.length, second.hasMore, second.position]).toEqual([1, false, await end()]);
  });

  test("a page of some types passes over the others, and its position does, too", async () => {
    const after = await end();
    const [id = ""] = await fixture.donate(streamerId, {});
    await fixture.move([id], "shown");
    const page = await pageAfter(after, 100, ["alert.shown"]);
    expect(page.events.map(({ type }) => type)).toEqual(["alert.shown"]);
    expect((await pageAfter(after, 100, ["goal.reached"])).position).toBe(page.position);
    expect(await pageAfter(after, 100, [])).toEqual({ events: [], hasMore: false, position: page.position });
  });

  test("another streamer's log is empty", async () => {
    const other = await fixture.newStreamer();
    expect(await pageAfter(logStart, 100, eventTypes, other)).toEqual({ events: [], hasMore: false, position: 0 });
  });

  test("while several connections record and move alerts, a reader that follows the log gets every event once and in order", async () => {
    const busy = await fixture.newStreamer();
    let isOver = false;
    const writing = Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let round = 0; round < 25; round += 1) {
          const ids = await fixture.donate(busy, {}, {});
          await fixture.knex.transaction(async (trx) => {
            await trx("alerts").whereIn("donation_id", ids).update({ status: "playing" });
            await pause(Math.random() * 4); // commits later than others that begin later
          });
        }
      }),
    ).finally(() => {
      isOver = true;
    });
    const read: string[] = [];
    let after = logStart;
    for (let isLast = false; !isLast; ) {
      isLast = isOver;
      const page = await pageAfter(after, 7, eventTypes, busy);
      if (page.hasMore) isLast = false;
      read.push(...page.events.map(({ id }) => id));
      after = page.position;
    }
    await writing;
    const { rows } = await fixture.knex.raw<{ rows: { id: string }[] }>(
      `select id from (select id, sequence from donations where streamer_id = :busy union all select id, sequence from events where streamer_id = :busy) l
       order by sequence`,
      { busy },
    );
    expect(rows).toHaveLength(6 * 25 * 4);
    expect(read).toEqual(rows.map(({ id }) => id));
  });
});

describe("goals", () => {
  const store = (settings: object) =>
    fixture.knex.raw(
      `insert into overlays (streamer_id, settings) values (?, ?::jsonb) on conflict (streamer_id) do update set settings = excluded.settings`,
      [streamerId, JSON.stringify(settings)],
    );
  const setGoal = (goal: object | null) => store(goal ? { goal } : {});
  const goal = { title: "ไมค์", target: 100, from: "2026-01-01" };

  test("a goal is an event once, by whichever process finds it reached, and again when another goal is set", async () => {
    let sum = 99;
    const settle = () => settleGoals(fixture.knex, async (_, goals) => goals.map(() => sum));
    await setGoal(goal);
    const after = await end();
    expect(await settle()).toEqual({ reached: [], hasMore: false });
    sum = 100;
    expect((await settle()).reached, "nothing was recorded since").toEqual([]);
    await fixture.donate(streamerId, {});
    const both = await Promise.all([settle(), settle()]);
    expect(both.flatMap(({ reached }) => reached)).toEqual([streamerId]);
    await setGoal({ ...goal, title: "กล้อง" });
    expect((await settle()).reached).toEqual([streamerId]);
    await setGoal({ ...goal, title: "กล้อง" });
    await fixture.donate(streamerId, {});
    expect((await settle()).reached, "the same goal, saved again").toEqual([]);
    const { events } = await pageAfter(after, 100, ["goal.reached"]);
    expect(events.map((logged) => toEvent(logged, "anyone").data)).toEqual([
      { ...goal, id: "main", current: 100 },
      { ...goal, id: "main", title: "กล้อง", current: 100 },
    ]);
  });

  test("each of several goals is reached once: in another order, or beside others that come and go, it is watched as before", async () => {
    const [mic, trip] = [
      { ...goal, id: "mic" },
      { ...goal, id: "trip", target: 200 },
    ];
    let sum = 150;
    const asked: string[][] = [];
    const settle = () =>
      settleGoals(fixture.knex, async (_, goals) => {
        asked.push(goals.map(({ id }) => id).toSorted());
        return goals.map(() => sum);
      });
    const after = await end();
    await store({ goal: mic, moreGoals: [trip] });
    await fixture.donate(streamerId, {});
    expect((await settle()).reached).toEqual([streamerId]);
    await store({ goal: trip, moreGoals: [mic, { ...goal, id: "lamp", target: 900 }] });
    await store({ goal: trip, moreGoals: [mic] });
    sum = 250;
    await fixture.donate(streamerId, {});
    expect((await settle()).reached).toEqual([streamerId]);
    expect(asked, "one reading for all goals of the streamer").toEqual([["mic", "trip"], ["trip"]]);
    const { events } = await pageAfter(after, 100, ["goal.reached"]);
    expect(events.map((logged) => toEvent(logged, "anyone").data)).toEqual([
      { ...mic, current: 150 },
      { ...trip, current: 250 },
    ]);
  });

  test("a goal that is taken away is never reached", async () => {
    await setGoal(goal);
    await setGoal(null);
    await fixture.donate(streamerId, {});
    expect((await settleGoals(fixture.knex, async (_, goals) => goals.map(() => 1_000))).reached).toEqual([]);
  });
});

test("events older than 90 days are deleted, and recorded donations are not", async () => {
  const [id = ""] = await fixture.donate(streamerId, {});
  const after = (await end()) - 1;
  await fixture.move([id], "shown");
  await fixture
    .knex("events")
    .where("donation_id", id)
    .update({ occurred_at: fixture.knex.raw("now() - interval '91 days'") });
  expect(await deleteOldEvents(fixture.knex)).toBe(false);
  expect(await typesAfter(after)).toEqual(["donation.created"]);
});

test("the events of a donation are those that happened to it and to its alert, oldest first, with the reason of a skip", async () => {
  const { knex } = fixture;
  const streamerId = await fixture.newStreamer();
  const [id = "", other = ""] = await fixture.donate(streamerId, {}, {});
  for (const status of ["held", "queued", "leased", "playing"]) await fixture.move([id], status);
  await fixture.move([other], "playing");
  await fixture.move([id], "skipped", "voided");
  await knex.transaction((trx) =>
    recordEvents(trx, { streamerId, type: "donation.voided" }, [{ donationId: id, at: Date.parse("2026-11-21T03:00:00Z"), details: {} }]),
  );
  const steps = await findDonationEvents(knex, streamerId, id);
  expect(steps.map(({ type, reason, isReplay }) => [type, reason, isReplay])).toEqual([
    ["alert.held", null, false],
    ["alert.approved", null, false],
    ["alert.started", null, false],
    ["alert.skipped", "voided", false],
    ["donation.voided", null, false],
  ]);
  expect(steps.at(-1)?.at).toBe(Date.parse("2026-11-21T03:00:00Z"));
  expect(await findDonationEvents(knex, await fixture.newStreamer(), id), "another streamer's donation").toEqual([]);
});
