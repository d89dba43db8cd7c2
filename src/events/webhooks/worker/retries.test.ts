import { describe, expect, test } from "vitest";
import { type Answer, openReceiver, type Receiver, sendAll, useTestWebhooks, type WorkerOptions } from "../testing.ts";
import type { Worker } from "./worker.ts";

const setting = useTestWebhooks();
const { opened } = setting;

const hour = 3_600_000;

/** An endpoint with a receiver that answers as `answers` says at the moment, and a worker. */
async function setUp(first: Answer, options?: WorkerOptions) {
  const answers: { now: Answer } = { now: first };
  const target: Receiver = await openReceiver(() => answers.now);
  const worker: Worker = setting.webhooks.worker(options);
  opened.push(target.close, worker.stop);
  const owner = await setting.webhooks.owner();
  const { id } = await setting.webhooks.endpoint(owner, target.url);
  return {
    answers,
    target,
    owner,
    id,
    donate: (count?: number) => setting.webhooks.donate(owner, count),
    send: () => sendAll(worker),
    endpoint: () => setting.webhooks.endpoints.find(owner, id),
    deliveries: () => setting.webhooks.deliveriesOf(id),
    stop: worker.stop,
  };
}

const broken: Answer = { status: 500, body: "broken" };
const fine: Answer = { status: 200 };

describe("a delivery that fails", () => {
  test("a delivery that fails is repeated after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 hours, and then no more", async () => {
    const { target, donate, send, deliveries } = await setUp(broken);
    const [id] = await donate();
    await send();
    const waits: number[] = [];
    for (;;) {
      const [delivery] = await deliveries();
      const { attempts = [], nextAttemptAt = null, status } = delivery ?? {};
      if (nextAttemptAt === null) {
        expect([status, attempts.length]).toEqual(["failed", 10]);
        break;
      }
      expect(status).toBe("retrying");
      const last = attempts.at(-1);
      waits.push(Math.round((nextAttemptAt - (last?.at ?? 0) - (last?.ms ?? 0)) / 1000));
      setting.webhooks.advance(nextAttemptAt - setting.webhooks.now() - 2_000);
      await send();
      expect(target.received).toHaveLength(waits.length); // not yet
      setting.webhooks.advance(2_001);
      await send();
    }
    expect(waits).toEqual([5, 300, 1_800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600)]);
    expect(new Set(target.ids())).toEqual(new Set([id]));
  });

  test("a delivery that fails does not hold the next events back, and arrives later, beside them", async () => {
    const { answers, target, donate, send, deliveries, endpoint } = await setUp(broken);
    const [failed] = await donate();
    await send();
    expect((await endpoint())?.failingSince).toEqual(expect.any(Number));
    answers.now = fine;
    const others = await donate(2);
    await send();
    setting.webhooks.advance(10_000);
    await send();
    expect(target.ids()).toEqual([failed, ...others, failed]);
    expect((await deliveries()).map(({ status }) => status)).toEqual(["succeeded", "succeeded", "succeeded"]);
    expect((await endpoint())?.failingSince).toBeNull();
  });

  test("waits are up to a tenth shorter or longer, so that what failed together is not repeated together", async () => {
    for (const [random, wait] of [
      [0, 4_500],
      [1, 5_500],
    ] as const) {
      const { donate, send, deliveries, stop } = await setUp(broken, { random: () => random });
      await donate();
      await send();
      const [delivery] = await deliveries();
      const [attempt] = delivery?.attempts ?? [];
      expect((delivery?.nextAttemptAt ?? 0) - (attempt?.at ?? 0) - (attempt?.ms ?? 0)).toBe(wait);
      await stop(); // so that the next worker has the next endpoint
    }
  });
});

test("Retry-After holds the delivery and those after it back for so long", async () => {
  const { answers, target, donate, send } = await setUp({ status: 503, headers: { "Retry-After": "120" } });
  const [first, second] = await donate(2);
  await send();
  answers.now = fine;
  setting.webhooks.advance(110_000);
  await send();
  expect(target.ids()).toEqual([first]);
  setting.webhooks.advance(15_000);
  await send();
  expect(target.ids().slice(1).toSorted()).toEqual([first, second].toSorted());
});

test("an endpoint that answers 410 is disabled, and gets nothing any more", async () => {
  const { target, donate, send, endpoint, deliveries } = await setUp({ status: 410 });
  await donate(2);
  await send();
  await donate();
  await send();
  expect(target.received).toHaveLength(1);
  expect(await endpoint()).toMatchObject({ disabledReason: "gone" });
  expect((await deliveries()).map(({ status }) => status)).toEqual(["failed"]);
});

describe("an endpoint that fails for five days", () => {
  test("an endpoint that fails for five days is disabled, and deliveries that were to be repeated are not", async () => {
    const { target, donate, send, endpoint, deliveries } = await setUp(broken);
    await donate();
    await send();
    for (let days = 0; days < 4; days += 1) {
      setting.webhooks.advance(24 * hour);
      await donate();
      await send();
      expect(await endpoint()).toMatchObject({ disabledReason: null });
    }
    setting.webhooks.advance(24 * hour);
    await donate();
    await send();
    expect(await endpoint()).toMatchObject({ disabledReason: "failing" });
    expect((await deliveries()).filter(({ nextAttemptAt }) => nextAttemptAt !== null)).toEqual([]);
    const before = target.received.length;
    setting.webhooks.advance(48 * hour);
    await send();
    expect(target.received).toHaveLength(before);
  });

  test("an endpoint is not disabled when one attempt within the five days succeeded", async () => {
    const { answers, donate, send, endpoint } = await setUp(broken);
    for (const answer of [broken, fine, broken, broken]) {
      answers.now = answer;
      await donate();
      await send();
      setting.webhooks.advance(60 * hour);
    }
    expect(await endpoint()).toMatchObject({ disabledReason: null });
  });

  test("an endpoint that is enabled again gets the events from then on; recover sends those that it missed", async () => {
    const { answers, target, owner, id, donate, send, endpoint } = await setUp({ status: 410 });
    const since = Date.now() - 10_000; // what is recorded has the time of the database
    const missed = await donate(3);
    await send();
    answers.now = fine;
    target.received.length = 0;
    await setting.webhooks.endpoints.update(owner, id, { enabled: true });
    const later = await donate(2);
    await send();
    expect(target.ids()).toEqual(later);
    expect(await setting.webhooks.deliveries.recover(id, owner.streamerId, since)).toBe(3);
    await send();
    expect(target.ids().slice(2).toSorted()).toEqual(missed.toSorted());
    expect(await setting.webhooks.deliveries.recover(id, owner.streamerId, since)).toBe(0);
    expect(await endpoint()).toMatchObject({ disabledReason: null, failingSince: null });
  });
});

test("recover sends again from the instant on, not what happened before", async () => {
  const { target, owner, id, donate, send } = await setUp(fine);
  await setting.webhooks.endpoints.update(owner, id, { enabled: false });
  const before = await donate(40);
  const [{ at }] = (
    await setting.webhooks.knex.raw("select to_millis(received_at) as at from donations where id = ?", [before.at(-5) as string])
  ).rows as [{ at: number }];
  const { rows } = await setting.webhooks.knex.raw<{ rows: { id: string }[] }>(
    "select id from donations where streamer_id = ? and received_at >= from_millis(?) order by sequence",
    [owner.streamerId, at],
  );
  await setting.webhooks.endpoints.update(owner, id, { enabled: true });
  expect(await setting.webhooks.deliveries.recover(id, owner.streamerId, at)).toBe(rows.length);
  await send();
  expect(target.ids().toSorted()).toEqual(rows.map((row) => row.id).toSorted());
});

test("recover since the year 0 sends nothing that happened more than 30 days ago", async () => {
  const { owner, id, donate } = await setUp(fine);
  const since = Date.parse("0000-01-01T00:00:00Z");
  await setting.webhooks.endpoints.update(owner, id, { enabled: false });
  await donate(3);
  await setting.webhooks.endpoints.update(owner, id, { enabled: true });
  setting.webhooks.advance(Date.now() - setting.webhooks.now() + 30 * 24 * hour + 60_000); // what is recorded has the time of the database
  expect(await setting.webhooks.deliveries.recover(id, owner.streamerId, since)).toBe(0);
  setting.webhooks.advance(-120_000);
  expect(await setting.webhooks.deliveries.recover(id, owner.streamerId, since)).toBe(3);
});

test("an event that is sent again by request is retried like a new one", async () => {
  const { answers, target, id, donate, send, deliveries } = await setUp(fine);
  const [event] = await donate();
  await send();
  answers.now = broken;
  await setting.webhooks.deliveries.redeliver(id, event as string);
  await send();
  expect(await deliveries()).toMatchObject([{ status: "retrying", attempts: [{ status: 200 }, { status: 500, answer: "broken" }] }]);
  answers.now = fine;
  setting.webhooks.advance(6_000);
  await send();
  expect(await deliveries()).toMatchObject([{ status: "succeeded", attempts: [{ status: 200 }, { status: 500 }, { status: 200 }] }]);
  expect(target.ids()).toEqual([event, event, event]);
});
